//! The trait behind `#[resource]`, and how a matched request reaches a handler method.

use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use send_wrapper::SendWrapper;

use crate::app::Scope;
use crate::body::Body;
use crate::filter::{DynFilter, Filter};
use crate::format::Output;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::{Content, Response};
use crate::route::Route;
use crate::source::QueryPairs;

/// What a handler call ends with.
pub(crate) type Outcome = Result<Response, Rejection>;

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A type with handler methods. Implemented by [`#[resource]`](macro@crate::resource), not by hand.
///
/// ```
/// use innkeeper_rest::{Resource, resource};
///
/// struct Health;
///
/// #[resource("/health")]
/// impl Health {
///     #[get]
///     fn check(&self) -> &'static str {
///         "well"
///     }
/// }
///
/// assert_eq!((Health::NAME, Health::BASE, Health::ROUTES.len()), ("Health", "/health", 1));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    note = "mark one of its `impl` blocks with `#[resource(\"/path\")]`"
)]
pub trait Resource: Sized + 'static {
    /// Whether its handlers may move between threads.
    type Mode: Mode;
    /// The name of the type.
    const NAME: &'static str;
    /// The path its routes start with.
    const BASE: &'static str;
    /// Its routes.
    const ROUTES: &'static [Route];
    /// The doc comment of the block.
    const DOCS: &'static str = "";

    /// The filters declared on the resource and its methods.
    #[doc(hidden)]
    fn filters(&self) -> Vec<RouteFilter> {
        Vec::new()
    }

    #[doc(hidden)]
    fn erase(self) -> Erased;

    #[doc(hidden)]
    fn dispatch<'a>(this: &'a Arc<Self>, call: Call<'a>) -> Dispatch<'a>;
}

/// Whether an application can run on a work-stealing runtime: [`Shared`] or [`Local`].
///
/// ```
/// use innkeeper_rest::{App, Mode, ServeError, Server};
///
/// /// Works for both modes: the function is called on every core.
/// fn run<M: Mode>(app: impl Fn() -> App<M> + Sync) -> Result<(), ServeError> {
///     Server::bind("127.0.0.1:8080")?.serve_per_core(std::num::NonZeroUsize::MIN, app)
/// }
/// ```
pub trait Mode: sealed::Sealed + Send + Sync + 'static {}

/// Handlers are `Send`: any runtime will do.
///
/// ```
/// use innkeeper_rest::{App, Shared};
///
/// let app: App<Shared> = App::new().handler("/ping", async |_| "pong");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Shared;

/// At least one resource is `local`: only the per-core runtime will do.
///
/// ```
/// use innkeeper_rest::{App, Local, RestApi, resource};
///
/// struct Counter(std::cell::Cell<u64>);
///
/// #[resource("/counter", local)]
/// impl Counter {
///     #[get]
///     async fn count(&self) -> u64 {
///         self.0.get()
///     }
/// }
///
/// let app: App<Local> = App::new().mount("/", RestApi::new(Counter(0.into())));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Local;

/// The mode of an application that any runtime may serve.
///
/// ```
/// use innkeeper_rest::{App, Movable, ServeError, Server};
///
/// async fn run<M: Movable>(app: App<M>) -> Result<(), ServeError> {
///     Server::bind("127.0.0.1:8080")?.serve(app).await
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "an application with a `local` resource cannot move between threads",
    label = "a resource of this application is `local`",
    note = "serve it with `Server::serve_per_core`, or remove `local` from its `#[resource]`"
)]
pub trait Movable: Mode {}

impl Movable for Shared {}

impl Mode for Shared {}
impl Mode for Local {}

/// The mode of two parts together: local if one of them is.
///
/// ```
/// use innkeeper_rest::{App, Join, Local, Mode, RestApi, Shared};
///
/// fn with_api<M: Mode>(api: RestApi<M>) -> App<<Shared as Join<M>>::Both>
/// where
///     Shared: Join<M>,
/// {
///     App::new().mount("/api", api)
/// }
/// ```
pub trait Join<Other: Mode>: Mode {
    /// The mode of both.
    type Both: Mode;
}

