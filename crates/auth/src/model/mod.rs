//! Records of the database that `store` reads, the flows decide on, and `api` shows.

mod session;
mod user;

pub(crate) use session::SessionRecord;
pub(crate) use user::{Factor, Identity, Object, User};
