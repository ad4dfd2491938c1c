//! Reads an entity in the format of its content type.

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::error::Category;
use serde_path_to_error::{Path, Segment};

use super::accept::bare;
use super::form::form_pairs;
use super::octets::Octets;
use super::{Format, Formats, essence};
use crate::body::Body;
use crate::head::Head;
use crate::multipart::Multipart;
use crate::rejection::{FieldError, Rejection};
use crate::syntax::ValueDeserializer;

/// The format that a body is read in.
#[derive(Clone, Copy)]
pub(crate) enum EntityReader<'f> {
    Json,
    Form,
    Multipart,
    Text,
    Octets,
    Custom(&'f dyn Format),
}

impl<'f> EntityReader<'f> {
    /// Returns the reader for the content type of a request whose route consumes these media types, or 415; also
    /// for a content coding, which filters remove when they decode it.
    pub(crate) fn choose(
        formats: &'f Formats,
        consumes: &[&str],
        head: &Head,
    ) -> Result<Self, Rejection> {
        // Whoever reads JSON whatever the headers say does so here too.
        if !formats.json_only {
            check_coding(head)?;
        }
        let Some(content_type) = head.header_values(&CONTENT_TYPE).next() else {
            return if formats.json_only || consumed(consumes, "application/json") {
                Ok(Self::Json)
            } else {
                Err(Rejection::unsupported_media_type(
                    "application/json",
                    &consumes.join(", "),
                ))
            };
        };
        // By far the most common type, so it is not parsed.
        if formats.json_only || (consumes.is_empty() && content_type == b"application/json") {
            return Ok(Self::Json);
        }
        let text = std::str::from_utf8(content_type).ok();
        let Some(content_type) = text.filter(|text| text.is_ascii()) else {
            return Err(Self::unsupported("not text", formats));
        };
        let essence = essence(head).unwrap_or_else(|| "application/json".to_owned());
        if !consumed(consumes, &essence) {
            return Err(Rejection::unsupported_media_type(
                &essence,
                &consumes.join(", "),
            ));
        }
        let reader =
            Self::by_type(&essence, formats).ok_or_else(|| Self::unsupported(&essence, formats))?;
        if is_utf8(content_type) {
            Ok(reader)
        } else {
            Err(Rejection::unsupported_media_type(
                content_type,
                &format!("{essence} in UTF-8"),
            ))
        }
    }

    /// Whether it reads a form, for which an empty body has no fields.
    pub(crate) fn is_form(self) -> bool {
        matches!(self, Self::Form | Self::Multipart)
    }

    fn by_type(essence: &str, formats: &'f Formats) -> Option<Self> {
        let custom = formats
            .custom
            .iter()
            .find(|known| known.media_type == essence);
        if let Some(known) = custom {
            let format = &*known.format;
            return format.reads().then_some(Self::Custom(format));
        }
        match essence {
            "application/json" => Some(Self::Json),
            "application/x-www-form-urlencoded" => Some(Self::Form),
            "multipart/form-data" => Some(Self::Multipart),
            "text/plain" => Some(Self::Text),
            "application/octet-stream" => Some(Self::Octets),
            other if other.ends_with("+json") => Some(Self::Json),
            _ => None,
        }
    }

    fn unsupported(essence: &str, formats: &Formats) -> Rejection {
        let mut supported = String::from(
            "application/json, application/x-www-form-urlencoded, multipart/form-data, text/plain, \
             application/octet-stream",
        );
        for known in formats.custom.iter().filter(|known| known.format.reads()) {
            supported.push_str(", ");
            supported.push_str(known.media_type);
        }
        Rejection::unsupported_media_type(essence, &supported)
    }

    /// Reads and deserializes the body.
    pub(crate) async fn read<T>(self, head: &Head, body: &mut Body) -> Result<T, Rejection>
    where
        T: DeserializeOwned,
    {
        if let Self::Multipart = self {
            // Boxed, so that the futures of other formats do not have its size.
            let form = Box::pin(multipart_as_form(head, std::mem::take(body))).await?;
            return from_form(form.as_bytes());
        }
        let bytes = body.collect().await?;
        self.read_bytes(&bytes)
    }

    fn read_bytes<T: DeserializeOwned>(self, bytes: &Bytes) -> Result<T, Rejection> {
        match self {
            Self::Json => from_json(bytes),
            Self::Form | Self::Multipart => {
                let text = utf8(bytes)?;
                // Checked here, because the deserializer replaces malformed escapes.
                form_pairs(text)?;
                from_form(bytes)
            }
            Self::Text => {
                T::deserialize(ValueDeserializer::Text(utf8(bytes)?)).map_err(|e| wrong_value(&e))
            }
            Self::Octets => T::deserialize(Octets(bytes)).map_err(|e| wrong_value(&e)),
            Self::Custom(format) => {
                let mut deserializer = format
                    .read(bytes)
                    .map_err(|problem| Rejection::malformed_body(problem.to_string()))?;
                serde_path_to_error::deserialize(&mut *deserializer)
                    .map_err(|error| unprocessable(error.path(), &error.inner().to_string()))
            }
        }
    }
}

