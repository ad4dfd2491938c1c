//! The grants of `POST /token`: the ways to get an access token and a refresh token.

pub(crate) mod id_token;
pub(crate) mod password;
pub(crate) mod pkce;
mod presented;
pub(crate) mod refresh;
