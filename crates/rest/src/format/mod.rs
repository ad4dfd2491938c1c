//! Formats: entities are read by their content type and written by what the client accepts.

mod accept;
#[cfg(feature = "cbor")]
mod cbor;
mod form;
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

pub(crate) use accept::Offers;
pub use accept::quality;
#[cfg(feature = "cbor")]
pub use cbor::Cbor;
pub(crate) use form::form_pairs;
#[cfg(feature = "msgpack")]
pub use msgpack::MessagePack;
pub(crate) use read::{EntityReader, pointer};
pub(crate) use write::Output;

use crate::head::Head;
use crate::rejection::Invalid;
use crate::syntax::is_token;

/// A deserializer of any type, which a format returns.
pub use erased_serde::Deserializer as ErasedDeserializer;
/// A serializable value of any type, which a format writes.
pub use erased_serde::Serialize as ErasedEntity;

/// A custom format, registered with [`RestApi::register`](crate::RestApi::register).
///
/// ```
/// use innkeeper_rest::{ErasedEntity, Format, Invalid};
///
/// /// One line per value, for people who read responses with `cut`.
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
    /// Returns the media type that selects it, without parameters. An application with a format whose media
    /// type or alias has parameters is not built.
    fn media_type(&self) -> &'static str;

    /// Returns other media types that select it. A response has the media type that was asked for.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the content type of responses, including parameters.
    fn content_type(&self) -> &'static str {
        self.media_type()
    }

    /// Writes an entity.
    fn write(&self, entity: &dyn ErasedEntity, out: &mut Vec<u8>) -> Result<(), Invalid>;

    /// Whether it can also read bodies.
    fn reads(&self) -> bool {
        false
    }

    /// Returns a deserializer for a body. An error is sent with 400.
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

/// A format under one of its media types.
#[derive(Clone)]
pub(crate) struct RegisteredFormat {
    pub(crate) media_type: &'static str,
    content_type: &'static str,
    format: Arc<dyn Format>,
}

/// The formats of a mount, besides JSON and text.
#[derive(Clone, Default)]
pub(crate) struct Formats {
    custom: Vec<RegisteredFormat>,
    /// Whether every body is read as JSON, whatever its content type.
    pub(crate) json_only: bool,
}

impl Formats {
    /// Adds a format, replacing an earlier one with the same media type.
    pub(crate) fn register(&mut self, format: impl Format) {
        let format: Arc<dyn Format> = Arc::new(format);
        let aliases = format.aliases().iter().map(|alias| (*alias, *alias));
        let names = [(format.media_type(), format.content_type())];
        for (media_type, content_type) in names.into_iter().chain(aliases) {
            self.custom.retain(|known| known.media_type != media_type);
            self.custom.push(RegisteredFormat {
                media_type,
                content_type,
                format: Arc::clone(&format),
            });
        }
    }

    /// Returns the media types of the registered formats that can read.
    #[cfg(feature = "openapi")]
    pub(crate) fn readable(&self) -> impl Iterator<Item = &'static str> {
        let formats = self.custom.iter().filter(|known| known.format.reads());
        formats.map(|known| known.media_type)
    }

    /// Returns the media types of entities, best first.
    fn offered(&self) -> String {
        let custom = self.custom.iter().map(|known| known.media_type);
        let all: Vec<&str> = std::iter::once("application/json").chain(custom).collect();
        all.join(", ")
    }

    /// Returns what is wrong with the registered media types.
    pub(crate) fn problems(&self) -> impl Iterator<Item = String> {
        let media_types = self.custom.iter().map(|known| known.media_type);
        let wrong = media_types.filter(|media_type| !is_media_type(media_type));
        wrong.map(|media_type| {
            format!(
                "a format has the media type `{media_type}`: write it as `type/subtype`, and parameters \
                 in `content_type`"
            )
        })
    }

    fn custom(&self, index: usize) -> Option<&RegisteredFormat> {
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

/// Whether this is a media type without parameters.
fn is_media_type(text: &str) -> bool {
    let parts = text.split_once('/');
    parts.is_some_and(|(main, sub)| is_token(main) && is_token(sub))
}

/// Returns the media type of a body, in lower case and without parameters.
pub(crate) fn essence(head: &Head) -> Option<String> {
    let value = head.header_text(CONTENT_TYPE)?;
    let essence = value.split(';').next().unwrap_or_default().trim();
    if essence.is_empty() {
        None
    } else {
        Some(essence.to_ascii_lowercase())
    }
}
