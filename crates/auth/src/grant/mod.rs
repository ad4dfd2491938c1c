//! `POST /token`: the ways to get a pair of tokens.

pub(crate) mod legacy;
pub(crate) mod password;
pub(crate) mod pkce;
pub(crate) mod refresh;
