//! Tokens and their keys, passwords, sealed values and the signatures of authenticators.

pub mod jwt;
pub mod password;
pub mod seal;
pub(crate) mod signing;
pub(crate) mod webauthn;
