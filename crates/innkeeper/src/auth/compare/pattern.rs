//! Patterns in which `*` stands for any text.

/// Whether the whole text matches the pattern.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(text) = text.strip_prefix(start) else {
        return false;
    };
    let mut ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    ends.any(|at| text.get(at..).is_some_and(|text| matches(rest, text)))
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, text) in [
            ("*", ""),
            ("a", "a"),
            ("a*", "abc"),
            ("*c", "abc"),
            ("a*c*e", "abcde"),
            ("body.*.id", "body.user.id"),
            ("*é", "aéé"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("", "a"), ("a", "ab"), ("a*c", "abd"), ("*b*b", "ab")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }
}
