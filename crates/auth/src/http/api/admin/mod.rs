//! `/admin/…`: endpoints for operators. Every route requires a token with an admin role.

pub(crate) mod audit;
pub(crate) mod custom_providers;
pub(crate) mod factors;
pub(crate) mod generate_link;
pub(crate) mod mail;
pub(crate) mod paging;
pub(crate) mod passkeys;
pub(crate) mod users;
