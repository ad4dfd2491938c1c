//! The server: listens, accepts and limits connections, and shuts down gracefully.
//!
//! HTTP/2 and unusual HTTP/1.1 requests are served by hyper, all others by the fast path.

mod accept;
#[cfg(feature = "activation")]
mod activation;
mod buffered_writer;
mod byte_set;
mod client_limit;
mod connection;
mod context;
mod error;
mod fast_path;
mod frame_scanner;
mod halves;
mod host;
mod listener;
mod refusal;
mod registry;
mod socket;
mod socket_file;
mod stream;
mod stream_tasks;
#[cfg(target_os = "linux")]
mod tcp;
#[cfg(feature = "tls")]
mod tls;
mod unix;
mod upgrade;
mod wire_body;

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::{http1, http2};
use tokio::sync::Semaphore;

use client_limit::ClientLimit;
use connection::ConnectionConfig;
pub use error::ServeError;
use fast_path::HeadLimits;
pub use listener::Endpoint;
use listener::Listener;
use registry::{ConnectionRegistry, TimeoutChecks};
use stream_tasks::StreamExecutor;
#[cfg(feature = "tls")]
pub use tls::{ClientCertificate, Tls, TlsError};

use crate::app::App;
use crate::pipeline::Core;
use crate::resource::{Mode, Movable};
use crate::runtime::Stop;

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
/// Limits and their defaults:
///
/// | Limit | Default | Method |
/// |---|---|---|
/// | size of a request head | 16 KiB | [`head_limit`](Self::head_limit) |
/// | number of request headers | 100 | [`header_count`](Self::header_count) |
/// | time to receive a request head; the first includes the TLS handshake | 10 s | [`head_timeout`](Self::head_timeout) |
/// | time without activity between requests, or without the client taking what is ready | 60 s | [`idle_timeout`](Self::idle_timeout) |
/// | open connections | 10,000 | [`connections`](Self::connections) |
/// | open connections of a client address | none | [`connections_per_client`](Self::connections_per_client) |
/// | time to finish requests on shutdown | 30 s | [`drain_timeout`](Self::drain_timeout) |
///
/// A malformed request head is answered with 400 without a body, as is one without exactly one valid
/// `Host`, a head that is too large with 431, one that is late with 408, and the connection is closed. It
/// is also closed after a request with trailers. A client that closes the connection, or only the half it writes to,
/// is treated as gone: it is sent what is ready, and a handler that still runs is cancelled unless it
/// is [`detached`](macro@crate::detached).
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
    client_limit: ClientLimit,
    http2: bool,
    #[cfg(feature = "tls")]
    tls: Option<Tls>,
}

impl Server {
    /// Listens on an address. Port 0 picks a free port, see [`address`](Self::address).
    ///
    /// # Errors
    ///
    /// Fails if the address cannot be resolved or is in use.
    pub fn bind(address: impl ToSocketAddrs + fmt::Debug) -> Result<Self, ServeError> {
        let failed = |error| ServeError::Listen(format!("{address:?}").replace('"', ""), error);
        let listener = TcpListener::bind(&address).map_err(failed)?;
        Self::from_listener(listener).map_err(failed)
    }

    /// Serves on an existing listener.
    ///
    /// # Errors
    ///
    /// Fails if the listener cannot be made non-blocking.
    pub fn from_listener(listener: TcpListener) -> std::io::Result<Self> {
        Self::on(Listener::Tcp(listener))
    }

    fn on(listener: Listener) -> std::io::Result<Self> {
        listener.set_nonblocking()?;
        listener.lengthen_queue()?;
        let endpoint = listener.endpoint()?;
        Ok(Self {
            listener,
            endpoint,
            stop: Stop::new(),
            head_limit: 16 * 1024,
            header_count: 100,
            head_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_mins(1),
            drain_timeout: Duration::from_secs(30),
            connections: 10_000,
            client_limit: ClientLimit::default(),
            http2: true,
            #[cfg(feature = "tls")]
            tls: None,
        })
    }

