//! `/admin/…`: what operators do. Every route needs a token of an admin role.

pub(crate) mod audit;
pub(crate) mod generate_link;
pub(crate) mod mail;
pub(crate) mod paging;
pub(crate) mod users;
