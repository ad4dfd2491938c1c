//! `Async`: a response that is still being made.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use crate::rejection::Rejection;
use crate::response::{IntoReply, ReplyKind, Response};

/// A wrapper around work that ends in a value or a response, for handlers that are no `async fn`.
///
/// The work runs while the server answers other requests. Its result goes through the same steps as
/// a handler's: it may be a value, a `Result`, a [`Response`], or another `Async`.
///
/// ```
/// use innkeeper_rest::{Async, Response};
///
/// fn export() -> Async<Response> {
///     Async::new(async { Response::accepted() })
/// }
///
/// fn fibonacci(n: u32) -> Async<u64> {
///     Async::blocking(move || (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0)
/// }
/// ```
pub struct Async<T>(Pin<Box<dyn Future<Output = Result<T, Rejection>> + Send>>);

impl<T: 'static> Async<T> {
    /// Wraps a future.
    pub fn new(future: impl Future<Output = T> + Send + 'static) -> Self {
        Self(Box::pin(async move { Ok(future.await) }))
    }

    /// Wraps a function that makes a future when the server gets to it.
    pub fn from_fn<F, W>(work: W) -> Self
    where
        W: FnOnce() -> F + Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        Self(Box::pin(async move { Ok(work().await) }))
    }

    /// Wraps a function that blocks its thread: it runs on a thread where that harms nobody.
    pub fn blocking(work: impl FnOnce() -> T + Send + 'static) -> Self
    where
        T: Send,
    {
        Self(Box::pin(async move {
            match tokio::task::spawn_blocking(work).await {
                Ok(value) => Ok(value),
                Err(error) => match error.try_into_panic() {
                    Ok(panic) => std::panic::resume_unwind(panic),
                    Err(cancelled) => Err(Rejection::internal(cancelled)),
                },
            }
        }))
    }

    /// A response that is made from the result with this step.
    pub(crate) fn then_reply<F>(self, step: F) -> Response
    where
        F: FnOnce(T) -> Result<Response, Rejection> + Send + 'static,
    {
        let work = self.0;
        Response::deferred(
            async move { work.await.and_then(step).unwrap_or_else(Response::rejected) },
        )
    }
}

impl<T> Future for Async<T> {
    type Output = Result<T, Rejection>;

    fn poll(
        mut self: Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Self::Output> {
        self.0.as_mut().poll(cx)
    }
}

impl<T: IntoReply + 'static> IntoReply for Async<T> {
    const KIND: ReplyKind = T::KIND;

    fn into_reply(self) -> Response {
        self.then_reply(|value| Ok(value.into_reply()))
    }
}

impl<T> fmt::Debug for Async<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Async")
    }
}
