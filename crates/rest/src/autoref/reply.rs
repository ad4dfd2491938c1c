//! The levels of return values, and the descriptions of their types.

use serde::Serialize;

use super::Probe;
use crate::call::{Call, HandlerResult};
use crate::deferred::Async;
use crate::rejection::Rejection;
use crate::response::{Content, IntoReply, Response};
use crate::route::ReplyKind;

/// Converts a value that is a response by itself.
fn reply_by_itself<T: IntoReply>(call: &Call<'_>, value: T) -> Response {
    let mut response = value.into_reply();
    if T::KIND == ReplyKind::Text && !call.output.is_text() {
        // The client accepts another format than text: send the text as an entity.
        if let Content::Bytes(payload) = response.content() {
            let text = String::from_utf8_lossy(payload.as_slice()).into_owned();
            response.take_content_type();
            response.set_content(Content::Entity(Box::new(text)));
        }
    }
    response
}

/// Writes a value in the negotiated format.
fn reply_entity<T: Serialize>(call: &Call<'_>, value: &T) -> HandlerResult {
    let (content_type, bytes) = call.output.write(call.formats, value)?;
    Ok(Response::written(content_type, bytes))
}

/// Returns a function that writes a value when it is ready.
fn reply_async<T: AsyncEntity>(
    call: &Call<'_>,
) -> impl FnOnce(T) -> HandlerResult + Send + 'static {
    let format = AsyncFormat {
        formats: std::sync::Arc::clone(call.formats),
        output: call.output,
    };
    move |value| value.reply_async(format)
}

macro_rules! reply_levels {
    ($($trait:ident [$($refs:tt)*] <$($param:ident: $bound:path),*> $type:ty,
        $kind:expr, |$call:ident, $value:ident| $reply:expr;)*) => {$(
        pub trait $trait {
            type Value;
            fn kind(&self) -> ReplyKind;
            fn reply(&self, call: &Call<'_>, value: Self::Value) -> HandlerResult;
        }

        impl<$($param: $bound),*> $trait for $($refs)* Probe<$type> {
            type Value = $type;
            fn kind(&self) -> ReplyKind {
                $kind
            }
            fn reply(&self, $call: &Call<'_>, $value: $type) -> HandlerResult {
                $reply
            }
        }
    )*};
}

/// The format of a value that is written later.
#[derive(Debug)]
pub struct AsyncFormat {
    formats: std::sync::Arc<crate::format::Formats>,
    output: crate::format::Output,
}

/// A value that is written when it is ready: an entity, or another `Async` that ends in one.
pub trait AsyncEntity: 'static {
    fn reply_async(self, format: AsyncFormat) -> HandlerResult;
}

impl<T: Serialize + 'static> AsyncEntity for T {
    fn reply_async(self, format: AsyncFormat) -> HandlerResult {
        let (content_type, bytes) = format.output.write(&format.formats, &self)?;
        Ok(Response::written(content_type, bytes))
    }
}

impl<T: AsyncEntity> AsyncEntity for Async<T> {
    fn reply_async(self, format: AsyncFormat) -> HandlerResult {
        Ok(self.then_reply(move |value| value.reply_async(format)))
    }
}

/// `IntoReply` for errors that are kept until a value is ready.
pub trait AsyncError: IntoReply + 'static {}
impl<T: IntoReply + 'static> AsyncError for T {}

reply_levels! {
    ReplyItself [&&&&&&&&] <T: IntoReply> T, T::KIND, |call, value| Ok(reply_by_itself(call, value));
    ReplyResult [&&&&&&&] <T: Serialize, E: IntoReply> Result<T, E>, ReplyKind::Entity,
        |call, value| match value {
            Ok(value) => reply_entity(call, &value),
            Err(error) => Ok(error.into_reply()),
        };
    ReplyAsync [&&&&&&] <T: AsyncEntity> Async<T>, ReplyKind::Entity,
        |call, value| Ok(value.then_reply(reply_async(call)));
    ReplyAsyncResult [&&&&&] <T: AsyncEntity, E: AsyncError> Async<Result<T, E>>, ReplyKind::Entity,
        |call, value| {
            let write = reply_async(call);
            Ok(value.then_reply(move |value| match value {
                Ok(value) => write(value),
                Err(error) => Ok(error.into_reply()),
            }))
        };
    ReplyResultAsync [&&&&] <T: AsyncEntity, E: IntoReply> Result<Async<T>, E>, ReplyKind::Entity,
        |call, value| match value {
            Ok(value) => Ok(value.then_reply(reply_async(call))),
            Err(error) => Ok(error.into_reply()),
        };
    ReplyEntity [&&&] <T: Serialize> T, ReplyKind::Entity, |call, value| reply_entity(call, &value);
}

