//! The levels of values that filters set.

use super::Probe;
use crate::call::Call;
use crate::rejection::Rejection;
use crate::source;

pub trait ValueOptional {
    type Read;
    fn value(&self, call: &Call<'_>, name: Option<&str>) -> Result<Self::Read, Rejection>;
}

impl<T: Clone + Send + Sync + 'static> ValueOptional for &Probe<Option<T>> {
    type Read = Option<T>;
    fn value(&self, call: &Call<'_>, name: Option<&str>) -> Result<Option<T>, Rejection> {
        let values = call.request.values();
        Ok(match name {
            Some(name) => values.get_named::<T>(name).cloned(),
            None => values.get::<T>().cloned(),
        })
    }
}

pub trait ValueRequired {
    type Read;
    fn value(&self, call: &Call<'_>, name: Option<&str>) -> Result<Self::Read, Rejection>
    where
        Self::Read: Clone + Send + Sync + 'static;
}

impl<T> ValueRequired for Probe<T> {
    type Read = T;
    fn value(&self, call: &Call<'_>, name: Option<&str>) -> Result<T, Rejection>
    where
        T: Clone + Send + Sync + 'static,
    {
        match name {
            Some(name) => source::value_named(call, name),
            None => source::value_typed(call),
        }
    }
}

/// Returns a value that a filter has set.
#[macro_export]
#[doc(hidden)]
macro_rules! __value {
    ($type:ty, $call:expr) => {
        $crate::__value!(@ $type, $call, ::core::option::Option::None)
    };
    ($type:ty, $call:expr, $name:expr) => {
        $crate::__value!(@ $type, $call, ::core::option::Option::Some($name))
    };
    (@ $type:ty, $call:expr, $name:expr) => {{
        #[allow(unused_imports)]
        use $crate::__private::autoref::{ValueOptional as _, ValueRequired as _};
        (&&$crate::__private::autoref::Probe::<$type>::NEW).value($call, $name)
    }};
}
