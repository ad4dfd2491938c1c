//! A resource without its type.

use std::fmt;

use super::Call;
use super::dispatch::Dispatch;

/// A resource whose type is erased.
pub struct ErasedResource(Box<dyn DynResource>);

/// [`Resource`](crate::Resource) without the parts that need its type.
pub(crate) trait DynResource: Send + Sync {
    fn dispatch<'a>(&'a self, call: Call<'a>) -> Dispatch<'a>;
}

impl ErasedResource {
    pub(crate) fn new(resource: impl DynResource + 'static) -> Self {
        Self(Box::new(resource))
    }

    pub(crate) fn dispatch<'a>(&'a self, call: Call<'a>) -> Dispatch<'a> {
        self.0.dispatch(call)
    }
}

impl fmt::Debug for ErasedResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ErasedResource")
    }
}
