//! Flows that create, change and delete users.

pub(crate) mod admin;
pub(crate) mod anonymous;
pub(crate) mod bounds;
pub(crate) mod change;
pub(crate) mod conflict;
pub(crate) mod delete;
pub(crate) mod email_change;
pub(crate) mod metadata;
pub(crate) mod nonce;
pub(crate) mod notify;
pub(crate) mod password;
pub(crate) mod passwordless;
pub(crate) mod pending;
mod shown;
pub(crate) mod signup;
pub(crate) mod verified_contact;

pub(crate) use crate::model::{Identity, Object, User};
