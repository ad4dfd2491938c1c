//! What the server decides and does. Endpoints and pages call it, and it knows nothing of them.

pub(crate) mod caller;
pub(crate) mod cleanup;
pub(crate) mod custom_provider;
pub(crate) mod factor;
pub(crate) mod grant;
pub(crate) mod hook;
pub(crate) mod identity;
pub(crate) mod one_time;
pub(crate) mod operate;
pub(crate) mod passkey;
pub(crate) mod response_timer;
pub mod session;
pub(crate) mod user;
