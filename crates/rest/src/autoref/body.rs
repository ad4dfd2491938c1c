//! The ladders of bodies: entities, streams, text.

use std::future::{Ready, ready};

use serde::de::DeserializeOwned;

use super::Probe;
use crate::body::Body;
use crate::rejection::Rejection;
use crate::resource::Call;
use crate::source::{self, FromBody, FromBodyText};

macro_rules! entity_levels {
    ($($trait:ident [$($refs:tt)*] <$type:ty> ($($bound:tt)*) $read:path;)*) => {$(
        pub trait $trait {
            type Read;
            fn entity(
                &self,
                call: &Call<'_>,
                body: Body,
            ) -> impl Future<Output = Result<Self::Read, Rejection>>;
        }

        impl<T: $($bound)*> $trait for $($refs)* Probe<$type> {
            type Read = $type;
            fn entity(
                &self,
                call: &Call<'_>,
                body: Body,
            ) -> impl Future<Output = Result<$type, Rejection>> {
                $read(call, body)
            }
        }
    )*};
}
entity_levels! {
    EntityBody [&&&] <T> (FromBody) source::read_from_body;
    EntityOptional [&&] <Option<T>> (DeserializeOwned) source::read_optional;
    EntityDeserialized [&] <T> (DeserializeOwned) source::read_deserialized;
}

/// The last rung of all that reads a body. Its futures are not built on the type, or each step of
/// waiting for one would be an error of its own.
pub trait BodyUnsupported {
    type Read;
    fn entity(&self, _: &Call<'_>, _: Body) -> Ready<Result<Self::Read, Rejection>>
    where
        Self::Read: Entity,
    {
        ready(Err(Rejection::internal("a type that is no entity")))
    }
    fn stream(&self, _: &Call<'_>, _: Body) -> Ready<Result<Self::Read, Rejection>>
    where
        Self::Read: BodyStream,
    {
        ready(Err(Rejection::internal("a type that is no stream")))
    }
    fn text(&self, _: &Call<'_>, _: Body) -> Ready<Result<Self::Read, Rejection>>
    where
        Self::Read: BodyText,
    {
        ready(Err(Rejection::internal("a type that is no text")))
    }
}

impl<T> BodyUnsupported for Probe<T> {
    type Read = T;
}

/// Asked for when nothing else fits `#[entity]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from a request body",
    label = "this type is no entity",
    note = "derive `serde::Deserialize` for it, or implement `innkeeper_rest::FromBody`"
)]
pub trait Entity {}

/// Asked for when nothing else fits `#[stream]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot take over a request body",
    label = "this type is no stream",
    note = "write `innkeeper_rest::Body` or `innkeeper_rest::Multipart`, or implement \
        `innkeeper_rest::FromBody`"
)]
pub trait BodyStream {}

/// Asked for when nothing else fits `#[body]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold a request body as text",
    label = "this type is no text",
    note = "write `String`, `&str`, `Bytes` or `Vec<u8>`; for other types use `#[entity]`"
)]
pub trait BodyText {}

macro_rules! body_levels {
    ($trait:ident $method:ident $bound:path, $read:path) => {
        pub trait $trait {
            type Read;
            fn $method(
                &self,
                call: &Call<'_>,
                body: Body,
            ) -> impl Future<Output = Result<Self::Read, Rejection>>;
        }

        impl<T: $bound> $trait for &Probe<T> {
            type Read = T;
            fn $method(
                &self,
                call: &Call<'_>,
                body: Body,
            ) -> impl Future<Output = Result<T, Rejection>> {
                $read(call, body)
            }
        }
    };
}
body_levels!(BodyAsStream stream FromBody, source::read_from_body);
body_levels!(BodyAsText text FromBodyText, source::read_text);

/// Takes the body for `#[stream]`.
#[macro_export]
#[doc(hidden)]
macro_rules! __stream {
    ($type:ty, $call:expr, $body:expr) => {{
        #[allow(unused_imports)]
        use $crate::__private::autoref::{BodyAsStream as _, BodyUnsupported as _};
        (&&$crate::__private::autoref::Probe::<$type>::NEW)
            .stream($call, $body)
            .await
    }};
}

/// Reads the body for `#[body]`.
#[macro_export]
#[doc(hidden)]
macro_rules! __body {
    ($type:ty, $call:expr, $body:expr) => {{
        #[allow(unused_imports)]
        use $crate::__private::autoref::{BodyAsText as _, BodyUnsupported as _};
        (&&$crate::__private::autoref::Probe::<$type>::NEW).text($call, $body)
    }};
}

/// Reads the body as an entity.
#[macro_export]
#[doc(hidden)]
macro_rules! __entity {
    ($type:ty, $call:expr, $body:expr) => {{
        #[allow(unused_imports)]
        use $crate::__private::autoref::{
            BodyUnsupported as _, EntityBody as _, EntityDeserialized as _, EntityOptional as _,
        };
        (&&&&$crate::__private::autoref::Probe::<$type>::NEW).entity($call, $body)
    }};
}
