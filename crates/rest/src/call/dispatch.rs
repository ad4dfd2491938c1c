//! The outcome of a handler call, or the future that ends in it.
//!
//! Generated code calls the functions. Were they functions of the type, its lifetime would make the compiler prove
//! `Send` of each handler, and all that it awaits, one more time.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use send_wrapper::SendWrapper;

use super::{Call, OwnedCall};
use crate::future::BoxFuture;
use crate::rejection::Rejection;
use crate::response::{Content, Response};

/// The result of a handler call.
pub(crate) type HandlerResult = Result<Response, Rejection>;

/// A handler call that is finished, or a future that finishes it.
pub enum Dispatch<'a> {
    /// The handler has finished.
    Ready(HandlerResult),
    /// The handler has not started yet.
    Future(BoxFuture<'a, HandlerResult>),
}

impl fmt::Debug for Dispatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ready(_) => "Ready",
            Self::Future(_) => "Future",
        })
    }
}

/// Makes the dispatch of a handler that did not wait.
pub fn ready<'a>(result: HandlerResult) -> Dispatch<'a> {
    Dispatch::Ready(result)
}

/// Makes the dispatch of a handler that may wait.
pub fn future<'a, F>(future: F) -> Dispatch<'a>
where
    F: Future<Output = HandlerResult> + 'a,
    // The compiler shows this line to whoever wrote a handler that is not `Send`.
    F: Send, // hold nothing across `.await` that is not, or write `#[resource("/path", local)]`
{
    // Coerced before it is pinned: the compiler would otherwise prove `Send` of all that the handler awaits once more.
    let future: Box<dyn Future<Output = HandlerResult> + Send + 'a> = Box::new(future);
    Dispatch::Future(Box::into_pin(future))
}

/// Makes the dispatch of a handler that stays on its thread.
pub fn local<'a>(future: impl Future<Output = HandlerResult> + 'a) -> Dispatch<'a> {
    // Boxed before it is wrapped, because `SendWrapper` is a future only for futures that are `Unpin`.
    let future: Pin<Box<dyn Future<Output = HandlerResult> + 'a>> = Box::pin(future);
    Dispatch::Future(Box::pin(SendWrapper::new(future)))
}

/// Starts a handler that runs to its end, whether the client stays or not.
pub fn detached<F, W>(mut call: Call<'_>, work: W) -> Dispatch<'_>
where
    W: FnOnce(OwnedCall) -> F,
    F: Future<Output = HandlerResult> + 'static,
    F: Send, // hold nothing across `.await` that is not
{
    let owned = OwnedCall::take_from(&mut call);
    let guard = call.detached.enter();
    let work = work(owned);
    let task = tokio::spawn(async move {
        // A server that stops waits until this is dropped.
        let _guard = guard;
        let mut result = work.await;
        // A deferred response is part of the handler.
        while let Ok(response) = &mut result
            && matches!(response.content(), Content::Deferred(_))
            && let Content::Deferred(rest) = response.take_content()
        {
            result = Ok(rest.await);
        }
        result
    });
    future(async move {
        match task.await {
            Ok(result) => result,
            Err(error) => match error.try_into_panic() {
                // The same guard catches it as any other handler's panic.
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(cancelled) => Err(Rejection::internal(cancelled)),
            },
        }
    })
}

/// Makes the dispatch for a route number that the resource does not have.
pub fn unknown<'a>() -> Dispatch<'a> {
    Dispatch::Ready(Err(Rejection::not_found()))
}
