//! Reading by content type, writing by `Accept`.

mod binary;
mod custom;
mod negotiation;
mod reading;
mod responses;
mod settings;
