//! Passwords that a guesser tries first: the commonest ones, single words and names, dates, rows of keys, and words
//! about their owner.

use zxcvbn::zxcvbn;

/// Passwords that take fewer guesses are refused.
const MIN_GUESSES: u64 = 10_000;

/// The number of characters that are rated. Something longer is not a single word or row of keys, and two of those
/// take more guesses than required. The time for a rating grows faster than the length, and beyond twenty parts the
/// numbers of the estimate overflow.
const MAX_RATED: usize = 20;

/// Signs that the estimate takes for letters. Each of them multiplies the number of spellings that it compares.
const SUBSTITUTES: [char; 10] = ['@', '(', '{', '[', '<', '!', '|', '$', '+', '%'];

/// How many different ones a password may have to be rated. With more, it is not what a guesser tries first.
const MAX_SUBSTITUTES: usize = 4;

/// Returns whether a password takes fewer than 10,000 guesses by somebody who knows these words about its owner.
pub(crate) fn is_trivial(password: &str, owner: &[String]) -> bool {
    let lower = password.to_lowercase();
    if owner.iter().any(|word| word.to_lowercase() == lower) {
        return true;
    }
    let (unit, count) = unit_of(password);
    let substitutes = SUBSTITUTES.iter().filter(|sign| unit.contains(**sign));
    if unit.chars().count() > MAX_RATED || substitutes.count() > MAX_SUBSTITUTES {
        return false;
    }
    let owner: Vec<&str> = owner.iter().map(String::as_str).collect();
    let guesses = zxcvbn(unit, &owner).guesses();
    guesses.saturating_mul(count) < MIN_GUESSES
}

/// Returns the shortest text that the password repeats, and how often it does.
fn unit_of(password: &str) -> (&str, u64) {
    let bytes = password.as_bytes();
    let repeats = |length: &usize| {
        let mut parts = bytes.chunks(*length);
        let first = parts.next();
        bytes.len().is_multiple_of(*length) && parts.all(|part| Some(part) == first)
    };
    let length = (1..=bytes.len()).find(repeats).unwrap_or(1);
    let unit = password.get(..length).unwrap_or(password);
    let count = u64::try_from(bytes.len() / length).unwrap_or(u64::MAX);
    (unit, count)
}

#[cfg(test)]
mod tests {
    use super::{is_trivial, unit_of};

    #[test]
    fn repetitions_are_found() {
        for (password, unit, count) in [
            ("", "", 0),
            ("a", "a", 1),
            ("aaaaaa", "a", 6),
            ("abcabc", "abc", 2),
            ("abcabca", "abcabca", 1),
            ("ääää", "ä", 4),
            ("aäaä", "aä", 2),
        ] {
            assert_eq!(unit_of(password), (unit, count), "{password}");
        }
    }

    #[test]
    fn what_is_tried_first_is_trivial() {
        for password in [
            "123456",
            "password",
            "Password",
            "p@ssword",
            "drowssap",
            "qwertyuiop",
            "abcdef",
            "aaaaaaaa",
            "letmein",
            "dragon",
            "passwordpasswordpassword",
            "monkeymonkey",
        ] {
            assert!(is_trivial(password, &[]), "{password}");
        }
    }

    #[test]
    fn what_takes_more_guesses_is_not() {
        for password in [
            "correct horse",
            "battery staple",
            "correct-horse-9",
            "a-password-9",
            "password, but longer",
            "my own password",
            "xk4!qz",
            "äöüßéí",
            "🔑🌵🐙🎲🧊🪐",
        ] {
            assert!(!is_trivial(password, &[]), "{password}");
        }
        // Whatever it is, it costs little to rate.
        assert!(!is_trivial("4@8({[<36!|1/7$5+%2", &[]));
        let long = "correct horse battery staple ".repeat(4);
        assert!(!is_trivial(&format!("{long}!"), &[]));
        assert!(!is_trivial(
            &"qwerty1l0ve$".repeat(340),
            &["x".repeat(4000)]
        ));
    }

    #[test]
    fn words_about_the_owner_are_trivial() {
        let owner = [
            "lovelace-1815@example.com",
            "lovelace-1815",
            "Augusta Ada King",
        ];
        let owner = owner.map(str::to_owned);
        for password in [
            "lovelace-1815@example.com",
            "LoveLace-1815",
            "5181-ecalevol",
            "augusta ada king",
            "lovelace-1815lovelace-1815",
        ] {
            assert!(is_trivial(password, &owner), "{password}");
        }
        assert!(!is_trivial("lovelace-1815", &[]));
        assert!(!is_trivial("lovelace-1815 at sea", &owner));
    }
}
