//! Formats values as Go's `fmt` does.

use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

use crate::limits::{MAX_OUTPUT, MAX_WIDTH};
use crate::value::Value;

/// Returns the text of a value; that of nil is empty.
pub(crate) fn to_text(value: &Value) -> String {
    match value {
        Value::Nil => String::new(),
        value => {
            let mut out = String::new();
            write_value(&mut out, value);
            out
        }
    }
}

fn write_value(out: &mut String, value: &Value) {
    // Writing to a string cannot fail.
    match value {
        Value::Nil => out.push_str("<nil>"),
        Value::Bool(value) => write!(out, "{value}").unwrap_or_default(),
        Value::Int(number) => write!(out, "{number}").unwrap_or_default(),
        Value::Float(number) => out.push_str(&float(*number)),
        Value::Text(text) | Value::Html(text) | Value::UrlQuery(text) => out.push_str(text),
        Value::List(values) => {
            out.push('[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    out.push(' ');
                }
                write_value(out, value);
            }
            out.push(']');
        }
        Value::Map(entries) => {
            out.push_str("map[");
            for (index, (name, value)) in entries.iter().enumerate() {
                if index > 0 {
                    out.push(' ');
                }
                out.push_str(name);
                out.push(':');
                write_value(out, value);
            }
            out.push(']');
        }
    }
}

/// Formats a float as briefly as possible, with an exponent for very large and very small numbers.
fn float(number: f64) -> String {
    let plain = format!("{number:e}");
    let Some((digits, exponent)) = plain.split_once('e') else {
        return plain;
    };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..21).contains(&exponent) {
        return format!("{number}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// Joins values as `print` does: with a space between two values neither of which is a text.
pub(crate) fn print(values: &[Value]) -> String {
    let mut out = String::new();
    let mut after_text = true;
    for (index, value) in values.iter().enumerate() {
        let is_text = value.as_text().is_some();
        if index > 0 && !is_text && !after_text {
            out.push(' ');
        }
        after_text = is_text;
        out.push_str(&to_text(value));
        if out.len() > MAX_OUTPUT {
            // Too long already; the caller checks the length.
            break;
        }
    }
    out
}

/// Joins values as `println` does: with spaces between all of them and a line break at the end.
pub(crate) fn println(values: &[Value]) -> String {
    let mut out = String::new();
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        out.push_str(&to_text(value));
        if out.len() > MAX_OUTPUT {
            break;
        }
    }
    out.push('\n');
    out
}

/// The flags, width and precision of a verb such as `%-5d`.
#[derive(Default)]
struct FormatSpec {
    left: bool,
    zeros: bool,
    plus: bool,
    width: usize,
    precision: Option<usize>,
}

/// Formats values as `printf` does.
pub(crate) fn printf(format: &str, values: &[Value]) -> String {
    let mut out = String::new();
    let mut values = values.iter();
    let mut chars = format.chars().peekable();
    while let Some(ch) = chars.next() {
        if ch != '%' {
            out.push(ch);
            continue;
        }
        let spec = FormatSpec::parse(&mut chars);
        match chars.next() {
            None => out.push_str("%!(NOVERB)"),
            Some('%') => out.push('%'),
            Some(verb) => match values.next() {
                Some(value) => out.push_str(&spec.format(verb, value)),
                None => write!(out, "%!{verb}(MISSING)").unwrap_or_default(),
            },
        }
        if out.len() > MAX_OUTPUT {
            return out;
        }
    }
    let has_extra = values.len() > 0;
    for (index, value) in values.enumerate() {
        out.push_str(if index == 0 { "%!(EXTRA " } else { ", " });
        out.push_str(type_name(value));
        out.push('=');
        out.push_str(&to_text(value));
        if out.len() > MAX_OUTPUT {
            return out;
        }
    }
    if has_extra {
        out.push(')');
    }
    out
}

impl FormatSpec {
    /// Parses the part between `%` and the verb.
    fn parse(chars: &mut Peekable<Chars<'_>>) -> Self {
        let mut spec = Self::default();
        while let Some(flag) = chars.next_if(|ch| "-+0# ".contains(*ch)) {
            match flag {
                '-' => spec.left = true,
                '+' => spec.plus = true,
                '0' => spec.zeros = true,
                _ => {}
            }
        }
        spec.width = number(chars);
        if chars.next_if_eq(&'.').is_some() {
            spec.precision = Some(number(chars));
        }
        spec
    }

    fn format(&self, verb: char, value: &Value) -> String {
        let is_number = matches!(value, Value::Int(_) | Value::Float(_));
        let written = match (verb, value) {
            ('v' | 's', Value::Nil) => Some("<nil>".to_owned()),
            ('v', value) => Some(to_text(value)),
            ('s', value) if !is_number && !matches!(value, Value::Bool(_)) => Some(to_text(value)),
            ('d', Value::Int(number)) => Some(number.to_string()),
            ('d', Value::Float(number)) if number.fract() == 0.0 => Some(format!("{number}")),
            ('f', Value::Float(number)) => {
                Some(format!("{number:.*}", self.precision.unwrap_or(6)))
            }
            #[expect(clippy::cast_precision_loss, reason = "written with a fraction")]
            ('f', Value::Int(number)) => Some(format!(
                "{:.*}",
                self.precision.unwrap_or(6),
                *number as f64
            )),
            ('x', Value::Int(number)) => Some(format!("{number:x}")),
            ('X', Value::Int(number)) => Some(format!("{number:X}")),
            ('t', Value::Bool(value)) => Some(value.to_string()),
            ('q', value) => value.as_text().map(quoted),
            _ => None,
        };
        let Some(mut written) = written else {
            return format!("%!{verb}({}={})", type_name(value), to_text(value));
        };
        if let (Some(precision), 's' | 'v', false) = (self.precision, verb, is_number) {
            written = written.chars().take(precision).collect();
        }
        if self.plus && is_number && !written.starts_with('-') {
            written.insert(0, '+');
        }
        self.pad(written, is_number)
    }

    fn pad(&self, written: String, is_number: bool) -> String {
        let missing = self.width.saturating_sub(written.chars().count());
        if self.left {
            written + &" ".repeat(missing)
        } else if self.zeros && is_number {
            let (sign, digits) = match written.strip_prefix(['-', '+']) {
                Some(digits) => (written.get(..1).unwrap_or_default(), digits),
                None => ("", written.as_str()),
            };
            format!("{sign}{}{digits}", "0".repeat(missing))
        } else {
            " ".repeat(missing) + &written
        }
    }
}

fn number(chars: &mut Peekable<Chars<'_>>) -> usize {
    let mut number: usize = 0;
    while let Some(digit) = chars.peek().and_then(|ch| ch.to_digit(10)) {
        chars.next();
        number = (number * 10 + digit as usize).min(MAX_WIDTH);
    }
    number
}

/// Returns the name of the value's type in Go.
fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Nil => "<nil>",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int",
        Value::Float(_) => "float64",
        Value::Text(_) | Value::Html(_) | Value::UrlQuery(_) => "string",
        Value::List(_) => "[]interface {}",
        Value::Map(_) => "map[string]interface {}",
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for ch in text.chars() {
        match ch {
            '"' | '\\' => out.extend(['\\', ch]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            ch if u32::from(ch) < 0x20 || ch == '\u{7f}' => {
                write!(out, "\\x{:02x}", u32::from(ch)).unwrap_or_default();
            }
            ch => out.push(ch),
        }
    }
    out.push('"');
    out
}
