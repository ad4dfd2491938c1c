//! Ids in paths, as clients write them.

use std::fmt;

use innkeeper_rest::{FromParam, Invalid};
use schemars::JsonSchema;

/// The id of a machine or an action in a path, which may be one that nothing can have.
///
/// A segment that is not text, such as `%zz`, is an id that nothing has. Clients must not be able to tell
/// malformed ids from missing ones, and get no answer about either without a valid key.
#[derive(Debug, Clone, Copy, JsonSchema)]
#[schemars(transparent)]
pub(crate) struct GivenId<'r>(pub(crate) &'r str);

impl<'r> FromParam<'r> for GivenId<'r> {
    fn from_param(text: &'r str) -> Result<Self, Invalid> {
        Ok(Self(text))
    }

    fn from_undecodable(_: Invalid) -> Result<Self, Invalid> {
        Ok(Self(""))
    }
}

impl fmt::Display for GivenId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
