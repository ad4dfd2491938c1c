//! Other services: mail and text messages, hooks, captchas and identity providers.

pub(crate) mod captcha;
pub(crate) mod external;
pub(crate) mod hook;
pub mod mail;
pub(crate) mod outbox;
pub(crate) mod sms;
