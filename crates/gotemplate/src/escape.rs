//! Escapes text for a context.

use std::fmt::Write;

use crate::format;
use crate::value::Value;

/// Replaces a value that was refused. The word is that of Go, so that people find it when they look it up.
const REFUSED: &str = "ZgotmplZ";
/// Replaces a URL that was refused.
const REFUSED_URL: &str = "#ZgotmplZ";

/// Returns the text of a value, escaped for HTML.
pub(crate) fn to_html(value: &Value) -> String {
    match value {
        Value::Html(html) => html.to_string(),
        value => html(&format::to_text(value)),
    }
}

/// Escapes text for HTML, between tags and in quotes.
pub(crate) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for ch in text.chars() {
        match ch {
            '\0' => out.push('\u{fffd}'),
            '"' => out.push_str("&#34;"),
            '&' => out.push_str("&amp;"),
            '\'' => out.push_str("&#39;"),
            '+' => out.push_str("&#43;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            ch => out.push(ch),
        }
    }
    out
}

/// Escapes text for an attribute value without quotes.
pub(crate) fn unquoted(text: &str) -> String {
    if text.is_empty() {
        return REFUSED.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for ch in text.chars() {
        match ch {
            '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '=' | '`' => {
                entity(&mut out, ch);
            }
            '\0' => out.push_str("&#xfffd;"),
            ch => {
                let mut buffer = [0; 4];
                out.push_str(&html(ch.encode_utf8(&mut buffer)));
            }
        }
    }
    out
}

fn entity(out: &mut String, ch: char) {
    // Writing to a string cannot fail.
    write!(out, "&#{};", u32::from(ch)).unwrap_or_default();
}

/// Escapes a URL whose scheme is harmless and refuses any other, such as `javascript:`.
pub(crate) fn url(text: &str) -> String {
    let scheme = text
        .split_once(':')
        .map(|(scheme, _)| scheme)
        .filter(|scheme| !scheme.contains('/'));
    let is_harmless = scheme.is_none_or(|scheme| {
        ["http", "https", "mailto"]
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known))
    });
    if is_harmless {
        url_normalized(text)
    } else {
        REFUSED_URL.to_owned()
    }
}

/// Percent-encodes only the bytes that a URL cannot contain.
pub(crate) fn url_normalized(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    for (index, byte) in bytes.iter().enumerate() {
        let is_escape = *byte == b'%'
            && bytes
                .get(index + 1..index + 3)
                .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        if is_escape || is_unreserved(*byte) || b"!#$&*+,/:;=?@[]".contains(byte) {
            out.push(char::from(*byte));
        } else {
            percent(&mut out, *byte);
        }
    }
    out
}

/// Percent-encodes everything that has a meaning in a URL.
pub(crate) fn url_component(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if is_unreserved(byte) {
            out.push(char::from(byte));
        } else {
            percent(&mut out, byte);
        }
    }
    out
}

/// Encodes text as `application/x-www-form-urlencoded` does, with `+` for a space.
pub(crate) fn url_query(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' ' => out.push('+'),
            b'*' | b'-' | b'.' | b'_' => out.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            byte => write!(out, "%{byte:02X}").unwrap_or_default(),
        }
    }
    out
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

fn percent(out: &mut String, byte: u8) {
    write!(out, "%{byte:02x}").unwrap_or_default();
}

/// Accepts a value of CSS that is a word, a number or a colour, and refuses anything that could end it.
pub(crate) fn css(text: &str) -> String {
    let is_plain = text
        .chars()
        .all(|ch| ch.is_alphanumeric() || " #%.,-_!+".contains(ch));
    let squeezed: String = text
        .chars()
        .filter(char::is_ascii_alphabetic)
        .map(|ch| ch.to_ascii_lowercase())
        .collect();
    let is_active = squeezed.contains("expression") || squeezed.contains("mozbinding");
    if is_plain && !is_active && !text.contains("--") {
        text.to_owned()
    } else {
        REFUSED.to_owned()
    }
}

/// Accepts the name of a tag or attribute that is plain and not active.
pub(crate) fn name(text: &str, is_active: impl Fn(&str) -> bool) -> String {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let text = text.to_ascii_lowercase();
    if is_plain && !is_active(&text) {
        text
    } else {
        REFUSED.to_owned()
    }
}

/// Escapes text inside of the quotes of a script. Only letters and digits stay, so that it does no harm even
/// where the quotes were counted wrong.
pub(crate) fn script_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for unit in text.encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            _ => write!(out, "\\u{unit:04x}").unwrap_or_default(),
        }
    }
    out
}

/// Writes a value as a literal of a script.
pub(crate) fn script(value: &Value) -> String {
    let mut out = String::new();
    write_script(&mut out, value);
    out
}

fn write_script(out: &mut String, value: &Value) {
    let quoted = |out: &mut String, text: &str| {
        out.push('"');
        out.push_str(&script_string(text));
        out.push('"');
    };
    match value {
        Value::Nil => out.push_str("null"),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) => out.push_str(&format::to_text(value)),
        Value::Text(text) | Value::Html(text) | Value::UrlQuery(text) => quoted(out, text),
        Value::List(values) => {
            out.push('[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_script(out, value);
            }
            out.push(']');
        }
        Value::Map(entries) => {
            out.push('{');
            for (index, (name, value)) in entries.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                quoted(out, name);
                out.push(':');
                write_script(out, value);
            }
            out.push('}');
        }
    }
}
