//! Flows that create, change and delete users.

pub(crate) mod account;
pub(crate) mod admin;
pub(crate) mod anonymous;
mod autoconfirm;
pub(crate) mod bounds;
pub(crate) mod by_contact;
pub(crate) mod change;
pub(crate) mod conflict;
pub(crate) mod delete;
pub(crate) mod email_change;
pub(crate) mod metadata;
pub(crate) mod nonce;
pub(crate) mod notify;
pub(crate) mod password;
pub(crate) mod password_change;
pub(crate) mod passwordless;
pub(crate) mod pending;
pub(crate) mod phone_change;
pub(crate) mod phone_code;
mod shown;
pub(crate) mod signup;
pub(crate) mod signup_request;
pub(crate) mod verified_contact;

pub(crate) use crate::model::{Identity, Object, User};
