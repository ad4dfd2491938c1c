//! The trait behind `#[resource]`, its modes, and the filters declared with it.

mod mode;
mod route_filter;

use std::sync::Arc;

use send_wrapper::SendWrapper;

pub use mode::{Join, Local, Mode, Movable, Shared};
pub use route_filter::RouteFilter;

use crate::call::{Call, Dispatch, DynResource, ErasedResource};
use crate::route::Route;

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
    /// Whether handlers may move between threads.
    type Mode: Mode;
    /// The name of the type.
    const NAME: &'static str;
    /// The path that all routes start with.
    const BASE: &'static str;
    /// The routes, in the order of their declaration.
    const ROUTES: &'static [Route];
    /// The doc comment of the `impl` block.
    const DOCS: &'static str = "";

    /// Returns the filters declared on the resource and its methods.
    #[doc(hidden)]
    fn filters(&self) -> Vec<RouteFilter> {
        Vec::new()
    }

    #[doc(hidden)]
    fn erase(self) -> ErasedResource;

    #[doc(hidden)]
    fn dispatch<'a>(this: &'a Arc<Self>, call: Call<'a>) -> Dispatch<'a>;
}

impl ErasedResource {
    /// Erases the type of a resource that any thread may call.
    pub fn shared<R: Resource + SharedState + Send>(resource: R) -> Self {
        Self::new(SharedResource(Arc::new(resource)))
    }

    /// Erases the type of a resource that stays on the thread it was made on.
    pub fn local<R: Resource>(resource: R) -> Self {
        Self::new(LocalResource(SendWrapper::new(Arc::new(resource))))
    }
}

struct SharedResource<R>(Arc<R>);

impl<R: Resource + SharedState> DynResource for SharedResource<R> {
    fn dispatch<'a>(&'a self, call: Call<'a>) -> Dispatch<'a> {
        R::dispatch(&self.0, call)
    }
}

/// The wrapper panics on another thread. [`Mode`] sees to it that an application with a local resource
/// never gets to one.
struct LocalResource<R>(SendWrapper<Arc<R>>);

impl<R: Resource> DynResource for LocalResource<R> {
    fn dispatch<'a>(&'a self, call: Call<'a>) -> Dispatch<'a> {
        R::dispatch(&self.0, call)
    }
}

/// `Send` and `Sync`, for resources that any thread may call, with an error message of its own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds state that other threads may not see",
    label = "this resource is not `Send` and `Sync`",
    note = "hold `Arc` instead of `Rc` and `Mutex` instead of `RefCell`, or write \
        `#[resource(\"/path\", local)]`"
)]
pub trait SharedState: Send + Sync {}

#[diagnostic::do_not_recommend]
impl<R: Send + Sync> SharedState for R {}
