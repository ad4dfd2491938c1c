//! The stream below the driver, which sees each message of the server.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};

use super::pooler::{PoolerState, is_foreign_session};
use super::rewrite::{HEADER, Rewriter, message_length};
use super::socket::ServerStream;

/// How much is read at once.
const CHUNK: usize = 8 << 10;

/// How much may wait for the socket before the driver has to wait.
const MAX_OUTGOING: usize = 256 << 10;

/// The request for encryption. The server answers it with a single byte, not with a message.
const SSL_REQUEST: &[u8] = &[0, 0, 0, 8, 4, 210, 22, 47];

/// What the stream of a connection and its owner tell each other.
#[derive(Debug)]
pub(super) struct WireState {
    pooler: Arc<PoolerState>,
    process_id: AtomicI32,
    rewrites: AtomicBool,
}

impl WireState {
    pub(super) fn new(pooler: Arc<PoolerState>) -> Self {
        let rewrites = pooler.is_transaction_mode() == Some(true);
        Self {
            pooler,
            process_id: AtomicI32::new(0),
            rewrites: AtomicBool::new(rewrites),
        }
    }

    /// The process id that the server, or the pooler, has told; 0 if none.
    pub(super) fn process_id(&self) -> i32 {
        self.process_id.load(Ordering::Relaxed)
    }

    pub(super) fn is_rewriting(&self) -> bool {
        self.rewrites.load(Ordering::Relaxed)
    }

    /// Rewrites messages from now on. The driver must not have prepared a statement yet.
    pub(super) fn start_rewriting(&self) {
        self.rewrites.store(true, Ordering::Relaxed);
    }
}

/// How far the start of a connection has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Messages of the driver have no kind yet.
    Starting,
    /// The next byte of the server is not part of a message. Otherwise like `Starting`.
    ExpectsByte,
    /// The server is ready for statements.
    Started,
}

/// A stream that the driver talks PostgreSQL's protocol on.
pub(super) struct Wire<S> {
    stream: S,
    state: Arc<WireState>,
    schema: Arc<str>,
    /// Created when the first message is rewritten.
    rewriter: Option<Rewriter>,
    phase: Phase,
    /// Messages of the driver that have to wait or are not complete yet.
    waiting: BytesMut,
    outgoing: BytesMut,
    /// Whether outgoing messages have waited for an answer and are not sent yet.
    sends_waiting: bool,
    /// Bytes of the server that are not complete messages yet, and those for the driver.
    received: BytesMut,
    incoming: BytesMut,
    /// Whether the driver can do nothing yet with what is there for it.
    awaits_more: bool,
    chunk: Box<[u8]>,
}

impl<S> Wire<S> {
    pub(super) fn new(stream: S, state: Arc<WireState>, schema: Arc<str>) -> Self {
        Self {
            stream,
            state,
            schema,
            rewriter: None,
            phase: Phase::Starting,
            waiting: BytesMut::new(),
            outgoing: BytesMut::new(),
            sends_waiting: false,
            received: BytesMut::new(),
            incoming: BytesMut::new(),
            awaits_more: false,
            chunk: vec![0; CHUNK].into(),
        }
    }

    fn rewriter(&mut self) -> &mut Rewriter {
        let schema = &self.schema;
        self.rewriter.get_or_insert_with(|| Rewriter::new(schema))
    }

    /// Rewrites the complete messages of the driver, up to one after which the server has to answer first.
    fn rewrite_complete(&mut self) {
        while let Some(length) = message_length(&self.waiting) {
            if self.rewriter().awaits_answer() {
                break;
            }
            let message = self.waiting.split_to(length);
            let mut outgoing = std::mem::take(&mut self.outgoing);
            self.rewriter().rewrite(&message, &mut outgoing);
            self.outgoing = outgoing;
        }
    }

    /// Looks at the complete messages of the server and passes them on.
    fn pass_complete(&mut self) {
        if self.phase == Phase::ExpectsByte && !self.received.is_empty() {
            self.phase = Phase::Starting;
            let byte = self.received.split_to(1);
            self.incoming.extend_from_slice(&byte);
        }
        let rewrites = self.phase == Phase::Started && self.state.is_rewriting();
        while let Some(length) = message_length(&self.received) {
            let message = self.received.split_to(length);
            let kind = message.first().copied().unwrap_or_default();
            match kind {
                b'K' => self.remember_process(&message),
                b'Z' => self.phase = Phase::Started,
                b'E' if !rewrites && is_foreign_session(error_code(&message)) => {
                    self.state
                        .pooler
                        .notice("a prepared statement was in another session");
                }
                _ => {}
            }
            if !rewrites || self.rewriter().passes(kind) {
                self.incoming.extend_from_slice(&message);
                self.awaits_more = rewrites && is_part_of_answer(kind);
            }
        }
        if rewrites && !self.waiting.is_empty() {
            self.rewrite_complete();
            self.sends_waiting = true;
        }
    }

