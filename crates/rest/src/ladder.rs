//! How generated code finds out what a type can do.
//!
//! An argument may be any type that implements [`FromParam`], `FromStr` or `Deserialize`, and `Option`
//! and `Vec` of one. Which of these holds is a property of the type, not of how it is spelled, and
//! Rust has no "if it implements". Method lookup has: it tries `&&&T` before `&&T` before `&T`. Each
//! rung below is a trait implemented for one more reference than the next, with the condition as its
//! bound, and `read!` calls the method on a value behind as many references as there are rungs. The
//! first rung whose condition holds answers. The last one has no condition, so that the lookup ends
//! there and not in a list of all rungs; its method asks for a trait that nothing implements, whose
//! message says what to do.

use std::fmt::Display;
use std::future::{Ready, ready};
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::body::Body;
use crate::deferred::Async;
use crate::rejection::Rejection;
use crate::resource::{Call, Outcome};
use crate::response::{Content, IntoReply, ReplyKind, Response};
use crate::source::{self, FromBody, FromBodyText, FromParam, Input, Invalid};

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
    note = "implement `std::str::FromStr`, `serde::Deserialize` or `innkeeper_rest::FromParam` for it"
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
}

pub trait ReadNothing<'r> {
    type Read;
    fn read(&self, input: &'r Input<'r>) -> Result<Self::Read, Rejection>
    where
        Self::Read: Parameter;
}

impl<'r, T> ReadNothing<'r> for Rung<T> {
    type Read = T;
    fn read(&self, input: &'r Input<'r>) -> Result<T, Rejection> {
        Err(input.malformed(&"cannot be read"))
    }
}

/// JSON of any shape stands above the other rungs: it can be parsed from text, but here it is what a
/// conversion has made, or text as it is.
pub trait ReadValue<'r> {
    type Read;
    fn read(&self, input: &'r Input<'r>) -> Result<Self::Read, Rejection>;
}

macro_rules! read_values {
    ($($type:ty;)*) => {$(
        impl<'r> ReadValue<'r> for &&&&&&&&Rung<$type> {
            type Read = $type;
            fn read(&self, input: &'r Input<'r>) -> Result<$type, Rejection> {
                input.deserialized()
            }
        }
    )*};
}
read_values! {
    Value;
    Option<Value>;
    Vec<Value>;
    Map<String, Value>;
}

/// Matrix parameters are a map, so a type that can also be parsed from text is not parsed here.
pub trait ReadMap<'r> {
    type Read;
    fn read(&self, input: &'r Input<'r>) -> Result<Self::Read, Rejection>;
}

impl<'r, T: Deserialize<'r>> ReadMap<'r> for &&&&&&&&&Rung<T> {
    type Read = T;
    fn read(&self, input: &'r Input<'r>) -> Result<T, Rejection> {
        input.deserialized()
    }
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
            ReadValue as _,
        };
        (&&&&&&&&&$crate::__private::ladder::Rung::<$type>::NEW).read($input)
    }};
}

