//! Records of the database that `store` reads, the flows decide on, and `api` shows.

mod amr;
mod session;
mod user;

pub use amr::Amr;
pub(crate) use amr::seconds;
pub(crate) use session::SessionRecord;
pub(crate) use user::{Factor, Identity, Object, User};
