//! Filters: what happens around handlers.
//!
//! A filter wraps an application, a mount, a resource or a method. Filters of applications and mounts
//! run before routing, those of resources and methods after it.

mod authenticate;
mod client_address;
#[cfg(feature = "compression")]
mod compress;
mod cors;
mod etags;
mod layer;
mod rate_limit;
mod request_id;
mod security_headers;
mod settings;
mod simple;
mod timing;
mod trace;

use std::fmt;
use std::future::Future;
use std::sync::Arc;

pub use authenticate::{
    ApiKey, Basic, Bearer, Check, StaticKeys, UserAndPassword, bearer_token, same_secret,
};
pub use client_address::{ClientAddress, NotANetwork, TrustedProxies};
#[cfg(feature = "compression")]
pub use compress::{Compress, CompressBuilder, Decompress};
pub(crate) use cors::requested_method;
#[cfg(feature = "websocket")]
pub(crate) use cors::{Asking, Named};
pub use cors::{Cors, CorsBuilder, CorsError};
pub use etags::ETags;
pub use layer::{Layered, NextService, layer};
pub use rate_limit::{
    Decision, LimitKey, Limiter, LocalLimiter, Quota, RateLimit, RateLimitBuilder,
};
pub use request_id::{RequestId, RequestIds};
pub use security_headers::{SecurityHeaders, SecurityHeadersBuilder};
pub use settings::FilterError;
pub use simple::{After, Before, after, before};
pub use timing::{Timed, Timing};
pub use trace::Trace;

use crate::app::{Core, Stage};
use crate::request::Request;
use crate::resource::BoxFuture;
use crate::response::{Content, Response};
use crate::route::RouteAt;

/// Something that happens around a handler.
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
    message = "`{Self}` is no filter",
    label = "this does not implement `Filter`",
    note = "make one with `innkeeper_rest::filter::before`, `after` or `layer`, or implement `innkeeper_rest::Filter`"
)]
pub trait Filter: Send + Sync + 'static {
    /// Answers, usually by running what is next. Not running it short-circuits the request.
    fn apply(&self, request: &mut Request, next: Next<'_>)
    -> impl Future<Output = Response> + Send;

    /// Whether this filter has anything to do with a request. One that has not is passed by, which
    /// costs next to nothing; running it would not. It is asked when its turn comes.
    fn applies_to(&self, request: &Request) -> bool {
        let _ = request;
        true
    }

    /// Whether this filter, at a resource or method, is also given the preflights of its routes: the
    /// `OPTIONS` requests with which browsers ask leave to send another request. They carry no
    /// credentials, so filters that do not say so do not see them. Filters of applications and mounts
    /// see every request.
    fn answers_preflights(&self) -> bool {
        false
    }
}

/// A filter whose type has been forgotten.
pub trait DynFilter: Send + Sync + 'static {
    /// As [`Filter::apply`].
    fn apply_dyn<'a>(&'a self, request: &'a mut Request, next: Next<'a>)
    -> BoxFuture<'a, Response>;

    /// As [`Filter::applies_to`].
    fn applies_to_dyn(&self, request: &Request) -> bool;

    /// As [`Filter::answers_preflights`].
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
                // A filter may answer with something that is still being made.
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

/// What comes after a filter: the next filter, or the handler.
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
    /// Runs it. The response is complete: entities and errors are written.
    pub async fn run(self, request: &mut Request) -> Response {
        let mut response = self.core.run_guarded(self.stage, request).await;
        response.merge_headers();
        response
    }
}

impl<'a> Next<'a> {
    /// The route that a request is for, also when a filter of its mount has answered before it was
    /// looked for, and where it is mounted. Needs a lookup; afterwards [`Request::route`] knows it too.
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
