//! Request bodies, read as leniently as GoTrue reads them.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;

/// How deep a body may nest. Stored parts of it come back with some levels around them, and must then still
/// be below the limit of the parser, which is 128.
const MAX_DEPTH: usize = 100;

/// A JSON body; `null` counts as an empty object.
#[derive(Debug, Default)]
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<'de, T: DeserializeOwned + Default> Deserialize<'de> for JsonBody<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let body = Value::deserialize(deserializer)?;
        let body = read_value(body).map_err(D::Error::custom)?;
        Ok(Self(body.unwrap_or_default()))
    }
}

/// As [`JsonBody`], with the captcha token that it may contain.
#[derive(Debug, Default)]
pub(crate) struct CaptchaBody<T> {
    pub(crate) body: T,
    /// `captcha_token`, at the top or in `gotrue_meta_security`.
    pub(crate) captcha: Option<String>,
}

impl<'de, T: DeserializeOwned + Default> Deserialize<'de> for CaptchaBody<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let body = Value::deserialize(deserializer)?;
        let captcha = ["/gotrue_meta_security/captcha_token", "/captcha_token"]
            .iter()
            .filter_map(|pointer| body.pointer(pointer)?.as_str())
            .find(|token| !token.is_empty())
            .map(str::to_owned);
        let body = read_value(body).map_err(D::Error::custom)?;
        Ok(Self {
            body: body.unwrap_or_default(),
            captcha,
        })
    }
}

impl<T> From<T> for CaptchaBody<T> {
    /// Makes a body without a captcha token.
    fn from(body: T) -> Self {
        Self {
            body,
            captcha: None,
        }
    }
}

impl<T: JsonSchema> JsonSchema for CaptchaBody<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        JsonBody::<T>::json_schema(generator)
    }
}

impl<T: JsonSchema> JsonSchema for JsonBody<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let body = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [body, { "type": "null" }] })
    }
}

/// The body `{}` of a response that has nothing to report.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Empty")]
pub(crate) struct EmptyObject {}

/// Parses a body as JSON, whatever its content type; `null` is `None`.
pub(crate) fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<Option<T>> {
    serde_json::from_slice(bytes)
        .map_err(|error| error.to_string())
        .and_then(read_value)
        .map_err(|error| {
            AuthError::refused(
                ErrorCode::BadJson,
                format!("Could not parse request body as JSON: {error}"),
            )
        })
}

/// Converts an object into its type, and refuses values that cannot be stored.
fn read_value<T: DeserializeOwned>(body: Value) -> std::result::Result<Option<T>, String> {
    match &body {
        Value::Null => return Ok(None),
        Value::Object(_) => check(&body, MAX_DEPTH)?,
        _ => return Err("expected an object".to_owned()),
    }
    serde_path_to_error::deserialize(body)
        .map(Some)
        .map_err(|error| explain(&error))
}

/// Says where a value is wrong and what is expected there. The value itself may be a password, so it is
/// left out.
fn explain(error: &serde_path_to_error::Error<serde_json::Error>) -> String {
    let text = error.inner().to_string();
    let expected = text
        .rsplit_once(", expected ")
        .map_or("something else", |(_, expected)| expected);
    format!("{}: expected {expected}", error.path())
}

/// Refuses values that PostgreSQL cannot store, which are texts with U+0000, and nesting that is too deep.
fn check(value: &Value, levels: usize) -> std::result::Result<(), &'static str> {
    if levels == 0 {
        return Err("it nests too deeply");
    }
    let has_nul = |text: &str| text.contains('\0');
    let levels = levels.saturating_sub(1);
    match value {
        Value::String(text) if has_nul(text) => Err(NUL),
        Value::Array(elements) => elements
            .iter()
            .try_for_each(|element| check(element, levels)),
        Value::Object(members) => members.iter().try_for_each(|(name, value)| {
            if has_nul(name) {
                return Err(NUL);
            }
            check(value, levels)
        }),
        _ => Ok(()),
    }
}

const NUL: &str = "a text holds the character U+0000";

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::{JsonBody, read_json};

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(default)]
    struct Body {
        email: Option<String>,
        data: Option<serde_json::Value>,
    }

    fn read(text: &str) -> Result<Body, String> {
        let direct = read_json::<Body>(text.as_bytes())
            .map(Option::unwrap_or_default)
            .map_err(|error| error.to_string());
        let lenient = serde_json::from_str::<JsonBody<Body>>(text);
        assert_eq!(direct.is_ok(), lenient.is_ok(), "{text}");
        direct
    }

    #[test]
    fn null_counts_as_an_empty_object_and_unknown_members_as_absent() {
        assert_eq!(read("null"), Ok(Body::default()));
        assert_eq!(read("{}"), Ok(Body::default()));
        assert_eq!(read(r#"{"email":null,"more":[1]}"#), Ok(Body::default()));
        let email = Some("ada@example.com".to_owned());
        let body = Body { email, data: None };
        assert_eq!(read(r#"{"email":"ada@example.com"}"#), Ok(body));
    }

    #[test]
    fn other_bodies_are_refused_with_the_path_of_the_error() {
        for (text, problem) in [
            ("", "EOF while parsing"),
            (r#"{"email":"ada"#, "EOF while parsing"),
            ("[]", "expected an object"),
            ("\"ada@example.com\"", "expected an object"),
            ("7", "expected an object"),
            (r#"{"email":7}"#, ": email: expected a string"),
            (r#"{"email":["secret"]}"#, ": email: expected a string"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(problem), "{text}: {error}");
            assert!(!error.contains("secret"), "{text}: {error}");
        }
    }

    #[test]
    fn text_that_no_database_takes_is_refused_wherever_it_stands() {
        for text in [
            r#"{"email":"a\u0000b"}"#,
            r#"{"data":{"name":"\u0000"}}"#,
            r#"{"data":{"na\u0000me":1}}"#,
            r#"{"data":[[{"a":["\u0000"]}]]}"#,
            r#"{"more\u0000":1}"#,
        ] {
            assert!(read(text).unwrap_err().contains("U+0000"), "{text}");
        }
        // An escaped backslash in front makes it six ordinary letters.
        assert!(read(r#"{"email":"a\\u0000b"}"#).is_ok());
    }

    #[test]
    fn nesting_has_an_end() {
        let nested = |levels: usize| {
            let open = "[".repeat(levels);
            let close = "]".repeat(levels);
            format!(r#"{{"data":{open}{close}}}"#)
        };
        assert!(read(&nested(99)).is_ok());
        assert!(read(&nested(100)).unwrap_err().contains("too deeply"));
        assert!(read(&nested(1000)).is_err());
    }
}
