//! The server: listens, accepts, limits, and stops gracefully. HTTP/1.1 and HTTP/2 by hyper.

#[cfg(feature = "activation")]
mod activation;
mod connection;
#[cfg(target_os = "linux")]
mod direct;
mod express;
mod io;
mod listener;
mod outbox;
mod pulse;
mod shared;
mod stop;
mod switch;
#[cfg(feature = "tls")]
mod tls;
mod unix;

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::{http1, http2};
use hyper_util::rt::TokioExecutor;
use tokio::sync::Semaphore;

pub use listener::Endpoint;
use listener::{Listener, Open};
pub(crate) use pulse::Busy;
use pulse::{Connections, Patience, Pulse};
pub use stop::Stop;
#[cfg(feature = "tls")]
pub use tls::{ClientCertificate, Tls, TlsError};

use crate::app::{App, Core, RouteError};
use crate::resource::{Mode, Movable};

/// A server on a TCP address or a Unix socket.
///
/// ```no_run
/// use innkeeper_rest::{App, RestApi, Server, Stop, resource};
/// # struct Health;
/// # #[resource("/health")]
/// # impl Health {
/// #     #[get]
/// #     fn check(&self) -> &'static str { "well" }
/// # }
///
/// #[tokio::main]
/// async fn main() -> Result<(), innkeeper_rest::ServeError> {
///     let app = App::new().mount("/", RestApi::new(Health));
///     Server::bind("127.0.0.1:8080")?.stop_on(Stop::on_signals()).serve(app).await
/// }
/// ```
///
/// Limits that hold unless they are changed:
///
/// | Limit | Default | Method |
/// |---|---|---|
/// | size of a request head | 16 KiB | [`head_limit`](Self::head_limit) |
/// | number of request headers | 100 | [`header_count`](Self::header_count) |
/// | time for a request head, the first one with its TLS handshake | 10 s | [`head_timeout`](Self::head_timeout) |
/// | silence between requests | 60 s | [`idle_timeout`](Self::idle_timeout) |
/// | open connections | 10,000 | [`connections`](Self::connections) |
/// | time to finish when stopped | 30 s | [`drain_timeout`](Self::drain_timeout) |
///
/// A request head that is no HTTP is answered with 400 without a body, one that is too large with
/// 431, and the connection is closed. A client that closes its side of the connection, or only the
/// half it writes to, has gone: it gets what is ready, and a handler that still waits is cancelled
/// unless it is [`detached`](macro@crate::detached).
#[derive(Debug)]
pub struct Server {
    listener: Listener,
    endpoint: Endpoint,
    stop: Stop,
    head_limit: usize,
    header_count: usize,
    head_timeout: Duration,
    idle_timeout: Duration,
    drain_timeout: Duration,
    connections: usize,
    http2: bool,
    #[cfg(feature = "tls")]
    tls: Option<Tls>,
}

/// Why a server could not start, or could not go on.
///
/// ```
/// use innkeeper_rest::{ServeError, Server};
///
/// let first = Server::bind("127.0.0.1:0").unwrap();
/// let second = Server::bind(first.address());
/// assert!(matches!(second, Err(ServeError::Listen(..))));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// The routes of the application conflict.
    Routes(RouteError),
    /// The address cannot be listened on.
    Listen(String, std::io::Error),
    /// A runtime could not be started.
    Runtime(std::io::Error),
    /// A certificate or a key cannot be used.
    #[cfg(feature = "tls")]
    Tls(TlsError),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Routes(error) => write!(f, "{error}"),
            Self::Listen(address, error) => write!(f, "cannot listen on {address}: {error}"),
            Self::Runtime(error) => write!(f, "cannot start a runtime: {error}"),
            #[cfg(feature = "tls")]
            Self::Tls(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ServeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Routes(error) => Some(error),
            Self::Listen(_, error) | Self::Runtime(error) => Some(error),
            #[cfg(feature = "tls")]
            Self::Tls(error) => Some(error),
        }
    }
}

impl From<RouteError> for ServeError {
    fn from(error: RouteError) -> Self {
        Self::Routes(error)
    }
}

