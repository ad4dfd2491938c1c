//! Converts default values from Rust to JSON.

use serde_json::{Number, Value};

const SUFFIXES: [&str; 14] = [
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32",
    "f64",
];

/// Returns the value of a literal; `None` for any other expression.
pub(super) fn literal(text: &str) -> Option<Value> {
    let text = text.trim();
    match text.chars().next()? {
        '"' => serde_json::from_str::<String>(text).ok().map(Value::String),
        'r' => raw(text),
        '\'' => {
            let mut letters = text.strip_prefix('\'')?.strip_suffix('\'')?.chars();
            let letter = letters.next().filter(|letter| *letter != '\\')?;
            letters.next().is_none().then(|| letter.to_string().into())
        }
        _ if text == "true" => Some(true.into()),
        _ if text == "false" => Some(false.into()),
        _ => number(text),
    }
}

/// Parses `r"…"` and `r#"…"#`.
fn raw(text: &str) -> Option<Value> {
    let text = text.strip_prefix('r')?;
    let hashes = text.len() - text.trim_start_matches('#').len();
    let inner = text.get(hashes..text.len().checked_sub(hashes)?)?;
    let inner = inner.strip_prefix('"')?.strip_suffix('"')?;
    Some(inner.into())
}

fn number(text: &str) -> Option<Value> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest.trim_start()),
        None => ("", text),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let digits = digits.replace('_', "");
    let suffix = SUFFIXES
        .iter()
        .filter(|suffix| digits.ends_with(**suffix))
        .max_by_key(|suffix| suffix.len());
    let bare = suffix.map_or(digits.as_str(), |suffix| {
        digits.strip_suffix(suffix).unwrap_or(&digits)
    });
    let signed = format!("{sign}{bare}");
    if let Ok(whole) = signed.parse::<i64>() {
        Some(whole.into())
    } else if let Ok(whole) = signed.parse::<u64>() {
        Some(whole.into())
    } else {
        let number = Number::from_f64(signed.parse().ok()?)?;
        Some(Value::Number(number))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn literals_are_values_and_other_expressions_are_not() {
        for (text, value) in [
            ("10", Some(json!(10))),
            ("-3", Some(json!(-3))),
            ("- 3", Some(json!(-3))),
            ("1_000_u32", Some(json!(1000))),
            ("0.5", Some(json!(0.5))),
            ("2.5f32", Some(json!(2.5))),
            ("18446744073709551615", Some(json!(u64::MAX))),
            ("true", Some(json!(true))),
            (r#""name""#, Some(json!("name"))),
            (r#""a\"b""#, Some(json!("a\"b"))),
            (r##"r#"raw"#"##, Some(json!("raw"))),
            ("'x'", Some(json!("x"))),
            ("2 + 3", None),
            ("Sort::Name", None),
            ("reverse", None),
            ("None", None),
            ("", None),
        ] {
            assert_eq!(literal(text), value, "{text}");
        }
    }
}
