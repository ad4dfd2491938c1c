//! An in-process client, which sends requests to an application without sockets.
//!
//! ```
//! use innkeeper_rest::testing::Client;
//! use innkeeper_rest::{App, RestApi, resource};
//!
//! struct Greetings;
//!
//! #[resource("/greetings")]
//! impl Greetings {
//!     #[get("/{name}")]
//!     fn greet(&self, name: &str) -> String {
//!         format!("Hello, {name}!")
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let client = Client::new(App::new().mount("/", RestApi::new(Greetings))).unwrap();
//! let response = client.get("/greetings/Ada").send().await;
//! assert_eq!(response.status(), 200);
//! assert_eq!(response.text(), "Hello, Ada!");
//! # });
//! ```

use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::Pin;

use bytes::{Bytes, BytesMut};
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use http_body::Body as _;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::app::{App, AppService, RouteError};
use crate::body::Body;
use crate::box_error::BoxError;
use crate::head::Head;
use crate::request::Request;
use crate::resource::{Mode, Shared};
use crate::response::ReplyBody;

/// A client of one application.
///
/// ```
/// use innkeeper_rest::App;
/// use innkeeper_rest::testing::Client;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let client = Client::new(App::new().handler("/ping", async |_| "pong")).unwrap();
/// assert_eq!(client.get("/ping").send().await.text(), "pong");
/// # });
/// ```
#[derive(Debug, Clone)]
pub struct Client<M: Mode = Shared> {
    app: AppService<M>,
}

/// A request of a [`Client`], until it is sent.
///
/// ```
/// use innkeeper_rest::App;
/// use innkeeper_rest::testing::Client;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let client = Client::new(App::new().handler("/ping", async |_| "pong")).unwrap();
/// let request = client.post("/ping").header("x-who", "me").json(&[1, 2]);
/// assert_eq!(request.send().await.status(), 200);
/// # });
/// ```
#[derive(Debug)]
pub struct TestRequest<'c, M: Mode> {
    client: &'c Client<M>,
    head: Head,
    body: Body,
    peer: Option<SocketAddr>,
    is_encrypted: bool,
}

/// A response with its whole body.
///
/// ```
/// use innkeeper_rest::App;
/// use innkeeper_rest::testing::Client;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let client = Client::new(App::new().handler("/ping", async |_| "pong")).unwrap();
/// let response = client.get("/nowhere").send().await;
/// assert_eq!(response.status(), 404);
/// assert_eq!(response.header("content-type"), Some("application/problem+json"));
/// assert_eq!(response.json::<serde_json::Value>().unwrap()["code"], "not_found");
/// # });
/// ```
#[derive(Debug)]
pub struct TestResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
    failure: Option<BoxError>,
}

impl<M: Mode> Client<M> {
    /// Builds an application and makes a client of it.
    ///
    /// # Errors
    ///
    /// Fails if [`App::build`] does.
    pub fn new(app: App<M>) -> Result<Self, RouteError> {
        Ok(Self { app: app.build()? })
    }

    /// Starts a request of any method.
    pub fn request(&self, method: Method, target: impl Into<String>) -> TestRequest<'_, M> {
        let head = Head::new(method, target);
        TestRequest {
            client: self,
            head,
            body: Body::empty(),
            peer: None,
            is_encrypted: false,
        }
    }

    /// Starts a GET request.
    pub fn get(&self, target: impl Into<String>) -> TestRequest<'_, M> {
        self.request(Method::GET, target)
    }

    /// Starts a POST request.
    pub fn post(&self, target: impl Into<String>) -> TestRequest<'_, M> {
        self.request(Method::POST, target)
    }

    /// Starts a PUT request.
    pub fn put(&self, target: impl Into<String>) -> TestRequest<'_, M> {
        self.request(Method::PUT, target)
    }

    /// Starts a DELETE request.
    pub fn delete(&self, target: impl Into<String>) -> TestRequest<'_, M> {
        self.request(Method::DELETE, target)
    }
}

