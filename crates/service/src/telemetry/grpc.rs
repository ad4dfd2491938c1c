//! OTLP over gRPC.
//!
//! An export is one call without streams: a POST over HTTP/2 with the message behind five bytes, whose outcome is
//! in the trailers. The message is the one of OTLP over HTTP, so the exporter of that protocol makes it, and only
//! the client below it differs.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, TE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use http_body_util::{BodyExt, Limited};
use opentelemetry_http::{HttpClient, HttpError, Request, Response};
use tokio::runtime::{Builder, Runtime};

const GRPC: HeaderValue = HeaderValue::from_static("application/grpc");
const TRAILERS: HeaderValue = HeaderValue::from_static("trailers");
const ENCODING: HeaderName = HeaderName::from_static("grpc-encoding");
const STATUS: HeaderName = HeaderName::from_static("grpc-status");
const MESSAGE: HeaderName = HeaderName::from_static("grpc-message");

/// The bytes before a message: whether it is compressed, and its length.
const PREFIX: usize = 5;
/// The longest answer that is read. An answer counts rejected spans, at most.
const MAX_ANSWER: usize = 1 << 20;

/// Sends the requests of an exporter of OTLP over HTTP as gRPC calls.
#[derive(Debug)]
pub(super) struct GrpcClient {
    client: reqwest::Client,
    /// Exporters have threads of their own, on which no asynchronous client works. Only taken at the end.
    runtime: Option<Runtime>,
}

/// Why the client cannot be created.
type SetUpError = Box<dyn std::error::Error + Send + Sync>;

impl GrpcClient {
    pub(super) fn new(
        timeout: Duration,
        certificate: Option<reqwest::Certificate>,
    ) -> Result<Self, SetUpError> {
        let client = reqwest::Client::builder()
            .http2_prior_knowledge()
            .timeout(timeout)
            .redirect(reqwest::redirect::Policy::none())
            .tls_certs_merge(certificate)
            .build()?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("otlp-grpc")
            .enable_all()
            .build()?;
        Ok(Self {
            client,
            runtime: Some(runtime),
        })
    }
}

impl Drop for GrpcClient {
    fn drop(&mut self) {
        // Waiting for the threads would panic on a thread of another runtime.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The answer to a request, to come.
type PendingAnswer<'f> =
    Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'f>>;

impl HttpClient for GrpcClient {
    // What the attribute of the trait makes of an asynchronous function.
    fn send_bytes<'c, 'f>(&'c self, request: Request<Bytes>) -> PendingAnswer<'f>
    where
        'c: 'f,
        Self: 'f,
    {
        let call = call(self.client.clone(), request);
        let running = self.runtime.as_ref().map(|runtime| runtime.spawn(call));
        Box::pin(async move {
            match running {
                Some(running) => running.await?,
                None => Err("the exporter has ended".into()),
            }
        })
    }
}

async fn call(
    client: reqwest::Client,
    request: Request<Bytes>,
) -> Result<Response<Bytes>, HttpError> {
    let (parts, message) = request.into_parts();
    let url = parts.uri.to_string();
    let mut headers = parts.headers;
    let encoding = headers.remove(CONTENT_ENCODING);
    let is_compressed = encoding.is_some();
    headers.extend(encoding.map(|encoding| (ENCODING, encoding)));
    headers.insert(CONTENT_TYPE, GRPC);
    headers.insert(TE, TRAILERS);
    let request = client.post(url).headers(headers);
    let response = request.body(framed(&message, is_compressed)).send().await?;
    let response: Response<reqwest::Body> = response.into();
    let (head, body) = response.into_parts();
    if head.status != StatusCode::OK {
        // From a proxy.
        return answer(head.status, Bytes::new());
    }
    let body = Limited::new(body, MAX_ANSWER).collect().await?;
    // A call that fails at once has its outcome among the headers.
    let outcome = body.trailers().unwrap_or(&head.headers);
    let code = code_of(outcome).ok_or("the collector does not speak gRPC")?;
    if code == GrpcCode(0) {
        return answer(StatusCode::OK, unframed(body.to_bytes()));
    }
    let reason = outcome
        .get(MESSAGE)
        .and_then(|text| text.to_str().ok())
        .unwrap_or_default();
    tracing::debug!(target: "opentelemetry-otlp", %code, reason, "the collector refused an export");
    answer(code.status(), Bytes::new())
}

fn answer(status: StatusCode, body: Bytes) -> Result<Response<Bytes>, HttpError> {
    Ok(Response::builder().status(status).body(body)?)
}

/// Puts the prefix before a message.
fn framed(message: &[u8], is_compressed: bool) -> Bytes {
    let mut frame = BytesMut::with_capacity(PREFIX + message.len());
    frame.put_u8(u8::from(is_compressed));
    frame.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    frame.put_slice(message);
    frame.freeze()
}

/// Returns the message behind its prefix. It is not compressed, because no compression was offered.
fn unframed(mut body: Bytes) -> Bytes {
    body.split_off(PREFIX.min(body.len()))
}

/// The outcome of a call, as gRPC numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct GrpcCode(u16);

impl fmt::Display for GrpcCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

fn code_of(headers: &HeaderMap) -> Option<GrpcCode> {
    let text = headers.get(STATUS)?.to_str().ok()?;
    text.trim().parse().ok().map(GrpcCode)
}

impl GrpcCode {
    /// Returns the status of an HTTP collector that means the same to an exporter: whether to try again.
    fn status(self) -> StatusCode {
        match self.0 {
            // Cancelled, deadline exceeded, aborted, out of range, unavailable, data loss.
            1 | 4 | 10 | 11 | 14 | 15 => StatusCode::SERVICE_UNAVAILABLE,
            7 => StatusCode::FORBIDDEN,
            12 => StatusCode::NOT_IMPLEMENTED,
            16 => StatusCode::UNAUTHORIZED,
            _ => StatusCode::BAD_REQUEST,
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::HeaderMap;

    use super::{GrpcCode, STATUS, code_of, framed, unframed};

    #[test]
    fn a_message_is_behind_its_length() {
        assert_eq!(framed(b"abc", false).as_ref(), b"\0\0\0\0\x03abc");
        assert_eq!(framed(b"", true).as_ref(), b"\x01\0\0\0\0");
        assert_eq!(unframed(framed(b"abc", false)).as_ref(), b"abc");
        for short in [&b""[..], b"\0\0"] {
            assert!(unframed(Bytes::from_static(short)).is_empty());
        }
    }

    #[test]
    fn only_what_may_pass_is_tried_again() {
        let repeated: Vec<u16> = (0..=16)
            .filter(|code| GrpcCode(*code).status() == 503)
            .collect();
        assert_eq!(repeated, [1, 4, 10, 11, 14, 15]);
        assert!((1..=16).all(|code| !GrpcCode(code).status().is_success()));
    }

    #[test]
    fn an_outcome_is_a_number() {
        for (text, expected) in [("0", Some(0)), ("14", Some(14)), ("OK", None)] {
            let mut headers = HeaderMap::new();
            headers.insert(STATUS, text.parse().unwrap());
            assert_eq!(code_of(&headers), expected.map(GrpcCode), "{text}");
        }
        assert_eq!(code_of(&HeaderMap::new()), None);
    }
}