/// What all connections of a server share.
struct Options {
    http1: http1::Builder,
    /// What a head may measure to be served without hyper.
    plain: express::Bounds,
    http2: http2::Builder<TokioExecutor>,
    http2_enabled: bool,
    #[cfg(feature = "tls")]
    tls: Option<Tls>,
}

impl Server {
    /// Listens on an address; port 0 takes a free one, see [`address`](Self::address).
    pub fn bind(address: impl ToSocketAddrs + fmt::Debug) -> Result<Self, ServeError> {
        let failed = |error| ServeError::Listen(format!("{address:?}").replace('"', ""), error);
        let listener = TcpListener::bind(&address).map_err(failed)?;
        Self::from_listener(listener).map_err(failed)
    }

    /// Serves a listener that is there already.
    pub fn from_listener(listener: TcpListener) -> std::io::Result<Self> {
        Self::on(Listener::Tcp(listener))
    }

    fn on(listener: Listener) -> std::io::Result<Self> {
        listener.set_nonblocking()?;
        let endpoint = listener.endpoint()?;
        Ok(Self {
            listener,
            endpoint,
            stop: Stop::never(),
            head_limit: 16 * 1024,
            header_count: 100,
            head_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_mins(1),
            drain_timeout: Duration::from_secs(30),
            connections: 10_000,
            http2: true,
            #[cfg(feature = "tls")]
            tls: None,
        })
    }

