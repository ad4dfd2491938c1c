//! Request bodies: read whole or as a stream, within a size limit and a timeout.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_core::Stream;
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::body::Incoming;

use crate::box_error::BoxError;
use crate::runtime::{ConnectionActivity, LazyTimeout};

/// How often an unread body is polled for bytes that have arrived, and how many bytes are skipped.
const MAX_SKIPS: u32 = 8;
const MAX_SKIPPED: usize = 64 * 1024;

/// The body of a request, as a stream of chunks.
///
/// A handler takes it with `#[stream]`. Reading past the body limit, or waiting longer for the next
/// chunk than the body timeout allows, is an error that becomes 413 or 408 when the handler returns
/// it.
///
/// ```
/// use innkeeper_rest::Body;
///
/// # tokio_test(async {
/// let mut body = Body::from("hello");
/// assert_eq!(body.next_chunk().await.unwrap().as_deref(), Some(b"hello".as_slice()));
/// assert!(body.next_chunk().await.unwrap().is_none());
/// # });
/// # fn tokio_test(work: impl Future<Output = ()>) {
/// #     tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work);
/// # }
/// ```
pub struct Body {
    source: BodySource,
    /// How many bytes may still be read.
    allowance: u64,
    limit: u64,
    timeout: LazyTimeout,
}

type ChunkStream = Pin<Box<dyn Stream<Item = Result<Bytes, BoxError>> + Send>>;

enum BodySource {
    Empty,
    Full(Bytes),
    /// With the connection to inform of the end of the body; `None` for HTTP/2.
    Hyper(Incoming, Option<Arc<ConnectionActivity>>),
    /// In a mutex that is never locked: it makes the body `Sync`, so that handlers can hold a
    /// reference to the request across an `await`.
    Stream(Mutex<ChunkStream>),
}

/// Why a body could not be read to its end.
///
/// ```
/// use innkeeper_rest::{BodyError, Rejection};
///
/// // In a handler, `?` does this.
/// let rejection = Rejection::from(BodyError::TooLarge(1024));
/// assert_eq!(rejection.status(), 413);
/// assert_eq!(rejection.message(), "the body is larger than 1024 bytes");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum BodyError {
    /// The body is larger than this limit, in bytes.
    TooLarge(u64),
    /// The client sent nothing for longer than the body timeout.
    TooSlow,
    /// The connection or the stream failed before the end of the body.
    Broken(BoxError),
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(limit) => write!(f, "the body is larger than {limit} bytes"),
            Self::TooSlow => f.write_str("the body did not arrive in time"),
            Self::Broken(_) => f.write_str("the body ended early"),
        }
    }
}

impl Error for BodyError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Broken(cause) => Some(&**cause),
            Self::TooLarge(_) | Self::TooSlow => None,
        }
    }
}

impl From<BodyError> for std::io::Error {
    fn from(error: BodyError) -> Self {
        let kind = match &error {
            BodyError::TooLarge(_) => std::io::ErrorKind::FileTooLarge,
            BodyError::TooSlow => std::io::ErrorKind::TimedOut,
            BodyError::Broken(_) => std::io::ErrorKind::UnexpectedEof,
        };
        Self::new(kind, error)
    }
}

impl Body {
    /// Makes a body without bytes.
    pub fn empty() -> Self {
        Self::new(BodySource::Empty)
    }

    /// Makes a body from a stream of chunks.
    pub fn from_stream<S>(stream: S) -> Self
    where
        S: Stream<Item = Result<Bytes, BoxError>> + Send + 'static,
    {
        Self::new(BodySource::Stream(Mutex::new(Box::pin(stream))))
    }

    pub(crate) fn from_hyper(
        incoming: Incoming,
        connection: Option<Arc<ConnectionActivity>>,
    ) -> Self {
        let is_empty = incoming.is_end_stream();
        if let Some(connection) = &connection {
            connection.set_body_unread(!is_empty);
        }
        if is_empty {
            Self::empty()
        } else {
            Self::new(BodySource::Hyper(incoming, connection))
        }
    }

    fn new(source: BodySource) -> Self {
        Self {
            source,
            allowance: u64::MAX,
            limit: u64::MAX,
            timeout: LazyTimeout::new(None),
        }
    }

    /// Limits how many bytes may be read and how long each chunk may take.
    pub(crate) fn restrict(&mut self, limit: u64, timeout: Option<Duration>) {
        self.limit = limit;
        self.allowance = limit;
        self.timeout = LazyTimeout::new(timeout);
    }

    /// Removes the size limit and returns it, for a filter that decodes this body into another and
    /// limits that.
    #[cfg(feature = "compression")]
    pub(crate) fn lift_limit(&mut self) -> u64 {
        self.allowance = u64::MAX;
        std::mem::replace(&mut self.limit, u64::MAX)
    }

    /// Whether the body is known to be at its end without reading.
    pub fn is_empty(&self) -> bool {
        match &self.source {
            BodySource::Empty => true,
            BodySource::Full(bytes) => bytes.is_empty(),
            BodySource::Hyper(incoming, _) => incoming.is_end_stream(),
            BodySource::Stream(_) => false,
        }
    }

    /// Returns the size that was announced, usually with `Content-Length`.
    pub fn announced_size(&self) -> Option<u64> {
        match &self.source {
            BodySource::Empty => Some(0),
            BodySource::Full(bytes) => Some(bytes.len() as u64),
            BodySource::Hyper(incoming, _) => incoming.size_hint().exact(),
            BodySource::Stream(_) => None,
        }
    }

