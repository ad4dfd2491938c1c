//! Sessions and their refresh tokens.

pub(crate) mod end;
pub(crate) mod issue;
pub(crate) mod rotation;
pub mod token;
pub(crate) mod validity;

pub(crate) use crate::model::SessionRecord;
