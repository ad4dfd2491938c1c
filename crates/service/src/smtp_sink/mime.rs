//! Takes messages apart: folded headers, encoded words, multiparts, base64 and quoted-printable.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Multiparts within multiparts are followed this far.
const DEPTH_MAX: u32 = 8;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

pub(super) type Headers = Vec<(String, String)>;

/// Splits a message or a part into decoded headers and raw body.
pub(super) fn split(raw: &str) -> (Headers, &str) {
    let (head, body) = match raw.strip_prefix("\r\n") {
        Some(body) => ("", body),
        None => raw.split_once("\r\n\r\n").unwrap_or((raw, "")),
    };
    let mut headers = Headers::new();
    for line in head.split("\r\n") {
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = headers.last_mut() {
                value.push(' ');
                value.push_str(line.trim());
            }
        } else if let Some((name, value)) = line.split_once(':') {
            headers.push((name.trim().to_owned(), value.trim().to_owned()));
        }
    }
    for (_, value) in &mut headers {
        *value = decode_words(value);
    }
    (headers, body)
}

pub(super) fn header<'h>(headers: &'h Headers, name: &str) -> Option<&'h str> {
    headers
        .iter()
        .find(|(other, _)| other.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str())
}

/// Puts the first plain text and the first HTML into their places.
pub(super) fn collect(headers: &Headers, body: &str, text: &mut String, html: &mut String) {
    collect_part(headers, body, (text, html), 0);
}

fn collect_part(headers: &Headers, body: &str, found: (&mut String, &mut String), depth: u32) {
    let (text, html) = found;
    let content_type = header(headers, "Content-Type").unwrap_or("text/plain");
    let kind = content_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    if kind.starts_with("multipart/") {
        let Some(boundary) = parameter(content_type, "boundary").filter(|_| depth < DEPTH_MAX)
        else {
            return;
        };
        for part in parts(body, &boundary) {
            let (headers, body) = split(part);
            collect_part(&headers, body, (&mut *text, &mut *html), depth + 1);
        }
        return;
    }
    let place = match kind.as_str() {
        "text/html" => html,
        "text/plain" => text,
        _ => return,
    };
    if place.is_empty() {
        let encoding = header(headers, "Content-Transfer-Encoding").unwrap_or_default();
        *place = decode_body(body, encoding);
    }
}

/// What stands between the lines `--boundary`.
fn parts<'b>(body: &'b str, boundary: &str) -> impl Iterator<Item = &'b str> {
    let delimiter = format!("--{boundary}");
    let mut starts = Vec::new();
    let mut position = 0;
    for line in body.split_inclusive("\r\n") {
        let next = position + line.len();
        if line.trim_end().starts_with(&delimiter) {
            starts.push((position, next));
        }
        position = next;
    }
    let ends: Vec<usize> = starts.iter().skip(1).map(|(start, _)| *start).collect();
    starts
        .into_iter()
        .zip(ends)
        .filter_map(move |((_, start), end)| body.get(start..end))
        .map(|part| part.strip_suffix("\r\n").unwrap_or(part))
}

/// A parameter of a structured header, without its quotes.
fn parameter(value: &str, name: &str) -> Option<String> {
    value.split(';').skip(1).find_map(|parameter| {
        let (other, value) = parameter.split_once('=')?;
        other
            .trim()
            .eq_ignore_ascii_case(name)
            .then(|| value.trim().trim_matches('"').to_owned())
    })
}

fn decode_body(body: &str, encoding: &str) -> String {
    let text = match encoding.trim().to_ascii_lowercase().as_str() {
        "base64" => from_base64(body),
        "quoted-printable" => from_quoted_printable(body),
        _ => body.to_owned(),
    };
    text.replace("\r\n", "\n")
}

fn from_base64(text: &str) -> String {
    let letters: String = text.split_whitespace().collect();
    let bytes = BASE64.decode(letters).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn from_quoted_printable(text: &str) -> String {
    let joined = text.replace("=\r\n", "");
    let mut bytes = Vec::with_capacity(joined.len());
    let mut rest = joined.as_str();
    while let Some((before, after)) = rest.split_once('=') {
        bytes.extend_from_slice(before.as_bytes());
        let code = after
            .get(..2)
            .and_then(|code| u8::from_str_radix(code, 16).ok());
        rest = if let Some(byte) = code {
            bytes.push(byte);
            after.get(2..).unwrap_or_default()
        } else {
            bytes.push(b'=');
            after
        };
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Decodes the `=?utf-8?b?…?=` of a header.
fn decode_words(value: &str) -> String {
    let mut decoded = String::new();
    let mut rest = value;
    let mut after_word = false;
    while let Some((before, from)) = rest.split_once("=?") {
        let Some((word, after)) = encoded_word(from) else {
            decoded.push_str(before);
            decoded.push_str("=?");
            rest = from;
            after_word = false;
            continue;
        };
        // Blanks between two encoded words are none.
        if !(after_word && before.trim().is_empty()) {
            decoded.push_str(before);
        }
        decoded.push_str(&word);
        rest = after;
        after_word = true;
    }
    decoded + rest
}

fn encoded_word(from: &str) -> Option<(String, &str)> {
    let (_charset, rest) = from.split_once('?')?;
    let (encoding, rest) = rest.split_once('?')?;
    let (text, rest) = rest.split_once("?=")?;
    let word = match encoding {
        "b" | "B" => from_base64(text),
        "q" | "Q" => from_quoted_printable(&text.replace('_', " ")),
        _ => return None,
    };
    Some((word, rest))
}
