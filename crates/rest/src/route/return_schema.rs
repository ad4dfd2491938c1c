//! The description of a return type: its value, and its errors.

use super::attributes::Responds;
use super::schemas::TypeSchema;

/// The description of a return type in a document.
#[derive(Debug)]
pub struct ReturnSchema {
    /// The value of a success.
    pub value: TypeSchema,
    /// The status and media type that the value always has.
    pub constants: ReplyConstants,
    /// The errors.
    pub errors: ErrorResponses,
}

/// The status and media type that a value always has; `None` where they vary.
#[derive(Debug, Default)]
pub struct ReplyConstants {
    /// The status code.
    pub status: Option<u16>,
    /// The media type of the content.
    pub media_type: Option<&'static str>,
}

/// The errors that a return type can end with.
#[derive(Debug)]
pub enum ErrorResponses {
    /// These and no others, as `#[derive(ApiError)]` lists them.
    Listed(Vec<Responds>),
    /// Any status.
    Unknown,
}

impl ReturnSchema {
    /// Describes a return type of which nothing is known.
    pub fn unknown() -> Self {
        Self {
            value: TypeSchema::unknown(),
            constants: ReplyConstants::default(),
            errors: ErrorResponses::Unknown,
        }
    }
}
