//! MessagePack, with the same documents as JSON.

use std::fmt;

use rmp_serde::config::{DefaultConfig, HumanReadableConfig};
use rmp_serde::decode::{Error, ReadRefReader};
use rmp_serde::{Deserializer, Serializer};
use serde::de::{self, IgnoredAny};
use serde::{Deserialize, Serialize};

use super::owned::owned;
use super::{ErasedDeserializer, ErasedEntity, Format};
use crate::source::Invalid;

/// MessagePack for entities, both ways, with the feature `msgpack`.
///
/// An entity has the same shape as in JSON: maps with the names of fields, enums by name, dates and
/// UUIDs as text. Bytes are bytes. It is known as `application/msgpack`, and for clients of older days
/// as `application/x-msgpack` and `application/vnd.msgpack`; an answer is called what was asked for.
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

/// How deep lists and maps may be nested, as in JSON. The reader counts down to zero, exclusively.
const DEPTH: usize = 128 + 1;

owned!(
    Owned,
    Deserializer<ReadRefReader<'de, [u8]>, HumanReadableConfig<DefaultConfig>>,
    Explained
);

/// What is wrong with a document, in words for whoever sent it.
#[derive(Debug)]
struct Explained(String);

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Explained {}

impl de::Error for Explained {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

impl From<Error> for Explained {
    fn from(error: Error) -> Self {
        let told = error.to_string();
        // Faults of inner values arrive as text, so the text is what can be looked at.
        let explained = match told.strip_prefix("wrong msgpack marker ") {
            Some(marker) => format!("invalid type: {}", noun(marker)),
            None if told.starts_with("array had incorrect length") => {
                "there are more or fewer items than expected".to_owned()
            }
            None => told,
        };
        Self(explained)
    }
}

/// What a marker announces, by the name the reader gives it.
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
        // All of it is looked at once, so that a wrong shape in front of broken syntax is broken
        // syntax, and what is nested too deep is not met by a type that would follow it.
        let mut whole = Deserializer::new(bytes);
        whole.set_max_depth(DEPTH);
        IgnoredAny::deserialize(&mut whole).map_err(|error| malformed(&error))?;
        if !whole.into_inner().is_empty() {
            return Err(Invalid::because(
                "malformed MessagePack: there are bytes after the value",
            ));
        }
        let mut whole = Deserializer::from_read_ref(bytes);
        whole.set_max_depth(DEPTH);
        let whole = Owned(whole.with_human_readable());
        Ok(Box::new(<dyn ErasedDeserializer<'_>>::erase(whole)))
    }
}

fn malformed(error: &Error) -> Invalid {
    let problem = match error {
        Error::InvalidMarkerRead(_) | Error::InvalidDataRead(_) => "the body ends too early",
        Error::DepthLimitExceeded => "it is nested more than 128 deep",
        _ => "a byte that means nothing here",
    };
    Invalid::because(format_args!("malformed MessagePack: {problem}"))
}