/// The level of a result whose value can be sent and whose error cannot.
pub trait ReplyErrorUnsupported {
    type Value;
    type Missing;
    fn kind(&self) -> ReplyKind {
        ReplyKind::Any
    }
    fn reply(&self, _: &Call<'_>, _: Self::Value) -> HandlerResult
    where
        Self::Missing: ErrorReply,
    {
        Err(Rejection::internal("the error cannot be sent"))
    }
}

impl<T: Serialize, E> ReplyErrorUnsupported for &&Probe<Result<T, E>> {
    type Value = Result<T, E>;
    type Missing = E;
}

/// The levels of a result whose error can be sent and whose value cannot, and of any other type.
pub trait ReplyUnsupported {
    type Value;
    type Missing;
    fn kind(&self) -> ReplyKind {
        ReplyKind::Any
    }
    fn reply(&self, _: &Call<'_>, _: Self::Value) -> HandlerResult
    where
        Self::Missing: ValueReply,
    {
        Err(Rejection::internal("the value cannot be sent"))
    }
}

impl<T, E: IntoReply> ReplyUnsupported for &Probe<Result<T, E>> {
    type Value = Result<T, E>;
    type Missing = T;
}

impl<T> ReplyUnsupported for Probe<T> {
    type Value = T;
    type Missing = T;
}

/// Required when an error is not a response; implemented by nothing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent as an error",
    label = "the error of this result is not a response",
    note = "derive `innkeeper_rest::ApiError` for an error of your own and turn this one into it, or \
        implement `innkeeper_rest::IntoReply`"
)]
pub trait ErrorReply {}

/// Required when a value is not a response; implemented by nothing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent as a response",
    label = "`{Self}` is not a response",
    note = "derive `serde::Serialize` for a value, `innkeeper_rest::ApiError` for an error, or \
        implement `innkeeper_rest::IntoReply`"
)]
pub trait ValueReply {}

/// Converts the value of a handler to a response.
#[macro_export]
#[doc(hidden)]
macro_rules! __reply {
    ($call:expr, $value:expr) => {{
        #[allow(unused_imports)]
        use $crate::__private::autoref::{
            ReplyAsync as _, ReplyAsyncResult as _, ReplyEntity as _, ReplyErrorUnsupported as _,
            ReplyItself as _, ReplyResult as _, ReplyResultAsync as _, ReplyUnsupported as _,
        };
        let value = $value;
        (&&&&&&&&&$crate::__private::autoref::Probe::of(&value)).reply($call, value)
    }};
}

/// Describes a return type.
#[macro_export]
#[doc(hidden)]
macro_rules! describe_return {
    (_) => {
        $crate::Returns {
            ty: $crate::TypeInfo {
                name: || "impl Trait",
                ..$crate::TypeInfo::NONE
            },
            ..$crate::Returns::NONE
        }
    };
    ($type:ty) => {
        $crate::Returns {
            ty: $crate::describe_type!($type),
            kind: || {
                #[allow(unused_imports)]
                use $crate::__private::autoref::{
                    ReplyAsync as _, ReplyAsyncResult as _, ReplyEntity as _,
                    ReplyErrorUnsupported as _, ReplyItself as _, ReplyResult as _,
                    ReplyResultAsync as _, ReplyUnsupported as _,
                };
                (&&&&&&&&&$crate::__private::autoref::Probe::<$type>::NEW).kind()
            },
            ..$crate::__describe_return_schema!($type)
        }
    };
}

/// Describes a type.
#[macro_export]
#[doc(hidden)]
macro_rules! describe_type {
    ($type:ty) => {
        $crate::TypeInfo {
            name: || ::core::any::type_name::<$type>(),
            ..$crate::__describe!($type)
        }
    };
}
