//! Decompresses request bodies.

use std::io::{self, BufRead, Read};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, Bytes};
use flate2::bufread::MultiGzDecoder;
use futures_core::Stream;
use http::StatusCode;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap, HeaderValue};

use crate::body::Body;
use crate::box_error::BoxError;
use crate::coding::Coding;
use crate::filter::{Filter, Next};
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::Response;

/// Decompresses request bodies that have `Content-Encoding: gzip` or `br`.
///
/// Handlers see the plain body and neither that header nor a length. The body limits of mounts and
/// methods hold for the plain body: a small body that decompresses to a large one gets 413 as soon as the
/// limit is reached. Decompressing a body also needs the memory of its window, 32 KiB for gzip and up to
/// 16 MiB for Brotli. A body that does not match its header gets 400; any other coding, or several
/// codings, get 415.
///
/// ```
/// use innkeeper_rest::App;
/// use innkeeper_rest::filter::Decompress;
///
/// let app = App::new().body_limit(64 * 1024).filter(Decompress::new());
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Decompress(());

impl Decompress {
    /// Decompresses gzip and Brotli.
    pub fn new() -> Self {
        Self(())
    }
}

impl Filter for Decompress {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        match coding_of(request.head().headers()) {
            Ok(None) => {}
            Ok(Some(coding)) => decompress(request, coding),
            Err(refusal) => return Response::rejected(refusal),
        }
        next.run(request).await
    }
}

/// Returns the coding of a request's body.
fn coding_of(headers: &HeaderMap) -> Result<Option<Coding>, Rejection> {
    let mut found = None;
    for line in headers.get_all(CONTENT_ENCODING) {
        let text = line.to_str().map_err(|_| unsupported())?;
        for name in text.split(',').map(str::trim) {
            if name.is_empty() || name.eq_ignore_ascii_case("identity") {
                continue;
            }
            let coding = Coding::from_name(name).ok_or_else(unsupported)?;
            if found.replace(coding).is_some() {
                return Err(unsupported());
            }
        }
    }
    Ok(found)
}

fn unsupported() -> Rejection {
    Rejection::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "unsupported_encoding",
        "the content encoding is not supported; send gzip, br or none",
    )
    .with_header(ACCEPT_ENCODING, HeaderValue::from_static("gzip, br"))
}

fn decompress(request: &mut Request, coding: Coding) {
    let mut compressed = request.take_body();
    let headers = request.head_mut().headers_mut();
    headers.remove(CONTENT_ENCODING);
    headers.remove(CONTENT_LENGTH);
    if compressed.is_empty() {
        return;
    }
    let limit = compressed.lift_limit();
    let mut plain = Body::from_stream(DecompressedBody {
        compressed,
        decoder: Some(Decoder::new(coding)),
        silent: 0,
    });
    // Until the handler's own limit replaces it.
    plain.restrict(limit, None);
    request.set_body(plain);
}

/// The most bytes that are decompressed at a time.
const CHUNK: usize = 16 * 1024;
/// The most compressed bytes without any output: both formats can encode nothing at any length.
const MAX_SILENT_INPUT: usize = 256 * 1024;

/// A body that is decompressed chunk by chunk.
struct DecompressedBody {
    compressed: Body,
    /// `None` at the end.
    decoder: Option<Decoder>,
    /// The number of compressed bytes since the last output.
    silent: usize,
}

enum Decoder {
    Gzip(Box<MultiGzDecoder<DecoderInput>>),
    Brotli(Box<brotli::Decompressor<DecoderInput>>),
}

/// The input of a decoder: the bytes that have arrived, and whether they are the last.
#[derive(Default)]
struct DecoderInput {
    bytes: Bytes,
    ended: bool,
}

impl Decoder {
    fn new(coding: Coding) -> Self {
        let input = DecoderInput::default();
        match coding {
            Coding::Gzip => Self::Gzip(Box::new(MultiGzDecoder::new(input))),
            Coding::Brotli => Self::Brotli(Box::new(brotli::Decompressor::new(input, 4096))),
        }
    }

    fn input(&mut self) -> &mut DecoderInput {
        match self {
            Self::Gzip(decoder) => decoder.get_mut(),
            Self::Brotli(decoder) => decoder.get_mut(),
        }
    }

    /// Returns the next plain bytes, `None` at the end, and `WouldBlock` if the decoder needs more input.
    fn read(&mut self) -> io::Result<Option<Bytes>> {
        let mut piece = vec![0; CHUNK];
        let count = match self {
            Self::Gzip(decoder) => decoder.read(&mut piece)?,
            Self::Brotli(decoder) => decoder.read(&mut piece)?,
        };
        piece.truncate(count);
        Ok((count > 0).then(|| piece.into()))
    }

    /// Returns whether no input is left after the end of the content.
    fn is_all_read(&mut self) -> bool {
        // Another read of this decoder fails if its own buffer still has input.
        let clean = match self {
            Self::Gzip(_) => true,
            Self::Brotli(decoder) => decoder.read(&mut [0; 1]).is_ok_and(|count| count == 0),
        };
        clean && self.input().bytes.is_empty()
    }
}

impl Read for DecoderInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(buffer.len());
        if let (Some(buffer), Some(available)) = (buffer.get_mut(..count), available.get(..count)) {
            buffer.copy_from_slice(available);
        }
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for DecoderInput {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.bytes.is_empty() && !self.ended {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(&self.bytes)
    }

    fn consume(&mut self, count: usize) {
        self.bytes.advance(count.min(self.bytes.len()));
    }
}

fn malformed() -> BoxError {
    Rejection::malformed_body("the body does not match its content encoding").into()
}

impl DecompressedBody {
    /// Waits for the next chunk of the compressed body and hands it to the decoder.
    fn poll_input(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        let next = ready!(Pin::new(&mut self.compressed).poll_next(cx)).transpose()?;
        let Some(decoder) = &mut self.decoder else {
            return Poll::Ready(Ok(()));
        };
        match next {
            Some(chunk) => {
                self.silent = self.silent.saturating_add(chunk.len());
                decoder.input().bytes = chunk;
            }
            None => decoder.input().ended = true,
        }
        if self.silent > MAX_SILENT_INPUT {
            return Poll::Ready(Err(malformed()));
        }
        Poll::Ready(Ok(()))
    }

    /// Checks that nothing follows the content.
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        loop {
            match ready!(Pin::new(&mut self.compressed).poll_next(cx)).transpose()? {
                None => return Poll::Ready(Ok(())),
                Some(chunk) if chunk.is_empty() => {}
                Some(_) => return Poll::Ready(Err(malformed())),
            }
        }
    }
}

impl Stream for DecompressedBody {
    type Item = Result<Bytes, BoxError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let Some(decoder) = &mut self.decoder else {
                return match ready!(self.poll_end(cx)) {
                    Ok(()) => Poll::Ready(None),
                    Err(error) => Poll::Ready(Some(Err(error))),
                };
            };
            match decoder.read() {
                Ok(Some(piece)) => {
                    self.silent = 0;
                    return Poll::Ready(Some(Ok(piece)));
                }
                Ok(None) => {
                    let clean = decoder.is_all_read();
                    self.decoder = None;
                    if !clean {
                        return Poll::Ready(Some(Err(malformed())));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    ready!(self.poll_input(cx))?;
                }
                Err(_) => return Poll::Ready(Some(Err(malformed()))),
            }
        }
    }
}
