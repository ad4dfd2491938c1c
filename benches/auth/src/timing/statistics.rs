//! Tests whether two sets of times differ.

/// The comparison of two sets of times.
#[derive(Debug)]
pub(crate) struct Comparison {
    pub(crate) medians: (f64, f64),
    /// Welch's t.
    pub(crate) t: f64,
    /// The rank test of Mann and Whitney, as a number of standard deviations.
    pub(crate) z: f64,
    /// The probability that a guess by time is right; 0.5 is chance.
    pub(crate) guess: f64,
}

impl Comparison {
    pub(crate) fn of(one: &[f64], other: &[f64]) -> Self {
        let (z, longer) = rank_test(one, other);
        Self {
            medians: (median(one), median(other)),
            t: welch(one, other),
            z,
            guess: longer.max(1.0 - longer),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "there are not so many samples")]
fn count(times: &[f64]) -> f64 {
    times.len() as f64
}

fn mean(times: &[f64]) -> f64 {
    times.iter().sum::<f64>() / count(times)
}

fn variance(times: &[f64]) -> f64 {
    let mean = mean(times);
    times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / (count(times) - 1.0)
}

fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

fn welch(one: &[f64], other: &[f64]) -> f64 {
    let error = (variance(one) / count(one) + variance(other) / count(other)).sqrt();
    (mean(one) - mean(other)) / error
}

/// Returns the deviation from chance, and how often a time of the first set is the longer one.
fn rank_test(one: &[f64], other: &[f64]) -> (f64, f64) {
    let longer: f64 = one
        .iter()
        .map(|time| {
            let below = other.iter().filter(|other| *other < time).count();
            let equal = other
                .iter()
                .filter(|other| other.total_cmp(time).is_eq())
                .count();
            f64::from(u32::try_from(below).unwrap_or(u32::MAX))
                + f64::from(u32::try_from(equal).unwrap_or(u32::MAX)) / 2.0
        })
        .sum();
    let (n, m) = (count(one), count(other));
    let deviation = (n * m * (n + m + 1.0) / 12.0).sqrt();
    ((longer - n * m / 2.0) / deviation, longer / (n * m))
}

#[cfg(test)]
mod tests {
    use super::Comparison;

    fn times(from: f64) -> Vec<f64> {
        (0..100)
            .map(|number| from + f64::from(number % 10))
            .collect()
    }

    #[test]
    fn what_is_the_same_is_not_told_apart() {
        let same = Comparison::of(&times(5.0), &times(5.0));
        assert!(same.t.abs() < 0.01 && same.z.abs() < 0.01, "{same:?}");
        assert!((same.guess - 0.5).abs() < 0.01, "{same:?}");
    }

    #[test]
    fn what_differs_is() {
        let apart = Comparison::of(&times(8.0), &times(5.0));
        assert!(apart.t > 4.5 && apart.z > 4.5, "{apart:?}");
        assert!(apart.guess > 0.7, "{apart:?}");
        assert_eq!(apart.medians, (13.0, 10.0));
        let other_way = Comparison::of(&times(5.0), &times(8.0));
        assert!(other_way.t < -4.5 && other_way.z < -4.5, "{other_way:?}");
        assert!(other_way.guess > 0.7, "{other_way:?}");
    }
}