    /// The address it listens on; `0.0.0.0:0` for a Unix socket, which has none.
    pub fn address(&self) -> SocketAddr {
        match self.endpoint {
            Endpoint::Tcp(address) => address,
            Endpoint::Unix(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        }
    }

    /// Where it listens, be it an address or a file.
    pub fn endpoint(&self) -> Endpoint {
        self.endpoint.clone()
    }

    /// Stops when told to: no new connections, requests in progress are answered, idle connections
    /// closed, detached handlers waited for. After the drain timeout it waits no longer and closes what
    /// is still open.
    #[must_use]
    pub fn stop_on(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// How large a request head may be, in bytes. More is answered with 431.
    #[must_use]
    pub fn head_limit(mut self, bytes: usize) -> Self {
        self.head_limit = bytes;
        self
    }

    /// How many headers a request may have. More is answered with 431.
    #[must_use]
    pub fn header_count(mut self, count: usize) -> Self {
        self.header_count = count;
        self
    }

    /// How long a request head may take to arrive. Then the connection is closed.
    #[must_use]
    pub fn head_timeout(mut self, timeout: Duration) -> Self {
        self.head_timeout = timeout;
        self
    }

    /// How long a connection may do nothing between requests, and a client may leave an answer
    /// unread. Then it is closed.
    #[must_use]
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = timeout;
        self
    }

    /// How long requests in progress may take when the server stops.
    #[must_use]
    pub fn drain_timeout(mut self, timeout: Duration) -> Self {
        self.drain_timeout = timeout;
        self
    }

    /// How many connections may be open. More wait to be accepted.
    #[must_use]
    pub fn connections(mut self, count: usize) -> Self {
        self.connections = count;
        self
    }

    /// Whether clients may speak HTTP/2. The default is yes.
    #[must_use]
    pub fn http2(mut self, enabled: bool) -> Self {
        self.http2 = enabled;
        self
    }

    fn options(&self) -> Options {
        let mut http1 = http1::Builder::new();
        http1
            .max_headers(self.header_count)
            .max_header_size(self.head_limit)
            .header_read_timeout(None);
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        let list = u32::try_from(self.head_limit).unwrap_or(u32::MAX);
        http2.max_header_list_size(list).max_concurrent_streams(200);
        Options {
            http1,
            plain: express::Bounds {
                bytes: self.head_limit,
                headers: self.header_count,
            },
            http2,
            http2_enabled: self.http2,
            #[cfg(feature = "tls")]
            tls: self.tls.clone(),
        }
    }

    /// Serves on the runtime it is called on, until it is stopped.
    pub async fn serve<M: Movable>(self, app: App<M>) -> Result<(), ServeError> {
        let core = Arc::clone(app.build()?.core());
        let admission = Arc::new(Semaphore::new(self.connections));
        self.accept(core, admission).await
    }

    /// Serves on a runtime of its own per core, until it is stopped, and blocks the thread meanwhile.
    ///
    /// The function is called once on each thread; this is the only way to serve an application with
    /// `local` resources.
    pub fn serve_per_core<M, W>(self, cores: NonZeroUsize, application: W) -> Result<(), ServeError>
    where
        M: Mode,
        W: Fn() -> App<M> + Sync,
    {
        let admission = Arc::new(Semaphore::new(self.connections));
        let workers = (0..cores.get())
            .map(|_| self.try_clone().map_err(ServeError::Runtime))
            .collect::<Result<Vec<_>, _>>()?;
        drop(self);
        let run = |server: Self| -> Result<(), ServeError> {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(ServeError::Runtime)?;
            let result = runtime.block_on(async {
                let core = Arc::clone(application().build()?.core());
                server.accept(core, Arc::clone(&admission)).await
            });
            // Blocking work that outlasts the drain timeout is not waited for.
            runtime.shutdown_background();
            result
        };
        std::thread::scope(|scope| {
            let mut workers = workers.into_iter();
            let first = workers.next();
            let threads: Vec<_> = workers.map(|server| scope.spawn(|| run(server))).collect();
            let here = first.map_or(Ok(()), run);
            let results = threads.into_iter().map(|thread| match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            here.and(results.collect())
        })
    }

    fn try_clone(&self) -> std::io::Result<Self> {
        Ok(Self {
            listener: self.listener.try_clone()?,
            endpoint: self.endpoint.clone(),
            stop: self.stop.clone(),
            #[cfg(feature = "tls")]
            tls: self.tls.clone(),
            ..*self
        })
    }

    async fn accept(self, core: Arc<Core>, admission: Arc<Semaphore>) -> Result<(), ServeError> {
        let options = Arc::new(self.options());
        let connections = Arc::new(Connections::default());
        let (round, patience) = Patience::new(self.head_timeout, self.idle_timeout);
        let janitor = tokio::spawn({
            let connections = Arc::clone(&connections);
            async move {
                loop {
                    tokio::time::sleep(round).await;
                    connections.tidy(patience);
                }
            }
        });
        // Nothing goes on without limits when this future is dropped before its end.
        let _ended = OnDrop(|| {
            janitor.abort();
            connections.abort();
        });
        #[cfg(feature = "tls")]
        let _watching = self.tls.as_ref().and_then(Tls::start_watching);
        let listener = self
            .listener
            .open()
            .map_err(|error| ServeError::Listen(self.endpoint.to_string(), error))?;
        tokio::select! {
            () = self.stop.told() => {}
            () = accept_all(&listener, &core, &connections, &admission, &options) => {}
        }
        drop(listener);
        connections.stop();
        core.ending.now();
        let ended = async {
            connections.closed().await;
            core.detached_ended().await;
        };
        if tokio::time::timeout(self.drain_timeout, ended)
            .await
            .is_err()
        {
            tracing::warn!("stopping before all connections and detached handlers have finished");
        }
        Ok(())
    }
}

/// Runs a function when it is dropped.
struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Accepts connections for ever.
async fn accept_all(
    listener: &Open,
    core: &Arc<Core>,
    connections: &Arc<Connections>,
    admission: &Arc<Semaphore>,
    options: &Arc<Options>,
) {
    loop {
        // Never closed, so there is always a permit to wait for.
        let Ok(permit) = Arc::clone(admission).acquire_owned().await else {
            return;
        };
        let arrival = match listener.accept().await {
            Ok(arrival) => arrival,
            Err(error) => {
                // Out of file descriptors, or a client that left before it was accepted.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        let pulse = Arc::new(Pulse::new());
        let ticket = connections.admit(Arc::clone(&pulse));
        let number = ticket.number();
        let work = connection::serve(arrival, Arc::clone(core), pulse, Arc::clone(options));
        let task = tokio::spawn(async move {
            let rest = work.await;
            let kept = (ticket, permit);
            if let Some(rest) = rest {
                pulse::Ticket::hand_over(kept, rest);
            }
        });
        connections.attach(number, task.abort_handle());
    }
}