/// Gives matrix parameters their type.
#[macro_export]
#[doc(hidden)]
macro_rules! __read_map {
    ($type:ty, $input:expr) => {{
        #[allow(unused_imports)]
        use $crate::__private::ladder::{
            ReadDeserialized as _, ReadListParam as _, ReadListText as _, ReadMap as _,
            ReadNothing as _, ReadOptionParam as _, ReadOptionText as _, ReadParam as _,
            ReadText as _, ReadValue as _,
        };
        (&&&&&&&&&&$crate::__private::ladder::Rung::<$type>::NEW).read($input)
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
    fn value(&self, call: &Call<'_>, name: Option<&str>) -> Result<Self::Read, Rejection>
    where
        Self::Read: Clone + Send + Sync + 'static;
}

impl<T> ValueRequired for Rung<T> {
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
}

/// The last rung of all that reads a body. Its futures are not built on the type, or each step of
/// waiting for one would be an error of its own.
pub trait BodyNothing {
    type Read;
    fn entity(&self, _: &Call<'_>, _: Body) -> Ready<Result<Self::Read, Rejection>>
    where
        Self::Read: Entity,
    {
        ready(Err(Rejection::internal("a type that is no entity")))
    }
    fn stream(&self, _: &Call<'_>, _: Body) -> Ready<Result<Self::Read, Rejection>>
    where
        Self::Read: Streamed,
    {
        ready(Err(Rejection::internal("a type that is no stream")))
    }
    fn text(&self, _: &Call<'_>, _: Body) -> Ready<Result<Self::Read, Rejection>>
    where
        Self::Read: Text,
    {
        ready(Err(Rejection::internal("a type that is no text")))
    }
}

impl<T> BodyNothing for Rung<T> {
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
pub trait Streamed {}

/// Asked for when nothing else fits `#[body]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold a request body as text",
    label = "this type is no text",
    note = "write `String`, `&str`, `Bytes` or `Vec<u8>`; for other types use `#[entity]`"
)]
pub trait Text {}

macro_rules! body_rung {
    ($trait:ident $method:ident $bound:path, $read:path) => {
        pub trait $trait {
            type Read;
            fn $method(
                &self,
                call: &Call<'_>,
                body: Body,
            ) -> impl Future<Output = Result<Self::Read, Rejection>>;
        }

        impl<T: $bound> $trait for &Rung<T> {
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
body_rung!(StreamBody stream FromBody, source::read_from_body);
body_rung!(TextBody text FromBodyText, source::read_text);

/// Takes the body for `#[stream]`.
#[macro_export]
#[doc(hidden)]
macro_rules! __stream {
    ($type:ty, $call:expr, $body:expr) => {{
        #[allow(unused_imports)]
        use $crate::__private::ladder::{BodyNothing as _, StreamBody as _};
        (&&$crate::__private::ladder::Rung::<$type>::NEW)
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
        use $crate::__private::ladder::{BodyNothing as _, TextBody as _};
        (&&$crate::__private::ladder::Rung::<$type>::NEW).text($call, $body)
    }};
}

/// Reads the body as an entity.
#[macro_export]
#[doc(hidden)]
macro_rules! __entity {
    ($type:ty, $call:expr, $body:expr) => {{
        #[allow(unused_imports)]
        use $crate::__private::ladder::{
            BodyNothing as _, EntityBody as _, EntityDeserialized as _, EntityOptional as _,
        };
        (&&&&$crate::__private::ladder::Rung::<$type>::NEW).entity($call, $body)
    }};
}

/// A value that is a response by itself.
fn reply_by_itself<T: IntoReply>(call: &Call<'_>, value: T) -> Response {
    let mut response = value.into_reply();
    if T::KIND == ReplyKind::Text && !call.output.is_text() {
        // The client asked for text in another format: as an entity.
        if let Content::Bytes(payload) = response.content() {
            let text = String::from_utf8_lossy(payload.as_slice()).into_owned();
            response.take_content_type();
            response.set_content(Content::Entity(Box::new(text)));
        }
    }
    response
}

/// A value that is written in the negotiated format.
fn reply_entity<T: Serialize>(call: &Call<'_>, value: &T) -> Outcome {
    let (content_type, bytes) = call.output.write(call.scope.formats(), value)?;
    Ok(Response::written(content_type, bytes))
}

/// A late value, written when it is there.
fn reply_late<T: LateEntity>(call: &Call<'_>) -> impl FnOnce(T) -> Outcome + Send + 'static {
    let format = LateFormat {
        scope: call.scope.clone(),
        output: call.output,
    };
    move |value| value.reply_late(format)
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

/// What a value that is kept while something else finishes will be written in.
#[derive(Debug)]
pub struct LateFormat {
    scope: std::sync::Arc<crate::app::Scope>,
    output: crate::format::Output,
}

/// A value that is written when it is there: an entity, or another `Async` that ends in one.
pub trait LateEntity: 'static {
    fn reply_late(self, format: LateFormat) -> Outcome;
}

impl<T: Serialize + 'static> LateEntity for T {
    fn reply_late(self, format: LateFormat) -> Outcome {
        let (content_type, bytes) = format.output.write(format.scope.formats(), &self)?;
        Ok(Response::written(content_type, bytes))
    }
}

impl<T: LateEntity> LateEntity for Async<T> {
    fn reply_late(self, format: LateFormat) -> Outcome {
        Ok(self.then_reply(move |value| value.reply_late(format)))
    }
}

/// `IntoReply`, for errors that are kept while something else finishes.
pub trait LateError: IntoReply + 'static {}
impl<T: IntoReply + 'static> LateError for T {}

reply_rungs! {
    ReplyItself [&&&&&&&&] <T: IntoReply> T, T::KIND, |call, value| Ok(reply_by_itself(call, value));
    ReplyResult [&&&&&&&] <T: Serialize, E: IntoReply> Result<T, E>, ReplyKind::Entity,
        |call, value| match value {
            Ok(value) => reply_entity(call, &value),
            Err(error) => Ok(error.into_reply()),
        };
    ReplyLate [&&&&&&] <T: LateEntity> Async<T>, ReplyKind::Entity,
        |call, value| Ok(value.then_reply(reply_late(call)));
    ReplyLateResult [&&&&&] <T: LateEntity, E: LateError> Async<Result<T, E>>, ReplyKind::Entity,
        |call, value| {
            let write = reply_late(call);
            Ok(value.then_reply(move |value| match value {
                Ok(value) => write(value),
                Err(error) => Ok(error.into_reply()),
            }))
        };
    ReplyResultLate [&&&&] <T: LateEntity, E: IntoReply> Result<Async<T>, E>, ReplyKind::Entity,
        |call, value| match value {
            Ok(value) => Ok(value.then_reply(reply_late(call))),
            Err(error) => Ok(error.into_reply()),
        };
    ReplyEntity [&&&] <T: Serialize> T, ReplyKind::Entity, |call, value| reply_entity(call, &value);
}

/// The rung of a result whose value alone can be sent.
pub trait ReplyNoError {
    type Value;
    type Missing;
    fn kind(&self) -> ReplyKind {
        ReplyKind::Any
    }
    fn reply(&self, _: &Call<'_>, _: Self::Value) -> Outcome
    where
        Self::Missing: ErrorReply,
    {
        Err(Rejection::internal("an error that cannot be sent"))
    }
}

impl<T: Serialize, E> ReplyNoError for &&Rung<Result<T, E>> {
    type Value = Result<T, E>;
    type Missing = E;
}

/// The rungs of a result whose error alone can be sent, and of anything else.
pub trait ReplyNothing {
    type Value;
    type Missing;
    fn kind(&self) -> ReplyKind {
        ReplyKind::Any
    }
    fn reply(&self, _: &Call<'_>, _: Self::Value) -> Outcome
    where
        Self::Missing: ValueReply,
    {
        Err(Rejection::internal("a value that cannot be sent"))
    }
}

impl<T, E: IntoReply> ReplyNothing for &Rung<Result<T, E>> {
    type Value = Result<T, E>;
    type Missing = T;
}

impl<T> ReplyNothing for Rung<T> {
    type Value = T;
    type Missing = T;
}

/// Asked for when an error is no response.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent as an error",
    label = "the error of this result is no response",
    note = "derive `innkeeper_rest::ApiError` for an error of your own and turn this one into it, or \
        implement `innkeeper_rest::IntoReply`"
)]
pub trait ErrorReply {}

/// Asked for when a value is no response.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent as a response",
    label = "`{Self}` is no response",
    note = "derive `serde::Serialize` for a value, `innkeeper_rest::ApiError` for an error, or \
        implement `innkeeper_rest::IntoReply`"
)]
pub trait ValueReply {}

/// Turns a handler's value into a response.
#[macro_export]
#[doc(hidden)]
macro_rules! __reply {
    ($call:expr, $value:expr) => {{
        #[allow(unused_imports)]
        use $crate::__private::ladder::{
            ReplyEntity as _, ReplyItself as _, ReplyLate as _, ReplyLateResult as _,
            ReplyNoError as _, ReplyNothing as _, ReplyResult as _, ReplyResultLate as _,
        };
        let value = $value;
        (&&&&&&&&&$crate::__private::ladder::Rung::of(&value)).reply($call, value)
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
                    ReplyNoError as _, ReplyNothing as _, ReplyResult as _, ReplyResultLate as _,
                };
                (&&&&&&&&&$crate::__private::ladder::Rung::<$type>::NEW).kind()
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
