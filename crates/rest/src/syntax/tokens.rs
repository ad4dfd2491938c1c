//! Tokens in headers, the lists that they are in, and their weights.

/// Splits a header at a separator, except within quotes.
pub(crate) fn parts(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    let parts = text.split(move |c| {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = quoted,
            '"' => quoted = !quoted,
            _ => return c == separator && !quoted,
        }
        false
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

/// Whether a text is one token: letters, digits and a few signs.
pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Parses a weight such as `1`, `0.5` or `0.125`, in thousandths.
pub(crate) fn thousandths(text: &str) -> Option<u16> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let fraction: u16 = format!("{fraction:0<3}").parse().ok()?;
    match whole {
        "0" => Some(fraction),
        "1" if fraction == 0 => Some(1000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{parts, thousandths};

    #[test]
    fn separators_within_quotes_are_text() {
        for (text, expected) in [
            (r#"a;t="b,c", d"#, vec![r#"a;t="b,c""#, "d"]),
            (r#"a;t="b\",c", d"#, vec![r#"a;t="b\",c""#, "d"]),
            (r#"a;t="b\\", d"#, vec![r#"a;t="b\\""#, "d"]),
            // Outside of quotes a backslash is a character like others.
            (r#"a\,"b,c", d"#, vec![r"a\", r#""b,c""#, "d"]),
            (" ,, a ,b,", vec!["a", "b"]),
        ] {
            assert_eq!(parts(text, ',').collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn a_weight_has_at_most_three_decimals_and_is_at_most_one() {
        for (text, expected) in [
            ("0", Some(0)),
            ("0.", Some(0)),
            ("0.5", Some(500)),
            ("0.25", Some(250)),
            ("0.125", Some(125)),
            ("0.001", Some(1)),
            ("1", Some(1000)),
            ("1.000", Some(1000)),
            ("1.001", None),
            ("0.1234", None),
            ("2", None),
            ("0.x", None),
            ("", None),
            (".5", None),
            ("-0", None),
        ] {
            assert_eq!(thousandths(text), expected, "{text}");
        }
    }
}
