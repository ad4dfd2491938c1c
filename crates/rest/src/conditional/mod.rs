//! Conditional requests: entity tags, modification dates and preconditions (RFC 9110, section 13).

mod apply;
mod date;
mod etag;
mod modifiers;
mod preconditions;
mod validators;

pub(crate) use apply::{apply, remove_content};
pub(crate) use date::parse_date;
pub use etag::ETag;
pub(crate) use etag::strong_match;
pub use preconditions::{PreconditionOutcome, Preconditions};
pub use validators::Validators;
