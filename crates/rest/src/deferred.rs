//! `Async`: a future or a blocking function as the result of a handler.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use crate::rejection::Rejection;
use crate::response::{IntoReply, Response};
use crate::route::ReplyKind;

/// A future or a blocking function as the result of a handler that is not an `async fn`.
///
/// It runs while the server handles other requests. Its output is converted as that of a handler: it
/// may be a value, a `Result`, a [`Response`], or another `Async`.
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

    /// Wraps a function that returns a future. It is called when the result is awaited.
    pub fn from_fn<F, W>(function: W) -> Self
    where
        W: FnOnce() -> F + Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        Self(Box::pin(async move { Ok(function().await) }))
    }

    /// Wraps a function that blocks its thread. It runs on the runtime's pool for blocking functions.
    pub fn blocking(function: impl FnOnce() -> T + Send + 'static) -> Self
    where
        T: Send,
    {
        Self(Box::pin(async move {
            match tokio::task::spawn_blocking(function).await {
                Ok(value) => Ok(value),
                Err(error) => match error.try_into_panic() {
                    Ok(panic) => std::panic::resume_unwind(panic),
                    Err(cancelled) => Err(Rejection::internal(cancelled)),
                },
            }
        }))
    }

    /// Makes a response from the output with this function.
    pub(crate) fn then_reply<F>(self, convert: F) -> Response
    where
        F: FnOnce(T) -> Result<Response, Rejection> + Send + 'static,
    {
        let future = self.0;
        Response::deferred(async move {
            let response = future.await.and_then(convert);
            response.unwrap_or_else(Response::rejected)
        })
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
