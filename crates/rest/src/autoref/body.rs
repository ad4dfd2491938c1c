//! The levels of request bodies: entities, streams, text.

use std::future::{Ready, ready};

use serde::de::DeserializeOwned;

use super::Probe;
use crate::body::Body;
use crate::call::Call;
use crate::rejection::Rejection;
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

/// The last level of everything that reads a body. Its futures do not depend on the type; otherwise
/// the compiler would report an error for each step of awaiting one.
pub trait BodyUnsupported {
    type Read;
    fn entity(&self, _: &Call<'_>, _: Body) -> Ready<Result<Self::Read, Rejection>>
    where
        Self::Read: Entity,
    {
        ready(Err(Rejection::internal(
            "the type cannot be read as an entity",
        )))
    }
    fn stream(&self, _: &Call<'_>, _: Body) -> Ready<Result<Self::Read, Rejection>>
    where
        Self::Read: BodyStream,
    {
        ready(Err(Rejection::internal(
            "the type cannot take the body as a stream",
        )))
    }
    fn text(&self, _: &Call<'_>, _: Body) -> Ready<Result<Self::Read, Rejection>>
    where
        Self::Read: BodyText,
    {
        ready(Err(Rejection::internal(
            "the type cannot hold the body as text",
        )))
    }
}

impl<T> BodyUnsupported for Probe<T> {
    type Read = T;
}

/// Required when no other level fits `#[entity]`; implemented by nothing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from a request body",
    label = "this type is not an entity",
    note = "derive `serde::Deserialize` for it, or implement `innkeeper_rest::FromBody`"
)]
pub trait Entity {}

/// Required when no other level fits `#[stream]`; implemented by nothing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot take the request body as a stream",
    label = "this type is not a stream",
    note = "write `innkeeper_rest::Body` or `innkeeper_rest::Multipart`, or implement \
        `innkeeper_rest::FromBody`"
)]
pub trait BodyStream {}

/// Required when no other level fits `#[body]`; implemented by nothing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold a request body as text",
    label = "this type is not text",
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
