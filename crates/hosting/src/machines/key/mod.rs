//! API keys: their format, the check of a key, and one-time tickets made with them.

mod checker;
mod error;
mod format;
mod peppers;
#[cfg(test)]
mod tests;
pub(crate) mod ticket;
mod uses;
mod verified;

pub(crate) use checker::KeyChecker;
pub(crate) use error::KeyError;
pub(crate) use format::{GeneratedKey, PREFIX};
pub(crate) use peppers::Peppers;
pub(crate) use verified::VerifiedKey;