    fn remember_process(&self, message: &[u8]) {
        let id = message.get(HEADER..HEADER + 4);
        let id = id.and_then(|bytes| bytes.try_into().ok());
        self.state
            .process_id
            .store(id.map_or(0, i32::from_be_bytes), Ordering::Relaxed);
    }
}

/// Whether more messages follow before the answer to a statement is complete. A pooler may pass on an answer in
/// several pieces, and each would wake the driver.
fn is_part_of_answer(kind: u8) -> bool {
    // Parsed, bound, closed, types of parameters and columns, no columns, a row, done.
    matches!(kind, b'1' | b'2' | b'3' | b't' | b'T' | b'n' | b'D' | b'C')
}

/// Returns the SQLSTATE of an error message, which is a list of fields, each with a letter and a text.
fn error_code(message: &[u8]) -> &[u8] {
    let fields = message.get(HEADER..).unwrap_or_default();
    fields
        .split(|&byte| byte == 0)
        .find_map(|field| field.strip_prefix(b"C"))
        .unwrap_or_default()
}

impl<S: AsyncWrite + Unpin> Wire<S> {
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.outgoing.is_empty() {
            let sent = ready!(Pin::new(&mut self.stream).poll_write(cx, &self.outgoing))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.outgoing.advance(sent);
        }
        Poll::Ready(Ok(()))
    }

    /// Sends messages that have waited for an answer. The driver does not flush them: for it they are sent.
    fn poll_send_waiting(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.sends_waiting {
            return Poll::Ready(Ok(()));
        }
        ready!(self.poll_send(cx))?;
        ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
        self.sends_waiting = false;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Wire<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let _ = this.poll_send_waiting(cx)?;
        while this.incoming.is_empty() || (this.awaits_more && this.incoming.len() < CHUNK) {
            let mut chunk = ReadBuf::new(&mut this.chunk);
            ready!(Pin::new(&mut this.stream).poll_read(cx, &mut chunk))?;
            if chunk.filled().is_empty() {
                break;
            }
            this.received.extend_from_slice(chunk.filled());
            this.pass_complete();
            let _ = this.poll_send_waiting(cx)?;
        }
        let length = buffer.remaining().min(this.incoming.len());
        buffer.put_slice(&this.incoming.split_to(length));
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        let is_started = this.phase == Phase::Started;
        if !is_started || !this.state.is_rewriting() {
            if !is_started && buffer == SSL_REQUEST {
                this.phase = Phase::ExpectsByte;
            }
            return Pin::new(&mut this.stream).poll_write(cx, buffer);
        }
        if this.outgoing.len() > MAX_OUTGOING {
            ready!(this.poll_send(cx))?;
        }
        this.waiting.extend_from_slice(buffer);
        this.rewrite_complete();
        Poll::Ready(Ok(buffer.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send(cx))?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send(cx))?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

impl<S: TlsStream + Unpin> TlsStream for Wire<S> {
    fn channel_binding(&self) -> ChannelBinding {
        self.stream.channel_binding()
    }
}

/// Puts encryption between a [`Wire`] and its socket, so that the wire sees messages in the clear.
pub(super) struct WireTls<C>(pub(super) C);

impl<C> TlsConnect<Wire<ServerStream>> for WireTls<C>
where
    C: TlsConnect<ServerStream>,
    C::Future: Send + 'static,
{
    type Stream = Wire<C::Stream>;
    type Error = C::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Stream, C::Error>> + Send>>;

    fn connect(self, wire: Wire<ServerStream>) -> Self::Future {
        // Bytes that came in the clear before the handshake are dropped with the outer wire.
        let handshake = self.0.connect(wire.stream);
        let (state, schema) = (wire.state, wire.schema);
        Box::pin(async move { Ok(Wire::new(handshake.await?, state, schema)) })
    }
}
