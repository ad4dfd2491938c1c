//! The ladder of return values, and what is written down of them.

use serde::Serialize;

use super::Probe;
use crate::deferred::Async;
use crate::rejection::Rejection;
use crate::resource::{Call, Outcome};
use crate::response::{Content, IntoReply, ReplyKind, Response};

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
fn reply_async<T: AsyncEntity>(call: &Call<'_>) -> impl FnOnce(T) -> Outcome + Send + 'static {
    let format = AsyncFormat {
        scope: call.scope.clone(),
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
            fn reply(&self, call: &Call<'_>, value: Self::Value) -> Outcome;
        }

        impl<$($param: $bound),*> $trait for $($refs)* Probe<$type> {
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
pub struct AsyncFormat {
    scope: std::sync::Arc<crate::app::Scope>,
    output: crate::format::Output,
}

/// A value that is written when it is there: an entity, or another `Async` that ends in one.
pub trait AsyncEntity: 'static {
    fn reply_async(self, format: AsyncFormat) -> Outcome;
}

impl<T: Serialize + 'static> AsyncEntity for T {
    fn reply_async(self, format: AsyncFormat) -> Outcome {
        let (content_type, bytes) = format.output.write(format.scope.formats(), &self)?;
        Ok(Response::written(content_type, bytes))
    }
}

impl<T: AsyncEntity> AsyncEntity for Async<T> {
    fn reply_async(self, format: AsyncFormat) -> Outcome {
        Ok(self.then_reply(move |value| value.reply_async(format)))
    }
}

/// `IntoReply`, for errors that are kept while something else finishes.
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

/// The rung of a result whose value alone can be sent.
pub trait ReplyErrorUnsupported {
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

impl<T: Serialize, E> ReplyErrorUnsupported for &&Probe<Result<T, E>> {
    type Value = Result<T, E>;
    type Missing = E;
}

/// The rungs of a result whose error alone can be sent, and of anything else.
pub trait ReplyUnsupported {
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

impl<T, E: IntoReply> ReplyUnsupported for &Probe<Result<T, E>> {
    type Value = Result<T, E>;
    type Missing = T;
}

impl<T> ReplyUnsupported for Probe<T> {
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
        use $crate::__private::autoref::{
            ReplyAsync as _, ReplyAsyncResult as _, ReplyEntity as _, ReplyErrorUnsupported as _,
            ReplyItself as _, ReplyResult as _, ReplyResultAsync as _, ReplyUnsupported as _,
        };
        let value = $value;
        (&&&&&&&&&$crate::__private::autoref::Probe::of(&value)).reply($call, value)
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

/// What is known of a type.
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
