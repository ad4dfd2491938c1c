//! Filters that run as one, without a future in memory of its own for each.

use std::future::{Future, poll_fn};

use super::{Filter, Next};
use crate::app::Core;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::resource::catch_panic;
use crate::response::{Content, Response};
use crate::route::RouteAt;

/// What a filter goes on with: the next link of its chain, or what comes after the chain.
pub trait Continue: Copy + Send + Sync {
    /// Runs it. The response is complete: entities and errors are written.
    fn run(self, request: &mut Request) -> impl Future<Output = Response> + Send;

    /// What comes after the chain.
    fn after_chain(&self) -> Next<'_>;

    /// The route that a request is for: see [`Next::route_of`].
    fn route_of<'a>(&'a self, request: &mut Request) -> Option<RouteAt<'a>> {
        self.after_chain().route_of(request)
    }
}

/// A filter that can be a link of a [`Chain`].
///
/// It is written like any other [`Filter`], and is one: only what it goes on with may be of any type.
///
/// ```
/// use innkeeper_rest::filter::{Continue, Link, chain};
/// use innkeeper_rest::{App, Request, Response};
///
/// /// Says who served.
/// struct ServedBy(&'static str);
///
/// impl Link for ServedBy {
///     async fn pass<C: Continue>(&self, request: &mut Request, next: C) -> Response {
///         next.run(request).await.header("x-served-by", self.0)
///     }
/// }
///
/// let alone = App::new().filter(ServedBy("inn"));
/// let with_another = App::new().filter(chain(ServedBy("inn"), ServedBy("keeper")));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a link of a chain",
    note = "implement `innkeeper_rest::filter::Link`, or give it to the application as a filter of its own"
)]
pub trait Link: Send + Sync + 'static {
    /// As [`Filter::apply`].
    fn pass<C: Continue>(
        &self,
        request: &mut Request,
        next: C,
    ) -> impl Future<Output = Response> + Send;

    /// As [`Filter::applies_to`].
    fn applies_to(&self, request: &Request) -> bool {
        let _ = request;
        true
    }

    /// As [`Filter::answers_preflights`].
    fn answers_preflights(&self) -> bool {
        false
    }

    /// Whether a panic of this filter is caught between it and the filters outside of it, which then see
    /// a 500. Catching costs a little, so filters that run nobody else's code leave it out; a panic of
    /// theirs is still caught, outside of the chain. What is inside of the chain is always caught.
    const GUARDED: bool = true;
}

#[diagnostic::do_not_recommend]
impl<L: Link> Filter for L {
    fn apply(
        &self,
        request: &mut Request,
        next: Next<'_>,
    ) -> impl Future<Output = Response> + Send {
        self.pass(request, next)
    }

    fn applies_to(&self, request: &Request) -> bool {
        Link::applies_to(self, request)
    }

    fn answers_preflights(&self) -> bool {
        Link::answers_preflights(self)
    }
}

impl Continue for Next<'_> {
    fn run(self, request: &mut Request) -> impl Future<Output = Response> + Send {
        Next::run(self, request)
    }

    fn after_chain(&self) -> Next<'_> {
        *self
    }
}

/// Two filters that run as one, the first outside of the second. See [`Chain`].
///
/// ```
/// use innkeeper_rest::App;
/// use innkeeper_rest::filter::{RequestIds, TrustedProxies, chain};
///
/// let app = App::new().filter(chain(RequestIds::new(), TrustedProxies::none()));
/// ```
pub fn chain<A: Link, B: Link>(first: A, second: B) -> Chain<A, B> {
    Chain { first, second }
}

/// Filters that run as one, made by [`chain()`].
///
/// They do what they would do one by one, in the same order. What is saved is the memory of a future for
/// each, and the look for the next one. A chain of a resource or method is given preflights only if all of its
/// links answer them.
#[derive(Debug, Clone)]
pub struct Chain<A, B> {
    first: A,
    second: B,
}

impl<A: Link, B: Link> Chain<A, B> {
    /// With one more filter, inside of those that are there.
    #[must_use]
    pub fn then<L: Link>(self, link: L) -> Chain<Self, L> {
        chain(self, link)
    }
}

impl<A: Link, B: Link> Link for Chain<A, B> {
    async fn pass<C: Continue>(&self, request: &mut Request, next: C) -> Response {
        let rest = Then {
            link: &self.second,
            next: &next,
        };
        if self.first.applies_to(request) {
            return self.first.pass(request, rest).await;
        }
        // Boxed, as below.
        Box::pin(rest.run(request)).await
    }

    fn answers_preflights(&self) -> bool {
        self.first.answers_preflights() && self.second.answers_preflights()
    }
}

/// A link, and what it goes on with. Borrowed: every future of a chain keeps some of these.
struct Then<'l, L, C> {
    link: &'l L,
    next: &'l C,
}

impl<L, C> Clone for Then<'_, L, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L, C> Copy for Then<'_, L, C> {}

impl<L: Link, C: Continue> Continue for Then<'_, L, C> {
    async fn run(self, request: &mut Request) -> Response {
        if !self.link.applies_to(request) {
            // Boxed, so that requests that it applies to do not carry the room for this about.
            return Box::pin(self.next.run(request)).await;
        }
        let answered = {
            let mut work = std::pin::pin!(self.link.pass(&mut *request, *self.next));
            let work = poll_fn(|cx| {
                if L::GUARDED {
                    catch_panic(|| work.as_mut().poll(cx))
                } else {
                    work.as_mut().poll(cx).map(Ok)
                }
            });
            work.await
        };
        let mut response =
            answered.unwrap_or_else(|panicked| Response::rejected(Rejection::internal(panicked)));
        if let Content::Deferred(_) = response.content() {
            response = Box::pin(Core::wait(response, None)).await;
        }
        let core = self.next.after_chain().core;
        core.complete_here(&mut response, request);
        response.settle();
        response
    }

    fn after_chain(&self) -> Next<'_> {
        self.next.after_chain()
    }
}