    /// Reads the next chunk; `None` at the end.
    ///
    /// # Errors
    ///
    /// Fails if the body exceeds its limit or its timeout, or if the connection breaks.
    pub async fn next_chunk(&mut self) -> Result<Option<Bytes>, BodyError> {
        std::future::poll_fn(|cx| self.poll_chunk(cx))
            .await
            .transpose()
    }

    /// Reads the whole body.
    ///
    /// # Errors
    ///
    /// Fails as [`next_chunk`](Self::next_chunk) does.
    pub async fn read_all(mut self) -> Result<Bytes, BodyError> {
        self.collect().await
    }

    /// Reads the whole body. Borrows it, because a future that owns a body is larger by one.
    pub(crate) async fn collect(&mut self) -> Result<Bytes, BodyError> {
        if self.announced_size().is_some_and(|size| size > self.limit) {
            return Err(BodyError::TooLarge(self.limit));
        }
        let Some(first) = self.next_chunk().await? else {
            return Ok(Bytes::new());
        };
        // Most bodies arrive in one piece: hand it on without copying.
        if self.is_empty() {
            return Ok(first);
        }
        let Some(second) = self.next_chunk().await? else {
            return Ok(first);
        };
        let mut whole = BytesMut::with_capacity(first.len() + second.len());
        whole.extend_from_slice(&first);
        whole.extend_from_slice(&second);
        while let Some(chunk) = self.next_chunk().await? {
            whole.extend_from_slice(&chunk);
        }
        Ok(whole.freeze())
    }

    /// Reads what has arrived of a body that nobody has read, up to a bound, so that the connection can
    /// be used for the next request. Does not wait for the client.
    pub(crate) async fn skip_arrived(&mut self) {
        let mut skipped = 0;
        for _ in 0..MAX_SKIPS {
            match std::future::poll_fn(|cx| Poll::Ready(self.poll_source(cx))).await {
                Poll::Ready(Some(Ok(chunk))) => skipped += chunk.len(),
                Poll::Ready(Some(Err(_)) | None) => return,
                // hyper reads on once the connection's task gets its turn.
                Poll::Pending => tokio::task::yield_now().await,
            }
            if skipped > MAX_SKIPPED {
                return;
            }
        }
    }

    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, BodyError>>> {
        match self.poll_source(cx) {
            Poll::Ready(Some(Ok(chunk))) => {
                self.timeout.reset();
                match self.allowance.checked_sub(chunk.len() as u64) {
                    Some(rest) => self.allowance = rest,
                    None => return Poll::Ready(Some(Err(BodyError::TooLarge(self.limit)))),
                }
                Poll::Ready(Some(Ok(chunk)))
            }
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(source_error(error)))),
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => {
                ready!(self.timeout.poll(cx));
                Poll::Ready(Some(Err(BodyError::TooSlow)))
            }
        }
    }

    fn poll_source(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, BoxError>>> {
        match &mut self.source {
            BodySource::Empty => Poll::Ready(None),
            BodySource::Full(bytes) => {
                let chunk = std::mem::take(bytes);
                self.source = BodySource::Empty;
                Poll::Ready(if chunk.is_empty() {
                    None
                } else {
                    Some(Ok(chunk))
                })
            }
            BodySource::Hyper(incoming, connection) => {
                poll_incoming(incoming, connection.as_deref(), cx)
            }
            BodySource::Stream(stream) => stream
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner)
                .as_mut()
                .poll_next(cx),
        }
    }
}

/// Reads the next chunk from hyper, and informs the connection of the end.
fn poll_incoming(
    incoming: &mut Incoming,
    connection: Option<&ConnectionActivity>,
    cx: &mut Context<'_>,
) -> Poll<Option<Result<Bytes, BoxError>>> {
    loop {
        let frame = ready!(Pin::new(&mut *incoming).poll_frame(cx));
        if let Some(connection) = connection
            && (frame.is_none() || incoming.is_end_stream())
        {
            connection.set_body_unread(false);
        }
        match frame {
            None => return Poll::Ready(None),
            Some(Err(error)) => return Poll::Ready(Some(Err(error.into()))),
            Some(Ok(frame)) => match frame.into_data() {
                Ok(chunk) => return Poll::Ready(Some(Ok(chunk))),
                // Trailers are dropped: handlers have no way to read them.
                Err(_) => {
                    if let Some(connection) = connection {
                        connection.trailers_received();
                    }
                }
            },
        }
    }
}

/// Converts an error of the source, which may be a body itself.
fn source_error(error: BoxError) -> BodyError {
    error
        .downcast::<BodyError>()
        .map_or_else(BodyError::Broken, |error| *error)
}

impl Default for Body {
    fn default() -> Self {
        Self::empty()
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Body")
            .field("announced_size", &self.announced_size())
            .finish_non_exhaustive()
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self::new(BodySource::Full(bytes))
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Bytes::from(bytes).into()
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Bytes::from(text).into()
    }
}

impl From<&'static str> for Body {
    fn from(text: &'static str) -> Self {
        Bytes::from_static(text.as_bytes()).into()
    }
}

impl Stream for Body {
    type Item = Result<Bytes, BodyError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_chunk(cx)
    }
}

/// Lets tower services read the body.
impl HttpBody for Body {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        self.poll_chunk(cx)
            .map(|chunk| chunk.map(|chunk| chunk.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        self.announced_size()
            .map(SizeHint::with_exact)
            .unwrap_or_default()
    }
}
