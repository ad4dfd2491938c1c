//! What may be typed on a console.

/// The longest command, in bytes.
pub(crate) const MAX_COMMAND: usize = 1024;

/// Checks a command: one line of 1 to 1024 bytes, without control characters except tabs. Returns what is wrong.
pub(crate) fn check_command(text: &str) -> Result<(), &'static str> {
    if text.trim().is_empty() {
        return Err("a command is not empty");
    }
    if text.len() > MAX_COMMAND {
        return Err("a command has at most 1024 bytes");
    }
    if text.chars().any(|c| c.is_control() && c != '\t') {
        return Err("a command is one line without control characters");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands() {
        for text in ["list", "say hello\tworld", " say ä €", &"x".repeat(1024)] {
            assert_eq!(check_command(text), Ok(()), "{text:?}");
        }
        for text in [
            "",
            " ",
            "\t",
            &"x".repeat(1025),
            &"ä".repeat(513),
            "two\nlines",
            "say\r",
            "\u{3}",
            "a\u{0}b",
            "\u{1b}[31m",
            "a\u{7f}",
            "a\u{9b}31m",
        ] {
            assert!(check_command(text).is_err(), "{text:?}");
        }
    }
}