impl Join<Shared> for Shared {
    type Both = Shared;
}
impl Join<Local> for Shared {
    type Both = Local;
}
impl Join<Shared> for Local {
    type Both = Local;
}
impl Join<Local> for Local {
    type Both = Local;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Shared {}
    impl Sealed for super::Local {}
}

/// A filter declared on a resource or on one of its methods.
pub struct RouteFilter {
    /// The route it belongs to, or all of the resource's.
    pub(crate) route: Option<u16>,
    pub(crate) filter: Arc<dyn DynFilter>,
}

impl RouteFilter {
    /// For all routes of the resource.
    pub fn resource(filter: impl Filter) -> Self {
        Self {
            route: None,
            filter: Arc::new(filter),
        }
    }

    /// For one route.
    pub fn route(id: u16, filter: impl Filter) -> Self {
        Self {
            route: Some(id),
            filter: Arc::new(filter),
        }
    }
}

impl fmt::Debug for RouteFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RouteFilter")
            .field("route", &self.route)
            .finish_non_exhaustive()
    }
}

/// A resource whose type has been forgotten.
pub struct Erased(Box<dyn AnyResource>);

impl Erased {
    /// A resource that any thread may call.
    pub fn shared<R: Resource + SharedState + Send>(resource: R) -> Self {
        Self(Box::new(OnAnyThread(Arc::new(resource))))
    }

    /// A resource that stays on the thread it was made on.
    pub fn local<R: Resource>(resource: R) -> Self {
        Self(Box::new(OnThisThread(SendWrapper::new(Arc::new(resource)))))
    }

    pub(crate) fn dispatch<'a>(&'a self, call: Call<'a>) -> Dispatch<'a> {
        self.0.dispatch(call)
    }
}

impl fmt::Debug for Erased {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Erased")
    }
}

trait AnyResource: Send + Sync {
    fn dispatch<'a>(&'a self, call: Call<'a>) -> Dispatch<'a>;
}

struct OnAnyThread<R>(Arc<R>);

impl<R: Resource + SharedState> AnyResource for OnAnyThread<R> {
    fn dispatch<'a>(&'a self, call: Call<'a>) -> Dispatch<'a> {
        R::dispatch(&self.0, call)
    }
}

/// The wrapper panics on another thread; that no application with a local resource gets to one is
/// what [`Mode`] is for.
struct OnThisThread<R>(SendWrapper<Arc<R>>);

impl<R: Resource> AnyResource for OnThisThread<R> {
    fn dispatch<'a>(&'a self, call: Call<'a>) -> Dispatch<'a> {
        R::dispatch(&self.0, call)
    }
}

/// One request on its way to a handler method.
#[derive(Debug)]
pub struct Call<'a> {
    pub(crate) request: &'a mut Request,
    pub(crate) route: &'static Route,
    pub(crate) scope: &'a Arc<Scope>,
    pub(crate) output: Output,
    /// The parts of the query, if the route reads any.
    pub(crate) pairs: QueryPairs,
}

impl Call<'_> {
    /// The number of the route within its resource.
    pub fn id(&self) -> u16 {
        self.route.id
    }

    /// Takes the body.
    pub fn take_body(&mut self) -> Body {
        self.request.take_body()
    }

    /// Takes the whole request.
    pub fn take_request(&mut self) -> Request {
        self.request.take()
    }
}

/// A call that owns its request, for handlers that outlive their client.
#[derive(Debug)]
pub struct OwnedCall {
    request: Request,
    route: &'static Route,
    scope: Arc<Scope>,
    output: Output,
    pairs: QueryPairs,
}

impl OwnedCall {
    /// The call.
    pub fn call(&mut self) -> Call<'_> {
        Call {
            request: &mut self.request,
            route: self.route,
            scope: &self.scope,
            output: self.output,
            pairs: self.pairs,
        }
    }
}

