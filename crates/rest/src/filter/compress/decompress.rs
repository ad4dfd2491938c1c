//! Requests whose bodies are compressed.

use std::io::{self, BufRead, Read};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, Bytes};
use flate2::bufread::MultiGzDecoder;
use futures_core::Stream;
use http::StatusCode;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap, HeaderValue};

use crate::body::{Body, BoxError};
use crate::coding::Coding;
use crate::filter::{Filter, Next};
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::Response;

/// Unpacks request bodies that come with `Content-Encoding: gzip` or `br`.
///
/// Handlers see the plain body and neither that header nor a length. The body limits of mounts and
/// methods hold for the plain body: a small body that unpacks to a large one gets 413 as soon as the
/// limit is reached. While it is unpacked a body costs the memory of its window as well, 32 KiB for
/// gzip and up to 16 MiB for Brotli. A body that is not what its header says gets 400, and any other
/// coding, or several of them, 415.
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
    /// Unpacks gzip and Brotli.
    pub fn new() -> Self {
        Self(())
    }
}

impl Filter for Decompress {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        match coding_of(request.head().headers()) {
            Ok(None) => {}
            Ok(Some(coding)) => unpack(request, coding),
            Err(refusal) => return Response::rejected(refusal),
        }
        next.run(request).await
    }
}

/// The coding of a request's body.
fn coding_of(headers: &HeaderMap) -> Result<Option<Coding>, Rejection> {
    let mut found = None;
    for line in headers.get_all(CONTENT_ENCODING) {
        let text = line.to_str().map_err(|_| unsupported())?;
        for name in text.split(',').map(str::trim) {
            if name.is_empty() || name.eq_ignore_ascii_case("identity") {
                continue;
            }
            let coding = Coding::named(name).ok_or_else(unsupported)?;
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

fn unpack(request: &mut Request, coding: Coding) {
    let mut packed = request.take_body();
    let headers = request.head_mut().headers_mut();
    headers.remove(CONTENT_ENCODING);
    headers.remove(CONTENT_LENGTH);
    if packed.is_empty() {
        return;
    }
    let limit = packed.lift_limit();
    let mut plain = Body::from_stream(Unpacked {
        packed,
        decoder: Some(Decoder::new(coding)),
        silent: 0,
    });
    // Until the handler's own limit replaces it.
    plain.restrict(limit, None);
    request.set_body(plain);
}

/// How many bytes are unpacked at a time.
const PIECE: usize = 16 * 1024;
/// How many bytes may come in before one comes out: there are ways to say nothing at any length.
const SILENCE: usize = 256 * 1024;

/// A body, unpacked chunk by chunk.
struct Unpacked {
    packed: Body,
    /// None at the end.
    decoder: Option<Decoder>,
    /// What has come in since something came out.
    silent: usize,
}

enum Decoder {
    Gzip(Box<MultiGzDecoder<Feed>>),
    Brotli(Box<brotli::Decompressor<Feed>>),
}

/// What a decoder reads: bytes that are there, and word that more will come.
#[derive(Default)]
struct Feed {
    bytes: Bytes,
    ended: bool,
}

impl Decoder {
    fn new(coding: Coding) -> Self {
        let feed = Feed::default();
        match coding {
            Coding::Gzip => Self::Gzip(Box::new(MultiGzDecoder::new(feed))),
            Coding::Brotli => Self::Brotli(Box::new(brotli::Decompressor::new(feed, 4096))),
        }
    }

    fn feed(&mut self) -> &mut Feed {
        match self {
            Self::Gzip(decoder) => decoder.get_mut(),
            Self::Brotli(decoder) => decoder.get_mut(),
        }
    }

    /// The next plain bytes; none at the end, and `WouldBlock` where more must come in first.
    fn read(&mut self) -> io::Result<Option<Bytes>> {
        let mut piece = vec![0; PIECE];
        let count = match self {
            Self::Gzip(decoder) => decoder.read(&mut piece)?,
            Self::Brotli(decoder) => decoder.read(&mut piece)?,
        };
        piece.truncate(count);
        Ok((count > 0).then(|| piece.into()))
    }

    /// Whether nothing has come in that belongs to no content.
    fn is_all_read(&mut self) -> bool {
        // Asked once more, this decoder says what is left in its own buffer.
        let clean = match self {
            Self::Gzip(_) => true,
            Self::Brotli(decoder) => decoder.read(&mut [0; 1]).is_ok_and(|count| count == 0),
        };
        clean && self.feed().bytes.is_empty()
    }
}

impl Read for Feed {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let there = self.fill_buf()?;
        let count = there.len().min(out.len());
        if let (Some(out), Some(there)) = (out.get_mut(..count), there.get(..count)) {
            out.copy_from_slice(there);
        }
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Feed {
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

fn garbled() -> BoxError {
    Rejection::malformed_body("the body is not what its content encoding says").into()
}

impl Unpacked {
    /// Waits for more of the packed body and hands it to the decoder.
    fn poll_feed(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        let next = ready!(Pin::new(&mut self.packed).poll_next(cx)).transpose()?;
        let Some(decoder) = &mut self.decoder else {
            return Poll::Ready(Ok(()));
        };
        match next {
            Some(chunk) => {
                self.silent = self.silent.saturating_add(chunk.len());
                decoder.feed().bytes = chunk;
            }
            None => decoder.feed().ended = true,
        }
        if self.silent > SILENCE {
            return Poll::Ready(Err(garbled()));
        }
        Poll::Ready(Ok(()))
    }

    /// Sees to it that the content was all there is.
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        loop {
            match ready!(Pin::new(&mut self.packed).poll_next(cx)).transpose()? {
                None => return Poll::Ready(Ok(())),
                Some(chunk) if chunk.is_empty() => {}
                Some(_) => return Poll::Ready(Err(garbled())),
            }
        }
    }
}

impl Stream for Unpacked {
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
                        return Poll::Ready(Some(Err(garbled())));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    ready!(self.poll_feed(cx))?;
                }
                Err(_) => return Poll::Ready(Some(Err(garbled()))),
            }
        }
    }
}
