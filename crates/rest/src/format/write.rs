//! Writes an entity in the negotiated format.

use http::header::HeaderValue;
use serde::Serialize;

use super::{ErasedEntity, Formats};
use crate::rejection::Rejection;
use crate::response::{ContentType, Payload};

/// The format a response is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Output {
    format: u8,
    /// Whether another client could get another format.
    pub(crate) vary: bool,
    /// Whether the client accepts no format: entities are not written.
    refused: bool,
}

const FIRST_CUSTOM: u8 = 2;

impl Output {
    pub(crate) const JSON: Self = Self {
        format: 0,
        vary: false,
        refused: false,
    };
    pub(crate) const TEXT: Self = Self {
        format: 1,
        vary: false,
        refused: false,
    };

    pub(crate) fn custom(index: usize) -> Self {
        let format = u8::try_from(index).unwrap_or(u8::MAX - FIRST_CUSTOM) + FIRST_CUSTOM;
        Self {
            format,
            vary: false,
            refused: false,
        }
    }

    /// Returns the format with the decision whether the client accepts it.
    pub(crate) fn refused_if(self, refused: bool) -> Self {
        Self { refused, ..self }
    }

    pub(crate) fn is_text(self) -> bool {
        self.format == Self::TEXT.format
    }

    /// Writes a value whose type is known.
    pub(crate) fn write<T: Serialize>(
        self,
        formats: &Formats,
        value: &T,
    ) -> Result<(ContentType, Payload), Rejection> {
        if self.format == Self::JSON.format && !self.refused {
            let mut out = Vec::with_capacity(128);
            serde_json::to_writer(&mut out, value).map_err(Rejection::internal)?;
            return Ok((ContentType::Json, out.into()));
        }
        self.write_erased(formats, value)
    }

    /// Writes a type-erased value.
    pub(crate) fn write_erased(
        self,
        formats: &Formats,
        value: &dyn ErasedEntity,
    ) -> Result<(ContentType, Payload), Rejection> {
        if self.refused {
            return Err(Rejection::not_acceptable(&formats.offered()));
        }
        let mut out = Vec::with_capacity(128);
        match self.format {
            0 => {
                serde_json::to_writer(&mut out, value).map_err(Rejection::internal)?;
                Ok((ContentType::Json, out.into()))
            }
            1 => Ok((ContentType::Plain, plain(value)?.into())),
            custom => {
                let Some(known) = formats.custom(usize::from(custom - FIRST_CUSTOM)) else {
                    return Err(Rejection::internal(
                        "the negotiated format is not registered",
                    ));
                };
                let format = &*known.format;
                format.write(value, &mut out).map_err(Rejection::internal)?;
                let content_type =
                    HeaderValue::from_str(known.content_type).map_err(Rejection::internal)?;
                Ok((content_type.into(), out.into()))
            }
        }
    }
}

/// Converts a single value to text.
fn plain(value: &dyn ErasedEntity) -> Result<String, Rejection> {
    match serde_json::to_value(value).map_err(Rejection::internal)? {
        serde_json::Value::String(text) => Ok(text),
        serde_json::Value::Null => Ok(String::new()),
        value @ (serde_json::Value::Bool(_) | serde_json::Value::Number(_)) => {
            Ok(value.to_string())
        }
        _ => Err(Rejection::internal(
            "a list or an object cannot be sent as text",
        )),
    }
}
