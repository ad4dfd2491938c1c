//! CBOR (RFC 8949), with the same data model as JSON.

mod de;
mod ser;

use serde::Deserialize;
use serde::de::IgnoredAny;

use self::de::CborReader;
use super::owned::owned;
use super::{ErasedDeserializer, ErasedEntity, Format};
use crate::rejection::Invalid;

/// CBOR for entities, both ways, with the feature `cbor`.
///
/// An entity has the same shape as in JSON: maps with the names of fields, enums by name, dates and
/// UUIDs as text, `()` as null. Bytes are bytes.
///
/// ```
/// use innkeeper_rest::testing::Client;
/// use innkeeper_rest::{App, Cbor, RestApi, resource};
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
/// let client = Client::new(App::new().mount("/", RestApi::new(Sums).register(Cbor))).unwrap();
/// let request = client.post("/sums").header("content-type", "application/cbor");
/// let request = request.header("accept", "application/cbor").body(vec![0x82, 0x01, 0x02]);
/// assert_eq!(request.send().await.bytes().as_ref(), [0x03]);
/// # });
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Cbor;

owned!(OwnedReader, CborReader<'de>, de::DecodeError);

impl Format for Cbor {
    fn media_type(&self) -> &'static str {
        "application/cbor"
    }

    fn write(&self, entity: &dyn ErasedEntity, out: &mut Vec<u8>) -> Result<(), Invalid> {
        ser::write(entity, out).map_err(Invalid::because)
    }

    fn reads(&self) -> bool {
        true
    }

    fn read<'de>(
        &self,
        bytes: &'de [u8],
    ) -> Result<Box<dyn ErasedDeserializer<'de> + 'de>, Invalid> {
        let malformed = |problem: &dyn std::fmt::Display| {
            Invalid::because(format_args!("malformed CBOR: {problem}"))
        };
        if bytes.is_empty() {
            return Err(Invalid::because("the body is empty; expected CBOR"));
        }
        // The whole body is checked first, so that a wrong shape before a syntax error counts as a
        // syntax error, and a recursive type is never read from a body that is nested too deep.
        let mut input = CborReader::new(bytes);
        IgnoredAny::deserialize(&mut input).map_err(|error| malformed(&error))?;
        if !input.is_empty() {
            return Err(malformed(&"unexpected bytes after the value"));
        }
        let whole = OwnedReader(CborReader::new(bytes));
        Ok(Box::new(<dyn ErasedDeserializer<'_>>::erase(whole)))
    }
}
