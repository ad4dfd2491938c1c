//! Random bytes, numbers and codes, from the operating system's generator.

use aws_lc_rs::rand;

/// Returns random bytes.
///
/// # Panics
///
/// If the operating system's generator fails, because nothing is secure without it.
#[expect(clippy::expect_used, reason = "nothing is secure without randomness")]
pub fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    rand::fill(&mut bytes).expect("the operating system's generator works");
    bytes
}

/// Returns a uniformly distributed number below `limit`.
pub fn below(limit: u64) -> u64 {
    let limit = limit.max(1);
    // Numbers past the last whole multiple of the limit would favour small remainders.
    let zone = u64::MAX - u64::MAX % limit;
    loop {
        let number = u64::from_le_bytes(bytes());
        if number < zone {
            return number % limit;
        }
    }
}

/// Returns a decimal code of this length (at most 19), which may start with zeros.
pub fn digits(length: u32) -> String {
    let length = length.min(19);
    let number = below(10_u64.pow(length));
    format!("{number:0width$}", width = length as usize)
}

#[cfg(test)]
mod tests {
    use super::{below, bytes, digits};

    #[test]
    fn codes_have_their_length_and_only_digits() {
        for length in [6, 8, 10] {
            let code = digits(length);
            assert_eq!(code.len(), length as usize);
            assert!(code.bytes().all(|digit| digit.is_ascii_digit()));
        }
    }

    #[test]
    fn numbers_stay_below_their_limit_and_reach_all_of_it() {
        let mut seen = [false; 7];
        for _ in 0..1000 {
            seen[usize::try_from(below(7)).unwrap()] = true;
        }
        assert_eq!(seen, [true; 7]);
        assert_eq!(below(1), 0);
    }

    #[test]
    fn two_draws_differ() {
        assert_ne!(bytes::<32>(), bytes::<32>());
    }
}
