//! How generated code finds out what a type can do.
//!
//! An argument may be any type that implements [`FromParam`], `FromStr` or `Deserialize`, and `Option`
//! and `Vec` of one. Which of these holds is a property of the type, not of how it is spelled, and
//! Rust has no "if it implements". Method lookup has: it tries `&&&T` before `&&T` before `&T`. Each
//! rung below is a trait implemented for one more reference than the next, with the condition as its
//! bound, and `read!` calls the method on a value behind as many references as there are rungs. The
//! first rung whose condition holds answers. The last one has no condition; it asks for a trait that
//! nothing implements, whose message says what to do.

use std::fmt::Display;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::body::Body;
use crate::deferred::Async;
use crate::rejection::Rejection;
use crate::resource::{Call, Outcome};
use crate::response::{Content, IntoReply, ReplyKind, Response};
use crate::source::{self, FromBody, FromParam, Input, Invalid};

/// Stands for a type on the ladder.
pub struct Rung<T: ?Sized>(PhantomData<fn() -> PhantomData<T>>);

impl<T: ?Sized> std::fmt::Debug for Rung<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Rung")
    }
}

impl<T> Rung<T> {
    /// The type, named.
    pub const NEW: Self = Self(PhantomData);

    /// The type of a value.
    pub fn of(_: &T) -> Self {
        Self::NEW
    }
}

fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, Invalid> {
    text.parse()
        .map_err(|error: T::Err| Invalid::because(error))
}

/// Asked for when nothing else fits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from a request parameter",
    label = "this type is no parameter",
    note = "implement `FromStr`, `Deserialize` or `innkeeper_rest::FromParam` for it"
)]
pub trait Parameter: Sized {}

