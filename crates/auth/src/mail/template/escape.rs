//! Makes text harmless for the place where it stands.

use std::fmt::Write;

use super::format;
use super::value::Value;

/// Stands for what was refused, as in Go, where people look it up.
pub(super) const REFUSED: &str = "ZgotmplZ";
/// The same in the place of an address.
const REFUSED_ADDRESS: &str = "#ZgotmplZ";

/// Text that HTML shows as it is, between tags and in quotes.
pub(crate) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for letter in text.chars() {
        match letter {
            '\0' => out.push('\u{fffd}'),
            '"' => out.push_str("&#34;"),
            '&' => out.push_str("&amp;"),
            '\'' => out.push_str("&#39;"),
            '+' => out.push_str("&#43;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            letter => out.push(letter),
        }
    }
    out
}

/// Text for an attribute without quotes.
pub(super) fn unquoted(text: &str) -> String {
    if text.is_empty() {
        return REFUSED.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '=' | '`' => {
                entity(&mut out, letter);
            }
            '\0' => out.push_str("&#xfffd;"),
            letter => {
                let mut buffer = [0; 4];
                out.push_str(&html(letter.encode_utf8(&mut buffer)));
            }
        }
    }
    out
}

fn entity(out: &mut String, letter: char) {
    // Writing to a string cannot fail.
    write!(out, "&#{};", u32::from(letter)).unwrap_or_default();
}

/// An address whose scheme does nothing by itself; another one is replaced.
pub(super) fn address(text: &str) -> String {
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
        normalized(text)
    } else {
        REFUSED_ADDRESS.to_owned()
    }
}

/// A part of an address, in which only what no address holds is encoded.
pub(super) fn normalized(text: &str) -> String {
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

/// A value in the query of an address.
pub(super) fn component(text: &str) -> String {
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

/// A value in the query of an address, with `+` for a space.
pub(super) fn query(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

fn percent(out: &mut String, byte: u8) {
    write!(out, "%{byte:02x}").unwrap_or_default();
}

/// A value in a style: a word, a number, a colour. Anything that could end it is refused.
pub(super) fn style(text: &str) -> String {
    let is_plain = text
        .chars()
        .all(|letter| letter.is_alphanumeric() || " #%.,-_!+".contains(letter));
    let squeezed: String = text
        .chars()
        .filter(char::is_ascii_alphabetic)
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    let is_active = squeezed.contains("expression") || squeezed.contains("mozbinding");
    if is_plain && !is_active && !text.contains("--") {
        text.to_owned()
    } else {
        REFUSED.to_owned()
    }
}

/// A name of an attribute or tag: plain, and nothing that acts.
pub(super) fn name(text: &str, acts: impl Fn(&str) -> bool) -> String {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let text = text.to_ascii_lowercase();
    if is_plain && !acts(&text) {
        text
    } else {
        REFUSED.to_owned()
    }
}

/// Text within the quotes of a script. Only letters and digits stay, so that it does no harm even
/// where the quotes were counted wrong.
pub(super) fn script_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for unit in text.encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            _ => write!(out, "\\u{unit:04x}").unwrap_or_default(),
        }
    }
    out
}

/// A value in a script, outside of quotes.
pub(super) fn script(value: &Value) -> String {
    let mut out = String::new();
    write_script(&mut out, value);
    out
}

fn write_script(out: &mut String, value: &Value) {
    let quoted = |out: &mut String, text: &str| {
        out.push('"');
        out.push_str(&script_text(text));
        out.push('"');
    };
    match value {
        Value::Nil => out.push_str("null"),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) => out.push_str(&format::text(value)),
        Value::Text(text) | Value::Html(text) | Value::Query(text) => quoted(out, text),
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
        Value::Map(members) => {
            out.push('{');
            for (index, (name, value)) in members.iter().enumerate() {
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
