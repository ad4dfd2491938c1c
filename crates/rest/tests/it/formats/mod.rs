//! Reading by content type, writing by `Accept`.

mod custom;
mod negotiation;
mod reading;
mod settings;
