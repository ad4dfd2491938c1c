//! Modes: whether an application can run on a work-stealing runtime.

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

/// The mode in which all handlers are `Send`: any runtime can serve them.
///
/// ```
/// use innkeeper_rest::{App, Shared};
///
/// let app: App<Shared> = App::new().handler("/ping", async |_| "pong");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Shared;

/// The mode in which at least one resource is `local`: only the per-core runtime can serve it.
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

/// A mode that any runtime can serve.
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

/// The mode of two parts together: [`Local`] if one of them is local.
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
    /// The mode of both parts together.
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
