//! Entity tags, dates of modification, and the requests that depend on them (RFC 9110, section 13).

mod apply;
mod date;
mod etag;
mod preconditions;
mod validators;

pub(crate) use apply::{apply, forget_content};
pub(crate) use date::{date_value, parse_date};
pub use etag::ETag;
pub(crate) use etag::strong_match;
pub use preconditions::{Preconditions, Verdict};
pub use validators::Validators;