    /// Returns the address that the server listens on; `0.0.0.0:0` for a Unix socket, which has none.
    pub fn address(&self) -> SocketAddr {
        match self.endpoint {
            Endpoint::Tcp(address) => address,
            Endpoint::Unix(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        }
    }

    /// Returns where the server listens: an address or a Unix socket.
    pub fn endpoint(&self) -> Endpoint {
        self.endpoint.clone()
    }

    /// Sets the signal that stops the server.
    ///
    /// The server then accepts no more connections, closes idle ones, answers requests in progress and
    /// waits for detached handlers. After the [drain timeout](Self::drain_timeout) it closes what is
    /// still open.
    #[must_use]
    pub fn stop_on(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// Limits the size of a request head, in bytes. A larger one is answered with 431.
    #[must_use]
    pub fn head_limit(mut self, bytes: usize) -> Self {
        self.head_limit = bytes;
        self
    }

    /// Limits the number of headers of a request. More are answered with 431.
    #[must_use]
    pub fn header_count(mut self, count: usize) -> Self {
        self.header_count = count;
        self
    }

    /// Limits the time to receive a request head. Then the connection is closed.
    #[must_use]
    pub fn head_timeout(mut self, timeout: Duration) -> Self {
        self.head_timeout = timeout;
        self
    }

    /// Limits how long a connection may be idle between requests, and how long a client may leave a
    /// response unread. Then the connection is closed. A stream of HTTP/2 whose client does not take
    /// its response is reset; frames that belong to no message, such as PING, do not count as activity.
    #[must_use]
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = timeout;
        self
    }

    /// Limits how long requests in progress may take when the server stops.
    #[must_use]
    pub fn drain_timeout(mut self, timeout: Duration) -> Self {
        self.drain_timeout = timeout;
        self
    }

    /// Limits the number of open connections. When there are so many and another comes, the one that has
    /// been idle for longest is closed; if all are in use, it waits. With several cores, each closes its own.
    #[must_use]
    pub fn connections(mut self, count: usize) -> Self {
        self.connections = count;
        self
    }

    /// Limits the number of open connections of each client, which is an IPv4 address or the /64 network of an
    /// IPv6 address. More are closed at once. Unix sockets are exempt, and the addresses for which the function
    /// returns `true`, such as those of proxies, which connect for many.
    #[must_use]
    pub fn connections_per_client(
        mut self,
        count: usize,
        is_exempt: impl Fn(IpAddr) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.client_limit.count = Some(count);
        self.client_limit.is_exempt = Some(Arc::new(is_exempt));
        self
    }

    /// Enables or disables HTTP/2. It is enabled by default.
    #[must_use]
    pub fn http2(mut self, enabled: bool) -> Self {
        self.http2 = enabled;
        self
    }

    /// Encrypts all connections. Plain HTTP on this port is refused.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn tls(mut self, tls: Tls) -> Self {
        tls.warn_about_dates();
        self.tls = Some(tls);
        self
    }

    fn connection_config(&self) -> ConnectionConfig {
        let mut http1 = http1::Builder::new();
        http1
            .max_headers(self.header_count)
            .max_header_size(self.head_limit)
            .header_read_timeout(None);
        let mut http2 = http2::Builder::new(StreamExecutor {
            timeout: self.idle_timeout,
        });
        let list_size = u32::try_from(self.head_limit).unwrap_or(u32::MAX);
        http2
            .max_header_list_size(list_size)
            .max_concurrent_streams(200);
        ConnectionConfig {
            http1,
            head_limits: HeadLimits {
                bytes: self.head_limit,
                headers: self.header_count,
            },
            http2,
            http2_enabled: self.http2,
            #[cfg(feature = "tls")]
            tls: self.tls.clone(),
        }
    }

    /// Serves an application on the current runtime, until the server is stopped.
    ///
    /// # Errors
    ///
    /// Fails if routes of the application conflict, or if the listener cannot be registered with the
    /// runtime.
    pub async fn serve<M: Movable>(self, app: App<M>) -> Result<(), ServeError> {
        let core = Arc::clone(app.build()?.core());
        let permits = Arc::new(Semaphore::new(self.connections));
        self.run(core, permits).await
    }

    /// Serves on one single-threaded runtime per core. Blocks the calling thread until the server is
    /// stopped.
    ///
    /// `application` is called once on each thread. This is the only way to serve an application with
    /// `local` resources.
    ///
    /// # Errors
    ///
    /// Fails if routes of the application conflict, or if a runtime cannot be started.
    ///
    /// # Panics
    ///
    /// Panics if `application` panics.
    pub fn serve_per_core<M, W>(self, cores: NonZeroUsize, application: W) -> Result<(), ServeError>
    where
        M: Mode,
        W: Fn() -> App<M> + Sync,
    {
        let permits = Arc::new(Semaphore::new(self.connections));
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
                server.run(core, Arc::clone(&permits)).await
            });
            // Does not wait for blocking calls that outlast the drain timeout.
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
            client_limit: self.client_limit.clone(),
            #[cfg(feature = "tls")]
            tls: self.tls.clone(),
            ..*self
        })
    }

    /// Accepts connections until the server is stopped, then waits for them to end.
    async fn run(self, core: Arc<Core>, permits: Arc<Semaphore>) -> Result<(), ServeError> {
        let config = Arc::new(self.connection_config());
        let registry = Arc::new(ConnectionRegistry::default());
        let (interval, timeouts) = TimeoutChecks::new(self.head_timeout, self.idle_timeout);
        let timeout_task = tokio::spawn({
            let registry = Arc::clone(&registry);
            async move {
                loop {
                    tokio::time::sleep(interval).await;
                    registry.close_stale(timeouts);
                }
            }
        });
        // If this future is dropped early, no connection goes on without its timeouts.
        let _cleanup = OnDrop(|| {
            timeout_task.abort();
            registry.abort();
        });
        #[cfg(feature = "tls")]
        let _watcher = self.tls.as_ref().and_then(Tls::start_watching);
        let listener = self
            .listener
            .into_async()
            .map_err(|error| ServeError::Listen(self.endpoint.to_string(), error))?;
        tokio::select! {
            () = self.stop.requested() => {}
            () = accept::accept_all(&listener, &core, &registry, (&permits, &self.client_limit), &config) => {}
        }
        drop(listener);
        registry.stop();
        core.ending.now();
        let drained = async {
            registry.closed().await;
            core.detached_ended().await;
        };
        if tokio::time::timeout(self.drain_timeout, drained)
            .await
            .is_err()
        {
            tracing::warn!("stopping before all connections and detached handlers have finished");
        }
        Ok(())
    }
}

/// Calls a function when it is dropped.
struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}
