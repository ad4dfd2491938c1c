//! Formats: how entities are read by content type and written by what the client accepts.

mod accept;
#[cfg(feature = "cbor")]
mod cbor;
#[cfg(feature = "msgpack")]
mod msgpack;
mod octets;
#[cfg(any(feature = "cbor", feature = "msgpack"))]
mod owned;
mod read;
mod write;

use std::fmt;
use std::sync::Arc;

use http::header::CONTENT_TYPE;

pub use accept::quality;
pub(crate) use accept::{Offers, is_token, parts, thousandths};
#[cfg(feature = "cbor")]
pub use cbor::Cbor;
#[cfg(feature = "msgpack")]
pub use msgpack::MessagePack;
pub(crate) use read::{Reader, pointer};
pub(crate) use write::Output;

use crate::head::Head;
use crate::source::Invalid;

/// A value on its way out of a format.
pub use erased_serde::Deserializer as ErasedDeserializer;
/// A value on its way into a format.
pub use erased_serde::Serialize as ErasedEntity;

/// A format of its own, registered with [`RestApi::register`](crate::RestApi::register).
///
/// ```
/// use innkeeper_rest::{ErasedEntity, Format, Invalid};
///
/// /// One line per value, for people who read answers with `cut`.
/// struct Lines;
///
/// impl Format for Lines {
///     fn media_type(&self) -> &'static str {
///         "text/x-lines"
///     }
///
///     fn write(&self, entity: &dyn ErasedEntity, out: &mut Vec<u8>) -> Result<(), Invalid> {
///         let value = serde_json::to_value(entity).map_err(Invalid::because)?;
///         for (name, value) in value.as_object().into_iter().flatten() {
///             out.extend_from_slice(format!("{name}\t{value}\n").as_bytes());
///         }
///         Ok(())
///     }
/// }
/// ```
pub trait Format: Send + Sync + 'static {
    /// The media type that selects it, without parameters.
    fn media_type(&self) -> &'static str;

    /// Other media types that select it. What is asked for under one of them is sent as it.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// The content type of what it writes, parameters included.
    fn content_type(&self) -> &'static str {
        self.media_type()
    }

    /// Writes an entity.
    fn write(&self, entity: &dyn ErasedEntity, out: &mut Vec<u8>) -> Result<(), Invalid>;

    /// Whether it can read.
    fn reads(&self) -> bool {
        false
    }

    /// Makes a deserializer over a body. The error is sent with 400.
    fn read<'de>(
        &self,
        bytes: &'de [u8],
    ) -> Result<Box<dyn ErasedDeserializer<'de> + 'de>, Invalid> {
        let _ = bytes;
        Err(Invalid::because(format_args!(
            "{} cannot be read",
            self.media_type()
        )))
    }
}

/// A format under one of its names.
#[derive(Clone)]
pub(crate) struct Known {
    pub(crate) media_type: &'static str,
    content_type: &'static str,
    format: Arc<dyn Format>,
}

/// The formats of a mount. JSON and text are always there.
#[derive(Clone, Default)]
pub(crate) struct Formats {
    custom: Vec<Known>,
    /// Read every body as JSON, whatever its content type.
    pub(crate) json_only: bool,
}

impl Formats {
    /// Adds a format; one with the media type of an earlier one replaces it.
    pub(crate) fn register(&mut self, format: impl Format) {
        let format: Arc<dyn Format> = Arc::new(format);
        let aliases = format.aliases().iter().map(|alias| (*alias, *alias));
        let names = [(format.media_type(), format.content_type())];
        for (media_type, content_type) in names.into_iter().chain(aliases) {
            self.custom.retain(|known| known.media_type != media_type);
            self.custom.push(Known {
                media_type,
                content_type,
                format: Arc::clone(&format),
            });
        }
    }

    /// The media types of the registered formats that read.
    #[cfg(feature = "openapi")]
    pub(crate) fn readable(&self) -> impl Iterator<Item = &'static str> {
        let formats = self.custom.iter().filter(|known| known.format.reads());
        formats.map(|known| known.media_type)
    }

    fn custom(&self, index: usize) -> Option<&Known> {
        self.custom.get(index)
    }
}

impl fmt::Debug for Formats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.custom.iter().map(|known| known.media_type))
            .finish()
    }
}

/// The media type of a body, in lower case and without parameters.
pub(crate) fn essence(head: &Head) -> Option<String> {
    let value = head.header_text(CONTENT_TYPE)?;
    let essence = value.split(';').next().unwrap_or_default().trim();
    if essence.is_empty() {
        None
    } else {
        Some(essence.to_ascii_lowercase())
    }
}
