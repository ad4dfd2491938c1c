//! Why a password is refused as too weak.

use serde::Serialize;

/// The rules that a password breaks, worded for its owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct Weakness {
    /// One sentence per reason.
    pub message: String,
    /// Any of `length`, `characters` and `pwned`.
    pub reasons: Vec<&'static str>,
}

/// The sentence for the reason `pwned`.
pub(crate) const EASY_TO_GUESS: &str =
    "Password is known to be weak and easy to guess, please choose a different one.";

impl Weakness {
    /// Describes a password that is easy to guess.
    pub(crate) fn easy_to_guess() -> Self {
        Self {
            message: EASY_TO_GUESS.to_owned(),
            reasons: vec!["pwned"],
        }
    }
}
