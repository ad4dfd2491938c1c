//! Rejections: their formats, limits and panics.

mod formats;
mod headers;
mod limits;
pub(crate) mod log;
mod panics;
mod scopes;
mod slow;
