//! `Upgrade`: the argument of a handler that opens a websocket.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use http::header::{
    CONNECTION, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_PROTOCOL, UPGRADE,
};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::close::Close;
use super::connection::{Connection, SocketConfig};
use super::handshake::{self, HandshakeRequest};
use super::origins::Origins;
use super::return_slot::ReturnSlot;
use super::socket::Socket;
use super::upgraded::{UpgradeSlot, UpgradedConnection};
use crate::call::Call;
use crate::future::catch_panic;
use crate::head::Head;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::Response;

/// A request to open a websocket, for an argument with `#[upgrade]`.
///
/// ```
/// use innkeeper_rest::testing::Client;
/// use innkeeper_rest::{App, Response, RestApi, Upgrade, resource};
///
/// struct Parrot;
///
/// #[resource("/parrot")]
/// impl Parrot {
///     #[get("/{times}")]
///     async fn talk(&self, times: usize, #[upgrade] upgrade: Upgrade) -> Response {
///         upgrade.max_message(64 * 1024).accept(async move |mut socket| {
///             while let Some(message) = socket.next().await {
///                 for _ in 0..times {
///                     if socket.send(message.clone()).await.is_err() {
///                         return;
///                     }
///                 }
///             }
///         })
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let client = Client::new(App::new().mount("/", RestApi::new(Parrot))).unwrap();
/// let mut socket = client.get("/parrot/2").websocket().await.unwrap();
/// socket.send("hello").await.unwrap();
/// assert_eq!(socket.next().await.unwrap().text(), Some("hello"));
/// assert_eq!(socket.next().await.unwrap().text(), Some("hello"));
/// # });
/// ```
///
/// All other arguments are read first, and rejected as for any request. A request without a valid
/// handshake is answered with 426 or 400. Take `Option<Upgrade>` to answer other requests at the same
/// path yourself.
#[must_use = "the websocket opens only when `accept` is called"]
pub struct Upgrade {
    head: Head,
    handshake: HandshakeRequest,
    slot: UpgradeSlot,
    origins: Origins,
    protocol: Option<Box<str>>,
    config: SocketConfig,
}

/// A type of an argument with `#[upgrade]`: [`Upgrade`], or an `Option` of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot take over a connection",
    label = "this type is not an upgrade",
    note = "write `innkeeper_rest::Upgrade`, or `Option<Upgrade>` where other requests are answered too"
)]
pub trait FromUpgrade: Sized {
    /// Reads the handshake of a request.
    #[doc(hidden)]
    fn from_upgrade(request: &Request) -> Result<Self, Rejection>;
}

impl FromUpgrade for Upgrade {
    fn from_upgrade(request: &Request) -> Result<Self, Rejection> {
        Option::from_upgrade(request)?.ok_or_else(handshake::upgrade_required)
    }
}

impl FromUpgrade for Option<Upgrade> {
    fn from_upgrade(request: &Request) -> Result<Self, Rejection> {
        let head = request.head();
        if !handshake::is_requested(head) {
            return Ok(None);
        }
        let handshake = handshake::parse(head)?;
        let Some(slot) = request.values().get::<UpgradeSlot>() else {
            return Err(handshake::unsupported_transport());
        };
        Ok(Some(Upgrade {
            head: head.clone(),
            handshake,
            slot: slot.clone(),
            origins: Origins::same(),
            protocol: None,
            config: SocketConfig::default(),
        }))
    }
}

/// Reads the handshake, for `#[upgrade]` arguments.
pub fn upgrade<T: FromUpgrade>(call: &Call<'_>) -> Result<T, Rejection> {
    T::from_upgrade(call.request)
}

impl Upgrade {
    /// Sets which web pages may open the websocket. The default is pages from the same host and port.
    ///
    /// Requests from other pages are answered with 403.
    pub fn origins(mut self, origins: Origins) -> Self {
        self.origins = origins;
        self
    }

    /// Sets the subprotocols that this handler supports, preferred first. The first one that the
    /// client offers too is used; if there is none, the websocket opens without a subprotocol.
    pub fn protocols<T: AsRef<str>>(mut self, supported: impl IntoIterator<Item = T>) -> Self {
        self.protocol = supported.into_iter().find_map(|supported| {
            let supported = supported.as_ref();
            let mut offered = self.handshake.protocols.iter();
            let chosen = offered.find(|offered| *offered == supported)?;
            Some(chosen.as_str().into())
        });
        self
    }