/// What a resource must be when any thread may call it: `Send` and `Sync`, with words of our own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds state that other threads may not see",
    label = "this resource is not `Send` and `Sync`",
    note = "hold `Arc` instead of `Rc` and `Mutex` instead of `RefCell`, or write \
        `#[resource(\"/path\", local)]`"
)]
pub trait SharedState: Send + Sync {}

#[diagnostic::do_not_recommend]
impl<R: Send + Sync> SharedState for R {}

/// A handler call: finished, or to be waited for.
pub enum Dispatch<'a> {
    /// The handler did not need to wait.
    Ready(Outcome),
    /// The handler, not yet started.
    Future(BoxFuture<'a, Outcome>),
}

impl<'a> Dispatch<'a> {
    /// The outcome of a handler that did not wait.
    pub fn ready(outcome: Outcome) -> Self {
        Self::Ready(outcome)
    }

    /// A handler that may wait.
    pub fn future<F>(future: F) -> Self
    where
        F: Future<Output = Outcome> + 'a,
        // The compiler shows this line to whoever wrote a handler that is not `Send`.
        F: Send, // hold nothing across `.await` that is not, or write `#[resource("/path", local)]`
    {
        Self::Future(Box::pin(future))
    }

    /// A handler that stays on its thread.
    pub fn local(future: impl Future<Output = Outcome> + 'a) -> Self {
        // Boxed before it is wrapped: the wrapper wants to be able to move what it wraps.
        let future: Pin<Box<dyn Future<Output = Outcome> + 'a>> = Box::pin(future);
        Self::Future(Box::pin(SendWrapper::new(future)))
    }

    /// A handler that runs to its end, whether the client stays or not.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "nobody can use the call after this"
    )]
    pub fn detached<F, W>(call: Call<'a>, work: W) -> Self
    where
        W: FnOnce(OwnedCall) -> F,
        F: Future<Output = Outcome> + 'static,
        F: Send, // hold nothing across `.await` that is not
    {
        let owned = OwnedCall {
            request: call.request.take(),
            route: call.route,
            scope: Arc::clone(call.scope),
            output: call.output,
            pairs: call.pairs,
        };
        let running = call.scope.enter_detached();
        let work = work(owned);
        let task = tokio::spawn(async move {
            // A server that stops waits for this to go.
            let _running = running;
            let mut outcome = work.await;
            // What the handler has deferred is part of it.
            while let Ok(response) = &mut outcome
                && matches!(response.content(), Content::Deferred(_))
                && let Content::Deferred(rest) = response.take_content()
            {
                outcome = Ok(rest.await);
            }
            outcome
        });
        Self::future(async move {
            match task.await {
                Ok(outcome) => outcome,
                Err(error) => match error.try_into_panic() {
                    // Let it pass through the same guard as any other handler's panic.
                    Ok(panic) => std::panic::resume_unwind(panic),
                    Err(cancelled) => Err(Rejection::internal(cancelled)),
                },
            }
        })
    }

    /// A route number the resource does not have.
    pub fn unknown() -> Self {
        Self::Ready(Err(Rejection::not_found()))
    }
}

impl fmt::Debug for Dispatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ready(_) => "Ready",
            Self::Future(_) => "Future",
        })
    }
}

/// Polls, and turns a panic into an error.
pub(crate) fn catch_panic<T>(poll: impl FnOnce() -> Poll<T>) -> Poll<Result<T, Panicked>> {
    match std::panic::catch_unwind(AssertUnwindSafe(poll)) {
        Ok(poll) => poll.map(Ok),
        Err(_) => Poll::Ready(Err(Panicked)),
    }
}

/// A handler or filter panicked; the panic hook has told where.
#[derive(Debug)]
pub(crate) struct Panicked;

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a handler or filter panicked")
    }
}

impl std::error::Error for Panicked {}