macro_rules! read_rungs {
    ($($trait:ident [$($refs:tt)*] <$type:ty> ($($bound:tt)*) |$input:ident| $read:expr;)*) => {$(
        pub trait $trait<'r> {
            type Read;
            fn read(&self, input: &'r Input<'r>) -> Result<Self::Read, Rejection>;
        }

        impl<'r, T: $($bound)*> $trait<'r> for $($refs)* Rung<$type> {
            type Read = $type;
            fn read(&self, $input: &'r Input<'r>) -> Result<$type, Rejection> {
                $read
            }
        }
    )*};
}
read_rungs! {
    ReadParam [&&&&&&&] <T> (FromParam<'r>) |input| input.one(T::from_param);
    ReadOptionParam [&&&&&&] <Option<T>> (FromParam<'r>) |input| input.optional(T::from_param);
    ReadListParam [&&&&&] <Vec<T>> (FromParam<'r>) |input| input.list(T::from_param);
    ReadText [&&&&] <T> (FromStr<Err: Display>) |input| input.one(parsed);
    ReadOptionText [&&&] <Option<T>> (FromStr<Err: Display>) |input| input.optional(parsed);
    ReadListText [&&] <Vec<T>> (FromStr<Err: Display>) |input| input.list(parsed);
    ReadDeserialized [&] <T> (Deserialize<'r>) |input| input.deserialized();
    ReadNothing [] <T> (Parameter) |input| Err(input.malformed(&"cannot be read"));
}

/// Gives an [`Input`] its type.
#[macro_export]
#[doc(hidden)]
macro_rules! __read {
    ($type:ty, $input:expr) => {{
        #[allow(unused_imports)]
        use $crate::__private::ladder::{
            ReadDeserialized as _, ReadListParam as _, ReadListText as _, ReadNothing as _,
            ReadOptionParam as _, ReadOptionText as _, ReadParam as _, ReadText as _,
        };
        (&&&&&&&&$crate::__private::ladder::Rung::<$type>::NEW).read($input)
    }};
}

pub trait ValueOptional {
    type Read;
    fn value(&self, call: &Call<'_>, name: Option<&str>) -> Result<Self::Read, Rejection>;
}

impl<T: Clone + Send + Sync + 'static> ValueOptional for &Rung<Option<T>> {
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
    fn value(&self, call: &Call<'_>, name: Option<&str>) -> Result<Self::Read, Rejection>;
}

impl<T: Clone + Send + Sync + 'static> ValueRequired for Rung<T> {
    type Read = T;
    fn value(&self, call: &Call<'_>, name: Option<&str>) -> Result<T, Rejection> {
        match name {
            Some(name) => source::value_named(call, name),
            None => source::value_typed(call),
        }
    }
}

/// Takes a value that a filter has set.
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
        use $crate::__private::ladder::{ValueOptional as _, ValueRequired as _};
        (&&$crate::__private::ladder::Rung::<$type>::NEW).value($call, $name)
    }};
}

macro_rules! entity_rungs {
    ($($trait:ident [$($refs:tt)*] <$type:ty> ($($bound:tt)*) $read:path;)*) => {$(
        pub trait $trait {
            type Read;
            fn entity(
                &self,
                call: &Call<'_>,
                body: Body,
            ) -> impl Future<Output = Result<Self::Read, Rejection>>;
        }

        impl<T: $($bound)*> $trait for $($refs)* Rung<$type> {
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
entity_rungs! {
    EntityBody [&&&] <T> (FromBody) source::read_from_body;
    EntityOptional [&&] <Option<T>> (DeserializeOwned) source::read_optional;
    EntityDeserialized [&] <T> (DeserializeOwned) source::read_deserialized;
    EntityNothing [] <T> (FromBody) source::read_from_body;
}

/// Reads the body as an entity.
#[macro_export]
#[doc(hidden)]
macro_rules! __entity {
    ($type:ty, $call:expr, $body:expr) => {{
        #[allow(unused_imports)]
        use $crate::__private::ladder::{
            EntityBody as _, EntityDeserialized as _, EntityNothing as _, EntityOptional as _,
        };
        (&&&&$crate::__private::ladder::Rung::<$type>::NEW).entity($call, $body)
    }};
}

/// A value that is a response by itself.
fn reply_by_itself<T: IntoReply>(call: &Call<'_>, value: T) -> Outcome {
    let mut response = value.into_reply();
    if T::KIND == ReplyKind::Text && !call.output.is_text() {
        // The client asked for text in another format: as an entity.
        if let Content::Bytes(bytes) = response.content() {
            let text = String::from_utf8_lossy(bytes).into_owned();
            response.take_content_type();
            response.set_content(Content::Entity(Box::new(text)));
        }
    }
    Ok(response)
}

/// A value that is written in the negotiated format.
fn reply_entity<T: Serialize>(call: &Call<'_>, value: &T) -> Outcome {
    let (content_type, bytes) = call.output.write(call.scope.formats(), value)?;
    Ok(Response::written(content_type, bytes))
}

/// A late value, written when it is there.
fn reply_late<T: Serialize>(call: &Call<'_>) -> impl FnOnce(T) -> Outcome + Send + 'static {
    let (scope, output) = (call.scope.clone(), call.output);
    move |value| {
        let (content_type, bytes) = output.write(scope.formats(), &value)?;
        Ok(Response::written(content_type, bytes))
    }
}

macro_rules! reply_rungs {
    ($($trait:ident [$($refs:tt)*] <$($param:ident: $bound:path),*> $type:ty,
        $kind:expr, |$call:ident, $value:ident| $reply:expr;)*) => {$(
        pub trait $trait {
            type Value;
            fn kind(&self) -> ReplyKind;
            fn reply(&self, call: &Call<'_>, value: Self::Value) -> Outcome;
        }

        impl<$($param: $bound),*> $trait for $($refs)* Rung<$type> {
            type Value = $type;
            fn kind(&self) -> ReplyKind {
                $kind
            }
            fn reply(&self, $call: &Call<'_>, $value: $type) -> Outcome {
                $reply
            }
        }
    )*};
}

/// `Serialize`, for values that are kept while something else finishes.
pub trait LateEntity: Serialize + 'static {}
impl<T: Serialize + 'static> LateEntity for T {}

/// `IntoReply`, for errors that are kept while something else finishes.
pub trait LateError: IntoReply + 'static {}
impl<T: IntoReply + 'static> LateError for T {}

reply_rungs! {
    ReplyItself [&&&&&&] <T: IntoReply> T, T::KIND, |call, value| reply_by_itself(call, value);
    ReplyResult [&&&&&] <T: Serialize, E: IntoReply> Result<T, E>, ReplyKind::Entity,
        |call, value| match value {
            Ok(value) => reply_entity(call, &value),
            Err(error) => Ok(error.into_reply()),
        };
    ReplyLate [&&&&] <T: LateEntity> Async<T>, ReplyKind::Entity,
        |call, value| Ok(value.then_reply(reply_late(call)));
    ReplyLateResult [&&&] <T: LateEntity, E: LateError> Async<Result<T, E>>, ReplyKind::Entity,
        |call, value| {
            let write = reply_late(call);
            Ok(value.then_reply(move |value| match value {
                Ok(value) => write(value),
                Err(error) => Ok(error.into_reply()),
            }))
        };
    ReplyResultLate [&&] <T: LateEntity, E: IntoReply> Result<Async<T>, E>, ReplyKind::Entity,
        |call, value| match value {
            Ok(value) => Ok(value.then_reply(reply_late(call))),
            Err(error) => Ok(error.into_reply()),
        };
    ReplyEntity [&] <T: Serialize> T, ReplyKind::Entity, |call, value| reply_entity(call, &value);
    ReplyNothing [] <T: IntoReply> T, T::KIND, |call, value| reply_by_itself(call, value);
}

/// Turns a handler's value into a response.
#[macro_export]
#[doc(hidden)]
macro_rules! __reply {
    ($call:expr, $value:expr) => {{
        #[allow(unused_imports)]
        use $crate::__private::ladder::{
            ReplyEntity as _, ReplyItself as _, ReplyLate as _, ReplyLateResult as _,
            ReplyNothing as _, ReplyResult as _, ReplyResultLate as _,
        };
        let value = $value;
        (&&&&&&&$crate::__private::ladder::Rung::of(&value)).reply($call, value)
    }};
}

/// What is known of a return type.
#[macro_export]
#[doc(hidden)]
macro_rules! describe_return {
    (_) => {
        $crate::Returns {
            ty: $crate::TypeInfo {
                name: || "impl Trait",
            },
            kind: || $crate::ReplyKind::Any,
        }
    };
    ($type:ty) => {
        $crate::Returns {
            ty: $crate::describe_type!($type),
            kind: || {
                #[allow(unused_imports)]
                use $crate::__private::ladder::{
                    ReplyEntity as _, ReplyItself as _, ReplyLate as _, ReplyLateResult as _,
                    ReplyNothing as _, ReplyResult as _, ReplyResultLate as _,
                };
                (&&&&&&&$crate::__private::ladder::Rung::<$type>::NEW).kind()
            },
        }
    };
}

/// What is known of a type.
#[macro_export]
#[doc(hidden)]
macro_rules! describe_type {
    ($type:ty) => {
        $crate::TypeInfo {
            name: || ::core::any::type_name::<$type>(),
        }
    };
}
