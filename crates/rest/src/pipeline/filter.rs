//! What a filter is, and the rest of a request's way, which it runs.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use super::core::{Core, Stage};
use crate::future::BoxFuture;
use crate::request::Request;
use crate::response::{Content, Response};
use crate::route::RouteAt;

/// Code that runs around a handler: before it, after it, or instead of it.
///
/// ```
/// use innkeeper_rest::{Filter, Next, Request, Response};
///
/// /// Lets nobody in without a ticket.
/// struct Tickets;
///
/// impl Filter for Tickets {
///     async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
///         let Some(ticket) = request.head().header_text("x-ticket").map(str::to_owned) else {
///             return Response::error_with(401, "a ticket is needed");
///         };
///         request.values_mut().set_named("ticket", ticket);
///         next.run(request).await.header("x-admitted", "yes")
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a filter",
    label = "this does not implement `Filter`",
    note = "make one with `innkeeper_rest::filter::before`, `after` or `layer`, or implement `innkeeper_rest::Filter`"
)]
pub trait Filter: Send + Sync + 'static {
    /// Answers a request, usually by running `next`. A filter that does not run it ends the request early.
    fn apply(&self, request: &mut Request, next: Next<'_>)
    -> impl Future<Output = Response> + Send;

    /// Returns whether this filter runs for a request. Skipping a filter costs next to nothing, running it
    /// costs a future. It is called when the turn of the filter comes.
    fn applies_to(&self, request: &Request) -> bool {
        let _ = request;
        true
    }

    /// Returns whether this filter, at a resource or method, also runs for the preflights of its routes: the
    /// `OPTIONS` requests with which browsers ask for permission to send another request. Preflights carry
    /// no credentials, so filters do not see them by default. Filters of applications and mounts see every
    /// request.
    fn answers_preflights(&self) -> bool {
        false
    }
}

/// A [`Filter`] that can be a trait object.
pub trait DynFilter: Send + Sync + 'static {
    /// See [`Filter::apply`].
    fn apply_dyn<'a>(&'a self, request: &'a mut Request, next: Next<'a>)
    -> BoxFuture<'a, Response>;

    /// See [`Filter::applies_to`].
    fn applies_to_dyn(&self, request: &Request) -> bool;

    /// See [`Filter::answers_preflights`].
    fn answers_preflights_dyn(&self) -> bool;
}

impl<F: Filter> DynFilter for F {
    fn apply_dyn<'a>(
        &'a self,
        request: &'a mut Request,
        next: Next<'a>,
    ) -> BoxFuture<'a, Response> {
        Box::pin(async move {
            let response = self.apply(request, next).await;
            if let Content::Deferred(_) = response.content() {
                // A filter may answer with a deferred response.
                return Box::pin(Core::wait(response, None)).await;
            }
            response
        })
    }

    fn applies_to_dyn(&self, request: &Request) -> bool {
        self.applies_to(request)
    }

    fn answers_preflights_dyn(&self) -> bool {
        self.answers_preflights()
    }
}

impl<F: Filter> Filter for Arc<F> {
    fn apply(
        &self,
        request: &mut Request,
        next: Next<'_>,
    ) -> impl Future<Output = Response> + Send {
        F::apply(self, request, next)
    }

    fn applies_to(&self, request: &Request) -> bool {
        F::applies_to(self, request)
    }

    fn answers_preflights(&self) -> bool {
        F::answers_preflights(self)
    }
}

/// The next filter of a request, or its handler.
///
/// ```
/// use innkeeper_rest::{Filter, Next, Request, Response};
///
/// /// Answers `GET` again when the first answer is 503.
/// struct Again;
///
/// impl Filter for Again {
///     async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
///         let response = next.run(request).await;
///         if response.status_code() == 503 && request.method() == "GET" {
///             return next.run(request).await;
///         }
///         response
///     }
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Next<'a> {
    pub(crate) core: &'a Arc<Core>,
    pub(crate) stage: Stage,
}

impl Next<'_> {
    /// Runs the next filter or the handler. In the response entities and errors are already written.
    pub async fn run(self, request: &mut Request) -> Response {
        let mut response = self.core.run_guarded(self.stage, request).await;
        response.merge_headers();
        response
    }
}

impl<'a> Next<'a> {
    /// Finds the route of a request and its mount, even if a filter of the mount answers before routing.
    /// This is a lookup; afterwards [`Request::route`] returns the route, too.
    ///
    /// ```
    /// use innkeeper_rest::{Filter, Next, Request, Response};
    ///
    /// /// Says which route answered.
    /// struct Say;
    ///
    /// impl Filter for Say {
    ///     async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
    ///         let response = next.run(request).await;
    ///         match next.route_of(request) {
    ///             // `/admin/users/{id}`
    ///             Some(route) => response.header("x-route", route.template()),
    ///             None => response,
    ///         }
    ///     }
    /// }
    /// ```
    pub fn route_of(self, request: &mut Request) -> Option<RouteAt<'a>> {
        self.core.route_of(request)
    }
}

impl fmt::Debug for Next<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Next").field(&self.stage).finish()
    }
}
