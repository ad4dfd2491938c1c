//! Damping: a probe must fail, or succeed, several times in a row before its state changes.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::probe_result::ProbeResult;
use crate::content::status_definition::DampingRules;

/// The state of a probe. It is stored as JSON, so the names of its fields are part of the schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeState {
    settled: ProbeResult,
    /// How many results in a row were all worse, or all better, than the settled result.
    against: u32,
    /// Whether those results were worse.
    worse: bool,
    /// The recent changes of the settled result.
    changes: Vec<Timestamp>,
}

impl Default for ProbeState {
    fn default() -> Self {
        Self {
            settled: ProbeResult::Up,
            against: 0,
            worse: false,
            changes: Vec::new(),
        }
    }
}

impl ProbeState {
    /// Returns the state after one more result.
    #[must_use]
    pub fn after(mut self, result: ProbeResult, at: Timestamp, rules: &DampingRules) -> Self {
        self.changes
            .retain(|change| at.duration_since(*change) < rules.window);
        if result == self.settled {
            self.against = 0;
            return self;
        }
        let worse = result > self.settled;
        self.against = if self.worse == worse { self.against } else { 0 } + 1;
        self.worse = worse;
        let needed = if worse {
            rules.failures
        } else {
            rules.recoveries
        };
        if self.against >= needed {
            self.settled = result;
            self.against = 0;
            self.changes.push(at);
        }
        self
    }

    /// Returns the settled result, by which downtime is counted.
    pub fn settled(&self) -> ProbeResult {
        self.settled
    }

    /// Returns the result to show: a flapping probe is shown as slow.
    pub fn shown(&self, at: Timestamp, rules: &DampingRules) -> ProbeResult {
        let recent = self.changes.iter();
        let recent = recent.filter(|change| at.duration_since(**change) < rules.window);
        if recent.count() >= rules.flaps {
            ProbeResult::Slow
        } else {
            self.settled
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::{DampingRules, ProbeResult, ProbeState};

    const RULES: DampingRules = DampingRules {
        failures: 3,
        recoveries: 2,
        flaps: 4,
        window: SignedDuration::from_mins(10),
    };

    fn result(letter: char) -> ProbeResult {
        match letter {
            'u' => ProbeResult::Up,
            's' => ProbeResult::Slow,
            _ => ProbeResult::Down,
        }
    }

    /// Returns what is shown after each of these results, which are so many seconds apart.
    fn shown(results: &str, seconds: i64) -> String {
        let mut state = ProbeState::default();
        let mut at = Timestamp::UNIX_EPOCH;
        let mut shown = String::new();
        for letter in results.chars() {
            at += SignedDuration::from_secs(seconds);
            state = state.after(result(letter), at, &RULES);
            shown.push(match state.shown(at, &RULES) {
                ProbeResult::Up => 'u',
                ProbeResult::Slow => 's',
                ProbeResult::Down => 'd',
            });
        }
        shown
    }

    #[test]
    fn results_are_believed_when_there_are_enough_of_them_in_a_row() {
        for (results, expected) in [
            ("uuu", "uuu"),
            // Two failures are an accident, three are an outage.
            ("dduuu", "uuuuu"),
            ("dddd", "uudd"),
            ("ddudd", "uuuuu"),
            // One good answer is an accident too.
            ("dddudud", "uuddddd"),
            ("ddduu", "uuddu"),
            // Slow and down are both worse than up; the last one counts.
            ("sdd", "uud"),
            ("dds", "uus"),
            ("sss", "uus"),
            ("sssuu", "uussu"),
            // A result that is neither the settled one nor worse starts the count again.
            ("sssdu", "uusss"),
            // From slow to down it takes as many.
            ("sssddd", "uusssd"),
        ] {
            assert_eq!(shown(results, 3600), expected, "{results}");
        }
    }

    #[test]
    fn a_probe_that_changes_all_the_time_is_shown_as_slow() {
        // Down, up, down, up within ten minutes: four changes.
        assert_eq!(shown("ddduuddduu", 30), "uudduuudds");
        // The same over hours is told as it is.
        assert_eq!(shown("ddduuddduu", 3600), "uudduuuddu");
    }

    #[test]
    fn flapping_ends_when_nothing_changed_for_a_while() {
        let results = format!("ddduuddduu{}", "u".repeat(25));
        let shown = shown(&results, 30);
        assert!(shown[9..20].chars().all(|letter| letter == 's'), "{shown}");
        assert!(shown.ends_with("uuu"), "{shown}");
    }

    #[test]
    fn a_change_counts_for_less_than_the_window() {
        let changed = Timestamp::UNIX_EPOCH;
        let flapping = ProbeState {
            changes: vec![changed; RULES.flaps],
            ..ProbeState::default()
        };
        let end = changed + RULES.window;
        let before = end - SignedDuration::from_nanos(1);
        for (at, shown, kept) in [
            (before, ProbeResult::Slow, RULES.flaps),
            (end, ProbeResult::Up, 0),
        ] {
            assert_eq!(flapping.shown(at, &RULES), shown);
            let after = flapping.clone().after(ProbeResult::Up, at, &RULES);
            assert_eq!(after.changes.len(), kept);
        }
    }

    #[test]
    fn what_is_believed_survives_being_written_down() {
        let at = Timestamp::UNIX_EPOCH;
        let mut state = ProbeState::default();
        for _ in 0..4 {
            state = state.after(ProbeResult::Down, at, &RULES);
        }
        let text = serde_json::to_string(&state).unwrap();
        assert_eq!(serde_json::from_str::<ProbeState>(&text).unwrap(), state);
        assert_eq!(state.settled(), ProbeResult::Down);
    }
}
