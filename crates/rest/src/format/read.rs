//! Reading an entity in the format its content type says.

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::error::Category;
use serde_path_to_error::{Path, Segment};

use super::accept::bare;
use super::octets::Octets;
use super::{Format, Formats, essence};
use crate::body::Body;
use crate::head::Head;
use crate::multipart::Multipart;
use crate::rejection::{FieldError, Rejection};
use crate::resource::Call;
use crate::source::ValueDeserializer;

/// What reads a body.
#[derive(Clone, Copy)]
pub(crate) enum Reader<'f> {
    Json,
    Form,
    Multipart,
    Text,
    Octets,
    Custom(&'f dyn Format),
}

impl<'f> Reader<'f> {
    /// The reader for the content type of this request, or 415.
    pub(crate) fn choose<'c: 'f>(call: &'c Call<'_>) -> Result<Self, Rejection> {
        let formats = call.scope.formats();
        let head = call.request.head();
        let Some(content_type) = head.header_values(&CONTENT_TYPE).next() else {
            return if formats.json_only || consumed(call.route.consumes, "application/json") {
                Ok(Self::Json)
            } else {
                let consumes = call.route.consumes.join(", ");
                Err(Rejection::unsupported_media_type(
                    "application/json",
                    &consumes,
                ))
            };
        };
        // By far the most common type, so it is not taken apart.
        let consumes = call.route.consumes;
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

    /// Whether it reads names and values, of which an empty body has none.
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

    /// Reads the body.
    pub(crate) async fn read<T>(self, head: &Head, body: &mut Body) -> Result<T, Rejection>
    where
        T: DeserializeOwned,
    {
        if let Self::Multipart = self {
            // Boxed: other bodies should not carry the room it needs about.
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
                // Checked here because the form reader replaces what it cannot decode.
                crate::source::form_pairs(text)?;
                from_form(bytes)
            }
            Self::Text => {
                T::deserialize(ValueDeserializer::Text(utf8(bytes)?)).map_err(|e| whole(&e))
            }
            Self::Octets => T::deserialize(Octets(bytes)).map_err(|e| whole(&e)),
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

/// Whether a method reads this type: those it names, or all if it names none.
fn consumed(consumes: &[&str], essence: &str) -> bool {
    consumes.is_empty()
        || consumes
            .iter()
            .any(|known| bare(known).eq_ignore_ascii_case(essence))
}

/// The text fields of a multipart form, written as an ordinary one.
async fn multipart_as_form(head: &Head, body: Body) -> Result<String, Rejection> {
    let fields = Multipart::new(head, body)?.text_fields().await?;
    serde_html_form::to_string(fields).map_err(Rejection::internal)
}

/// Only UTF-8 is read; another charset would be read wrongly.
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

fn whole(problem: &dyn std::fmt::Display) -> Rejection {
    Rejection::unprocessable(vec![FieldError::new("", problem.to_string())])
}

fn unprocessable(path: &Path, detail: &str) -> Rejection {
    Rejection::unprocessable(vec![FieldError::new(pointer(path), detail)])
}

fn from_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Rejection> {
    serde_json::from_slice(bytes)
        .or_else(|error| with_whole_numbers(bytes).ok_or_else(|| explain_json::<T>(bytes, &error)))
}

/// `7.0` is a whole number in JSON Schema and for many clients, but not for serde. Only what has been
/// refused is looked at again.
#[cold]
fn with_whole_numbers<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    if !bytes.windows(2).any(|pair| pair == b".0") {
        return None;
    }
    let mut value: Value = serde_json::from_slice(bytes).ok()?;
    if shorten(&mut value) {
        serde_json::from_value(value).ok()
    } else {
        None
    }
}

/// Writes whole numbers without a fraction, and says whether there were any.
fn shorten(value: &mut Value) -> bool {
    match value {
        Value::Number(number) if number.is_f64() => {
            let shown = format!("{:.0}", number.as_f64().unwrap_or_default());
            // Beyond this not every whole number is a number of its own.
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
            .fold(false, |found, item| shorten(item) | found),
        Value::Object(entries) => entries
            .values_mut()
            .fold(false, |found, item| shorten(item) | found),
        _ => false,
    }
}

/// Reads once more, this time keeping track of where it is: only a failure pays for that.
#[cold]
fn explain_json<T: DeserializeOwned>(bytes: &[u8], error: &serde_json::Error) -> Rejection {
    if bytes.is_empty() {
        return Rejection::malformed_body("the body is empty; expected JSON");
    }
    if error.classify() != Category::Data {
        return Rejection::malformed_body(format!("malformed JSON: {error}"));
    }
    // A wrong shape in front of broken syntax is broken syntax.
    if let Err(syntax) = serde_json::from_slice::<serde::de::IgnoredAny>(bytes) {
        return Rejection::malformed_body(format!("malformed JSON: {syntax}"));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    match serde_path_to_error::deserialize::<_, T>(&mut deserializer) {
        Ok(_) => whole(&without_place(&error.to_string())),
        Err(tracked) => unprocessable(tracked.path(), without_place(&tracked.inner().to_string())),
    }
}

/// The pointer says where; line and column would say it again.
fn without_place(message: &str) -> &str {
    message
        .rsplit_once(" at line ")
        .map_or(message, |(message, _)| message)
}

fn from_form<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Rejection> {
    let deserializer = || serde_html_form::Deserializer::from_bytes(bytes);
    T::deserialize(deserializer()).map_err(|error| {
        match serde_path_to_error::deserialize::<_, T>(deserializer()) {
            Ok(_) => whole(&error),
            Err(tracked) => unprocessable(tracked.path(), &tracked.inner().to_string()),
        }
    })
}

/// The JSON pointer (RFC 6901) of a place in an entity.
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