impl<'c, M: Mode> TestRequest<'c, M> {
    /// Adds a header. An invalid name or value is ignored.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(value.as_ref())) {
            self.head = self.head.with_header(name, value);
        }
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Body>) -> Self {
        self.body = body.into();
        self
    }

    /// Sets a JSON body and its content type.
    #[must_use]
    pub fn json(self, value: &impl Serialize) -> Self {
        let bytes = serde_json::to_vec(value).unwrap_or_default();
        self.header(CONTENT_TYPE.as_str(), "application/json")
            .body(bytes)
    }

    /// Sets the body of a form, such as `a=1&b=2`, and its content type.
    #[must_use]
    pub fn form(self, fields: &str) -> Self {
        let body = fields.to_owned();
        self.header(CONTENT_TYPE.as_str(), "application/x-www-form-urlencoded")
            .body(body)
    }

    /// Sets the address of the peer.
    #[must_use]
    pub fn from_peer(mut self, peer: SocketAddr) -> Self {
        self.peer = Some(peer);
        self
    }

    /// Sends the request as if through a TLS listener.
    #[must_use]
    pub fn encrypted(mut self) -> Self {
        self.is_encrypted = true;
        self
    }

    /// Sends the request and reads the whole response.
    pub async fn send(self) -> TestResponse {
        let (client, request) = self.into_request();
        TestResponse::read(client.app.answer(request).await).await
    }

    fn into_request(self) -> (&'c Client<M>, Request) {
        let mut request = Request::new(self.head, self.body);
        request.set_peer(self.peer);
        request.set_encrypted(self.is_encrypted);
        (self.client, request)
    }

    /// Opens a websocket and returns the client's end.
    ///
    /// The headers of the handshake are added; an `Origin` is not. Call it on a runtime: the handler
    /// continues in the background.
    ///
    /// # Errors
    ///
    /// Returns the response if it does not open a websocket.
    #[cfg(feature = "websocket")]
    pub async fn websocket(self) -> Result<crate::websocket::Socket, TestResponse> {
        use crate::websocket::{Socket, UpgradeSlot, UpgradedConnection};

        let request = self
            .header("connection", "upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
        let (client, mut request) = request.into_request();
        let slot = UpgradeSlot::default();
        request.values_mut().set(slot.clone());
        let reply = client.app.answer(request).await;
        let Some(handler) = slot
            .take()
            .filter(|_| reply.status() == StatusCode::SWITCHING_PROTOCOLS)
        else {
            return Err(TestResponse::read(reply).await);
        };
        let (here, there) = tokio::io::duplex(16 * 1024);
        let connection = |io| UpgradedConnection {
            io: Box::new(io),
            stop: client.app.core().ending.clone(),
        };
        tokio::spawn(handler(connection(there)));
        let protocol = reply.headers().get("sec-websocket-protocol");
        let protocol = protocol.and_then(|protocol| protocol.to_str().ok());
        Ok(Socket::client(connection(here), protocol).await)
    }
}

impl TestResponse {
    async fn read(reply: http::Response<ReplyBody>) -> Self {
        let (parts, mut body) = reply.into_parts();
        let mut whole = BytesMut::new();
        let mut failure = None;
        while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
            match frame.map(http_body::Frame::into_data) {
                Ok(Ok(chunk)) => whole.extend_from_slice(&chunk),
                Ok(Err(_)) => {}
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        Self {
            status: parts.status,
            headers: parts.headers,
            body: whole.freeze(),
            failure,
        }
    }
}

impl TestResponse {
    /// Returns the status as a number.
    pub fn status(&self) -> u16 {
        self.status.as_u16()
    }

    /// Returns the headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Returns a header, if it is present and text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the body.
    pub fn bytes(&self) -> &Bytes {
        &self.body
    }

    /// Returns the body as text; bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Parses the body as JSON.
    ///
    /// # Errors
    ///
    /// Fails if the body is not JSON or does not have the shape of the type.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_slice(&self.body)
    }

    /// Returns the error that ended the body early.
    pub fn failure(&self) -> Option<&BoxError> {
        self.failure.as_ref()
    }
}
