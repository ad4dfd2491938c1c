//! Filters made of functions.

use std::fmt;

use super::{Filter, Next};
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::Response;

/// Makes a filter of a function that runs before the handler. It may add values to the request, or refuse
/// it.
///
/// ```
/// use innkeeper_rest::{Rejection, filter};
///
/// let region = filter::before(|request| {
///     let region = request.head().header_text("x-region").unwrap_or("north").to_owned();
///     request.values_mut().set_named("region", region);
///     Ok::<(), Rejection>(())
/// });
/// ```
pub fn before<F>(function: F) -> Before<F>
where
    F: Fn(&mut Request) -> Result<(), Rejection> + Send + Sync + 'static,
{
    Before(function)
}

/// Makes a filter of a function that changes every response.
///
/// ```
/// let served_by = innkeeper_rest::filter::after(|response| response.header("x-served-by", "inn"));
/// ```
pub fn after<F>(function: F) -> After<F>
where
    F: Fn(Response) -> Response + Send + Sync + 'static,
{
    After(function)
}

/// The filter of [`before`].
pub struct Before<F>(F);

/// The filter of [`after`].
pub struct After<F>(F);

impl<F> Filter for Before<F>
where
    F: Fn(&mut Request) -> Result<(), Rejection> + Send + Sync + 'static,
{
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        match (self.0)(request) {
            Ok(()) => next.run(request).await,
            Err(rejection) => Response::rejected(rejection),
        }
    }
}

impl<F> Filter for After<F>
where
    F: Fn(Response) -> Response + Send + Sync + 'static,
{
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        (self.0)(next.run(request).await)
    }
}

impl<F> fmt::Debug for Before<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Before")
    }
}

impl<F> fmt::Debug for After<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("After")
    }
}