    /// Returns the subprotocol that was negotiated.
    pub fn protocol(&self) -> Option<&str> {
        self.protocol.as_deref()
    }

    /// Limits the size of a message, in bytes, over all its frames. The default is 1 MiB. A larger
    /// message closes the websocket with code 1009.
    pub fn max_message(mut self, bytes: usize) -> Self {
        self.config.max_message = bytes;
        self
    }

    /// Limits the size of one frame, in bytes. The default is the limit for messages.
    pub fn max_frame(mut self, bytes: usize) -> Self {
        self.config.max_frame = bytes;
        self
    }

    /// Sets the size of the read buffer, in bytes. The default is 1 KiB, which every open websocket
    /// keeps allocated. A larger buffer is faster for large messages.
    pub fn buffer(mut self, bytes: usize) -> Self {
        self.config.read_buffer = bytes;
        self
    }

    /// Sets how long the client may be silent before it is sent a ping; `None` sends no pings. The
    /// default is 30 seconds.
    pub fn ping_after(mut self, silence: impl Into<Option<Duration>>) -> Self {
        self.config.ping_after = silence.into();
        self
    }

    /// Limits how long the client may be silent after a ping. Then the connection is closed. The
    /// default is 30 seconds.
    pub fn pong_within(mut self, time: Duration) -> Self {
        self.config.pong_within = time;
        self
    }

    /// Opens the websocket. `serve` is called with it when the response has been sent.
    ///
    /// The response is 101, or 403 if the origin is not allowed. When `serve` returns, the websocket is
    /// closed with code 1000.
    pub fn accept<W, F>(self, serve: W) -> Response
    where
        W: FnOnce(Socket) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        if !self.origins.admit(&self.head) {
            return Response::rejected(Rejection::new(
                StatusCode::FORBIDDEN,
                "origin_not_allowed",
                "pages of this origin may not open this websocket",
            ));
        }
        let mut response = Response::with_status(StatusCode::SWITCHING_PROTOCOLS);
        response.set_as_is();
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        let key = derive_accept_key(self.handshake.key.as_bytes());
        if let Ok(key) = key.try_into() {
            headers.insert(SEC_WEBSOCKET_ACCEPT, key);
        }
        if let Some(Ok(protocol)) = self.protocol.as_deref().map(HeaderValue::from_str) {
            headers.insert(SEC_WEBSOCKET_PROTOCOL, protocol);
        }
        let Self {
            slot,
            protocol,
            config,
            ..
        } = self;
        slot.set(Box::new(move |upgraded| {
            Box::pin(run(upgraded, config, protocol, serve))
        }));
        response
    }
}

/// Runs a websocket from its opening to the end of its connection.
async fn run<W, F>(
    upgraded: UpgradedConnection,
    config: SocketConfig,
    protocol: Option<Box<str>>,
    serve: W,
) where
    W: FnOnce(Socket) -> F,
    F: Future<Output = ()>,
{
    // Boxed, so that the task does not keep the memory of this future.
    let connection = Box::pin(Connection::open(upgraded, Role::Server, config)).await;
    let slot = Arc::new(ReturnSlot::default());
    let socket = Socket::new(Box::new(connection), Some(Arc::clone(&slot)), protocol);
    let result = {
        let mut serving = pin!(async move { serve(socket).await });
        poll_fn(|cx| catch_panic(|| serving.as_mut().poll(cx))).await
    };
    let close = match result {
        Ok(()) => Close::new(Close::NORMAL, ""),
        Err(panicked) => {
            tracing::error!("closing a websocket: {panicked}");
            Close::new(Close::INTERNAL, "internal error")
        }
    };
    let connection = slot.take().await;
    // Boxed, so that the task does not reserve the memory of this future from the start.
    Box::pin(connection.close_and_wait(close)).await;
}

impl Socket {
    /// Opens the client side of a connection, for the in-process client.
    pub(crate) async fn client(upgraded: UpgradedConnection, protocol: Option<&str>) -> Self {
        let config = SocketConfig {
            max_message: usize::MAX,
            ping_after: None,
            ..SocketConfig::default()
        };
        let connection = Connection::open(upgraded, Role::Client, config).await;
        Self::new(Box::new(connection), None, protocol.map(Into::into))
    }
}

impl fmt::Debug for Upgrade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upgrade")
            .field("offered", &self.handshake.protocols)
            .field("protocol", &self.protocol)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
