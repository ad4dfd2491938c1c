//! Chance, from the operating system's generator.

use aws_lc_rs::rand;

/// That many random bytes.
///
/// # Panics
///
/// When the operating system has no randomness to give, because nothing may go on without it.
#[expect(clippy::expect_used, reason = "nothing may go on without randomness")]
pub fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    rand::fill(&mut bytes).expect("the operating system gives randomness");
    bytes
}

/// A number below `limit`, each with the same chance.
pub fn below(limit: u64) -> u64 {
    let limit = limit.max(1);
    // Numbers past the last whole multiple would favour the small ones.
    let zone = u64::MAX - u64::MAX % limit;
    loop {
        let number = u64::from_le_bytes(bytes());
        if number < zone {
            return number % limit;
        }
    }
}

/// A decimal code of that many digits (at most 19), zeros in front included.
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
