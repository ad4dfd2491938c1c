//! The syntax of paths, queries, headers and values in text, without what they mean.

pub(crate) mod decode;
mod hex;
mod pairs;
mod text;
mod tokens;

pub(crate) use hex::{hex_digits, push_hex};
pub(crate) use pairs::{QueryPairs, pairs};
pub(crate) use text::{FOUND_LIST, ValueDeserializer, single_char};
pub(crate) use tokens::{is_token, parts, thousandths};
