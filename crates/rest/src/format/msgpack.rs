//! MessagePack, with the same data model as JSON.

use std::fmt;

use rmp_serde::config::{DefaultConfig, HumanReadableConfig};
use rmp_serde::decode::{Error, ReadRefReader};
use rmp_serde::{Deserializer, Serializer};
use serde::de::{self, IgnoredAny};
use serde::{Deserialize, Serialize};

use super::owned::owned;
use super::{ErasedDeserializer, ErasedEntity, Format};
use crate::rejection::Invalid;

/// MessagePack for entities, both ways, with the feature `msgpack`.
///
/// An entity has the same shape as in JSON: maps with the names of fields, enums by name, dates and
/// UUIDs as text. Bytes are bytes. Its media type is `application/msgpack`; older clients may use
/// `application/x-msgpack` or `application/vnd.msgpack`, and get a response with that media type.
///
/// ```
/// use innkeeper_rest::testing::Client;
/// use innkeeper_rest::{App, MessagePack, RestApi, resource};
///
/// struct Sums;
///
/// #[resource("/sums")]
/// impl Sums {
///     #[post]
///     fn sum(&self, numbers: Vec<u64>) -> u64 {
///         numbers.iter().sum()
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let api = RestApi::new(Sums).register(MessagePack);
/// let client = Client::new(App::new().mount("/", api)).unwrap();
/// let request = client.post("/sums").header("content-type", "application/msgpack");
/// let request = request.header("accept", "application/msgpack").body(vec![0x92, 0x01, 0x02]);
/// assert_eq!(request.send().await.bytes().as_ref(), [0x03]);
/// # });
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct MessagePack;

/// How deep lists and maps may be nested, as in JSON. The decoder's limit is exclusive.
const DEPTH: usize = 128 + 1;

owned!(
    OwnedDeserializer,
    Deserializer<ReadRefReader<'de, [u8]>, HumanReadableConfig<DefaultConfig>>,
    MessagePackError
);

/// Why a body cannot be read, in words for the client.
#[derive(Debug)]
struct MessagePackError(String);

impl fmt::Display for MessagePackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for MessagePackError {}

impl de::Error for MessagePackError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

impl From<Error> for MessagePackError {
    fn from(error: Error) -> Self {
        let text = error.to_string();
        // Errors of inner values arrive as text, so only the text can be examined.
        let message = match text.strip_prefix("wrong msgpack marker ") {
            Some(marker) => format!("invalid type: {}", noun(marker)),
            None if text.starts_with("array had incorrect length") => {
                "wrong number of items".to_owned()
            }
            None => text,
        };
        Self(message)
    }
}

/// Returns the type that a marker announces, by the decoder's name for it.
fn noun(marker: &str) -> &'static str {
    let nouns = [
        ("Null", "null"),
        ("True", "boolean"),
        ("False", "boolean"),
        ("FixStr", "string"),
        ("Str", "string"),
        ("Bin", "bytes"),
        ("FixArray", "list"),
        ("Array", "list"),
        ("FixMap", "map"),
        ("Map", "map"),
        ("F32", "floating point number"),
        ("F64", "floating point number"),
        ("FixExt", "extension"),
        ("Ext", "extension"),
    ];
    let found = nouns.iter().find(|(name, _)| marker.starts_with(name));
    found.map_or("integer", |(_, noun)| noun)
}

impl Format for MessagePack {
    fn media_type(&self) -> &'static str {
        "application/msgpack"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["application/x-msgpack", "application/vnd.msgpack"]
    }

    fn write(&self, entity: &dyn ErasedEntity, out: &mut Vec<u8>) -> Result<(), Invalid> {
        let mut serializer = Serializer::new(out).with_struct_map().with_human_readable();
        entity.serialize(&mut serializer).map_err(Invalid::because)
    }

    fn reads(&self) -> bool {
        true
    }

    fn read<'de>(
        &self,
        bytes: &'de [u8],
    ) -> Result<Box<dyn ErasedDeserializer<'de> + 'de>, Invalid> {
        if bytes.is_empty() {
            return Err(Invalid::because("the body is empty; expected MessagePack"));
        }
        // The whole body is checked first, so that a wrong shape before a syntax error counts as a
        // syntax error, and a recursive type is never read from a body that is nested too deep.
        let mut whole = Deserializer::new(bytes);
        whole.set_max_depth(DEPTH);
        IgnoredAny::deserialize(&mut whole).map_err(|error| malformed(&error))?;
        if !whole.into_inner().is_empty() {
            return Err(Invalid::because(
                "malformed MessagePack: unexpected bytes after the value",
            ));
        }
        let mut whole = Deserializer::from_read_ref(bytes);
        whole.set_max_depth(DEPTH);
        let whole = OwnedDeserializer(whole.with_human_readable());
        Ok(Box::new(<dyn ErasedDeserializer<'_>>::erase(whole)))
    }
}

fn malformed(error: &Error) -> Invalid {
    let problem = match error {
        Error::InvalidMarkerRead(_) | Error::InvalidDataRead(_) => "the body ends too early",
        Error::DepthLimitExceeded => "nested more than 128 levels deep",
        _ => "unexpected byte",
    };
    Invalid::because(format_args!("malformed MessagePack: {problem}"))
}
