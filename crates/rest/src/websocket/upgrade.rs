//! The argument of a handler that opens a websocket.

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
use super::connection::{Connection, Settings};
use super::desk::Desk;
use super::handshake::{self, Asked};
use super::line::{Line, Seat};
use super::origins::Origins;
use super::socket::Socket;
use crate::future::catch_panic;
use crate::head::Head;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::resource::Call;
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
/// All other arguments are read before, so what is wrong with them is answered as for any request.
/// A request that is no handshake is answered with 426 or 400. Take `Option<Upgrade>` to answer other
/// requests at the same path yourself.
#[must_use = "nothing is opened until it is accepted"]
pub struct Upgrade {
    head: Head,
    asked: Asked,
    seat: Seat,
    origins: Origins,
    protocol: Option<Box<str>>,
    settings: Settings,
}

/// What an argument with `#[upgrade]` may be: [`Upgrade`], or an `Option` of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot take over a connection",
    label = "this type is not an upgrade",
    note = "write `innkeeper_rest::Upgrade`, or `Option<Upgrade>` where other requests are answered too"
)]
pub trait FromUpgrade: Sized {
    /// Reads it from a request.
    #[doc(hidden)]
    fn from_upgrade(request: &Request) -> Result<Self, Rejection>;
}

impl FromUpgrade for Upgrade {
    fn from_upgrade(request: &Request) -> Result<Self, Rejection> {
        Option::from_upgrade(request)?.ok_or_else(handshake::needed)
    }
}

impl FromUpgrade for Option<Upgrade> {
    fn from_upgrade(request: &Request) -> Result<Self, Rejection> {
        let head = request.head();
        if !handshake::wants(head) {
            return Ok(None);
        }
        let asked = handshake::read(head)?;
        let Some(seat) = request.values().get::<Seat>() else {
            return Err(handshake::impossible());
        };
        Ok(Some(Upgrade {
            head: head.clone(),
            asked,
            seat: seat.clone(),
            origins: Origins::same(),
            protocol: None,
            settings: Settings::default(),
        }))
    }
}

/// The connection, for `#[upgrade]` arguments.
pub fn upgrade<T: FromUpgrade>(call: &Call<'_>) -> Result<T, Rejection> {
    T::from_upgrade(call.request)
}

impl Upgrade {
    /// Which pages may open the websocket. Without this, those from the same host and port.
    ///
    /// Others are answered with 403.
    pub fn origins(mut self, origins: Origins) -> Self {
        self.origins = origins;
        self
    }

    /// The subprotocols this handler speaks, best first. The first one that the client speaks too is
    /// agreed on; if there is none the websocket opens without.
    pub fn protocols<T: AsRef<str>>(mut self, known: impl IntoIterator<Item = T>) -> Self {
        self.protocol = known.into_iter().find_map(|known| {
            let known = known.as_ref();
            let offered = self.asked.protocols.iter();
            let found = offered.into_iter().find(|offered| *offered == known)?;
            Some(found.as_str().into())
        });
        self
    }

    /// The subprotocol that was agreed on.
    pub fn protocol(&self) -> Option<&str> {
        self.protocol.as_deref()
    }

    /// How large a message may be, in bytes, however many frames it comes in. The default is 1 MiB.
    /// More closes the websocket with code 1009.
    pub fn max_message(mut self, bytes: usize) -> Self {
        self.settings.message = bytes;
        self
    }

    /// How large one frame of a message may be, in bytes. The default is as large as the message.
    pub fn max_frame(mut self, bytes: usize) -> Self {
        self.settings.frame = bytes;
        self
    }

    /// How much is read at a time, in bytes. The default is 1 KiB, which every open websocket keeps;
    /// more is faster for large messages.
    pub fn buffer(mut self, bytes: usize) -> Self {
        self.settings.buffer = bytes;
        self
    }

    /// How long the other side may be silent before it is sent a ping; `None` sends none. The default
    /// is 30 seconds.
    pub fn ping_after(mut self, silence: impl Into<Option<Duration>>) -> Self {
        self.settings.silence = silence.into();
        self
    }

    /// How long the other side may be silent after a ping. Then the connection is given up. The
    /// default is 30 seconds.
    pub fn pong_within(mut self, time: Duration) -> Self {
        self.settings.patience = time;
        self
    }

    /// Opens the websocket: the function is called with it when the answer has been sent.
    ///
    /// The answer is 101, or 403 if the origin is not allowed. When the function is done the websocket
    /// is closed with code 1000.
    pub fn accept<W, F>(self, work: W) -> Response
    where
        W: FnOnce(Socket) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        if !self.origins.admit(&self.head) {
            return Response::rejected(Rejection::new(
                StatusCode::FORBIDDEN,
                "origin_not_allowed",
                "pages of this origin may not open a websocket here",
            ));
        }
        let mut response = Response::with_status(StatusCode::SWITCHING_PROTOCOLS);
        response.set_as_is();
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        let key = derive_accept_key(self.asked.key.as_bytes());
        if let Ok(key) = key.try_into() {
            headers.insert(SEC_WEBSOCKET_ACCEPT, key);
        }
        if let Some(Ok(protocol)) = self.protocol.as_deref().map(HeaderValue::from_str) {
            headers.insert(SEC_WEBSOCKET_PROTOCOL, protocol);
        }
        let Self {
            seat,
            protocol,
            settings,
            ..
        } = self;
        seat.take_place(Box::new(move |line| {
            Box::pin(run(line, settings, protocol, work))
        }));
        response
    }
}

/// The life of a websocket.
async fn run<W, F>(line: Line, settings: Settings, protocol: Option<Box<str>>, work: W)
where
    W: FnOnce(Socket) -> F,
    F: Future<Output = ()>,
{
    // Boxed, so that nobody carries the room for it about afterwards.
    let connection = Box::pin(Connection::open(line, Role::Server, settings)).await;
    let desk = Arc::new(Desk::default());
    let socket = Socket::new(Box::new(connection), Some(Arc::clone(&desk)), protocol);
    let ended = {
        let mut work = pin!(async move { work(socket).await });
        poll_fn(|cx| catch_panic(|| work.as_mut().poll(cx))).await
    };
    let close = match ended {
        Ok(()) => Close::new(Close::NORMAL, ""),
        Err(panicked) => {
            tracing::error!("a websocket is closed: {panicked}");
            Close::new(Close::INTERNAL, "something went wrong inside")
        }
    };
    let connection = desk.returned().await;
    // Boxed, so that nobody carries the room for it about before.
    Box::pin(connection.farewell(close)).await;
}

impl Socket {
    /// The other end of a line, for the in-process client.
    pub(crate) async fn calling(line: Line, protocol: Option<&str>) -> Self {
        let settings = Settings {
            message: usize::MAX,
            silence: None,
            ..Settings::default()
        };
        let connection = Connection::open(line, Role::Client, settings).await;
        Self::new(Box::new(connection), None, protocol.map(Into::into))
    }
}

impl fmt::Debug for Upgrade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upgrade")
            .field("offered", &self.asked.protocols)
            .field("protocol", &self.protocol)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