/// Refuses bodies with a content coding: read as they are, they would be taken for something else.
fn check_coding(head: &Head) -> Result<(), Rejection> {
    for line in head.header_values(&CONTENT_ENCODING) {
        for name in line.split(|byte| *byte == b',') {
            let name = name.trim_ascii();
            if !name.is_empty() && !name.eq_ignore_ascii_case(b"identity") {
                let name = String::from_utf8_lossy(name);
                return Err(Rejection::unsupported_encoding(&name));
            }
        }
    }
    Ok(())
}

/// Whether a method reads this type: one that it names, or any if it names none.
fn consumed(consumes: &[&str], essence: &str) -> bool {
    consumes.is_empty()
        || consumes
            .iter()
            .any(|known| bare(known).eq_ignore_ascii_case(essence))
}

/// Encodes the text fields of a multipart form as a URL-encoded one.
async fn multipart_as_form(head: &Head, body: Body) -> Result<String, Rejection> {
    let fields = Multipart::new(head, body)?.text_fields().await?;
    serde_html_form::to_string(fields).map_err(Rejection::internal)
}

/// Whether the charset is UTF-8 or a subset; another one would be decoded wrongly.
fn is_utf8(content_type: &str) -> bool {
    content_type.split(';').skip(1).all(|parameter| {
        let Some((name, value)) = parameter.split_once('=') else {
            return true;
        };
        let value = value.trim().trim_matches('"');
        !name.trim().eq_ignore_ascii_case("charset")
            || value.eq_ignore_ascii_case("utf-8")
            || value.eq_ignore_ascii_case("utf8")
            || value.eq_ignore_ascii_case("us-ascii")
    })
}

fn utf8(bytes: &[u8]) -> Result<&str, Rejection> {
    std::str::from_utf8(bytes).map_err(|_| Rejection::malformed_body("expected UTF-8 text"))
}

fn wrong_value(problem: &dyn std::fmt::Display) -> Rejection {
    Rejection::unprocessable(vec![FieldError::new("", problem.to_string())])
}

fn unprocessable(path: &Path, detail: &str) -> Rejection {
    Rejection::unprocessable(vec![FieldError::new(pointer(path), detail)])
}

fn from_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Rejection> {
    serde_json::from_slice(bytes)
        .or_else(|error| with_whole_numbers(bytes).ok_or_else(|| explain_json::<T>(bytes, &error)))
}

/// Reads again with `7.0` as 7: it is an integer in JSON Schema and for many clients, but not for
/// serde. Only refused bodies are read again.
#[cold]
fn with_whole_numbers<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    if !bytes.windows(2).any(|pair| pair == b".0") {
        return None;
    }
    let mut value: Value = serde_json::from_slice(bytes).ok()?;
    if drop_zero_fractions(&mut value) {
        serde_json::from_value(value).ok()
    } else {
        None
    }
}

/// Replaces numbers such as `7.0` by integers, and returns whether there were any.
fn drop_zero_fractions(value: &mut Value) -> bool {
    match value {
        Value::Number(number) if number.is_f64() => {
            let shown = format!("{:.0}", number.as_f64().unwrap_or_default());
            // Beyond 2⁵³ an `f64` does not represent every integer.
            let whole = shown.parse::<i64>().ok().filter(|whole| {
                whole.unsigned_abs() <= 1 << 53 && number.as_f64() == shown.parse().ok()
            });
            if let Some(whole) = whole {
                *value = whole.into();
            }
            whole.is_some()
        }
        Value::Array(items) => items
            .iter_mut()
            .fold(false, |found, item| drop_zero_fractions(item) | found),
        Value::Object(entries) => entries
            .values_mut()
            .fold(false, |found, item| drop_zero_fractions(item) | found),
        _ => false,
    }
}

/// Reads again with the path of the error, which only failures pay for.
#[cold]
fn explain_json<T: DeserializeOwned>(bytes: &[u8], error: &serde_json::Error) -> Rejection {
    if bytes.is_empty() {
        return Rejection::malformed_body("the body is empty; expected JSON");
    }
    if error.classify() != Category::Data {
        return Rejection::malformed_body(format!("malformed JSON: {error}"));
    }
    // A wrong shape before a syntax error counts as a syntax error.
    if let Err(syntax) = serde_json::from_slice::<serde::de::IgnoredAny>(bytes) {
        return Rejection::malformed_body(format!("malformed JSON: {syntax}"));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    match serde_path_to_error::deserialize::<_, T>(&mut deserializer) {
        Ok(_) => wrong_value(&without_position(&error.to_string())),
        Err(tracked) => unprocessable(
            tracked.path(),
            without_position(&tracked.inner().to_string()),
        ),
    }
}

/// Removes line and column: the pointer already says where.
fn without_position(message: &str) -> &str {
    message
        .rsplit_once(" at line ")
        .map_or(message, |(message, _)| message)
}

fn from_form<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Rejection> {
    let deserializer = || serde_html_form::Deserializer::from_bytes(bytes);
    T::deserialize(deserializer()).map_err(|error| {
        match serde_path_to_error::deserialize::<_, T>(deserializer()) {
            Ok(_) => wrong_value(&error),
            Err(tracked) => unprocessable(tracked.path(), &tracked.inner().to_string()),
        }
    })
}

/// Returns the JSON pointer (RFC 6901) of a path in an entity.
pub(crate) fn pointer(path: &Path) -> String {
    let mut pointer = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => {
                pointer.push('/');
                pointer.push_str(&index.to_string());
            }
            Segment::Map { key } => {
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
            }
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    pointer
}
