//! `POST /token`: the ways to get a pair of tokens.

pub(crate) mod password;
pub(crate) mod pkce;
mod presented;
pub(crate) mod refresh;
