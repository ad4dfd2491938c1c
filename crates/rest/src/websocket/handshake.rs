//! The opening handshake: what is read from the request.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{
    CONNECTION, HeaderMap, HeaderName, HeaderValue, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::{Method, StatusCode, Version};

use crate::head::Head;
use crate::rejection::Rejection;
use crate::syntax::is_token;

/// The websocket headers of a request.
#[derive(Debug)]
pub(super) struct HandshakeRequest {
    pub(super) key: HeaderValue,
    /// The subprotocols that the client offers, preferred first.
    pub(super) protocols: Vec<String>,
}

/// Whether the request has `Upgrade: websocket`.
pub(super) fn is_requested(head: &Head) -> bool {
    has_token(head.headers(), &UPGRADE, "websocket")
}

/// 426: the request does not ask for a websocket, and there is nothing else to serve.
pub(super) fn upgrade_required() -> Rejection {
    Rejection::new(
        StatusCode::UPGRADE_REQUIRED,
        "websocket_required",
        "this URL only serves websockets",
    )
    .with_header(UPGRADE, HeaderValue::from_static("websocket"))
    .with_header(CONNECTION, HeaderValue::from_static("upgrade"))
}

/// 501: the transport cannot upgrade the connection.
pub(super) fn unsupported_transport() -> Rejection {
    Rejection::new(
        StatusCode::NOT_IMPLEMENTED,
        "websocket_impossible",
        "this connection cannot be upgraded to a websocket; use HTTP/1.1",
    )
}

fn malformed(problem: &'static str) -> Rejection {
    Rejection::new(StatusCode::BAD_REQUEST, "malformed_handshake", problem)
}

/// Parses and checks the handshake.
pub(super) fn parse(head: &Head) -> Result<HandshakeRequest, Rejection> {
    let headers = head.headers();
    if *head.method() != Method::GET {
        return Err(malformed("a websocket handshake uses GET"));
    }
    if head.version() < Version::HTTP_11 {
        return Err(malformed("a websocket handshake uses HTTP/1.1"));
    }
    if !has_token(headers, &CONNECTION, "upgrade") {
        return Err(malformed("header `Connection` does not contain `Upgrade`"));
    }
    match single(headers, &SEC_WEBSOCKET_VERSION) {
        Some(version) if version == "13" => {}
        Some(_) => return Err(unsupported_version()),
        None => return Err(malformed("header `Sec-WebSocket-Version` is missing")),
    }
    let key = single(headers, &SEC_WEBSOCKET_KEY)
        .ok_or_else(|| malformed("header `Sec-WebSocket-Key` is missing"))?;
    if STANDARD.decode(key).is_ok_and(|nonce| nonce.len() == 16) {
        Ok(HandshakeRequest {
            key: key.clone(),
            protocols: protocols(headers)?,
        })
    } else {
        Err(malformed(
            "header `Sec-WebSocket-Key` is not 16 bytes in Base64",
        ))
    }
}

fn unsupported_version() -> Rejection {
    Rejection::new(
        StatusCode::UPGRADE_REQUIRED,
        "websocket_version",
        "only version 13 of the websocket protocol is supported",
    )
    .with_header(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"))
    .with_header(UPGRADE, HeaderValue::from_static("websocket"))
    .with_header(CONNECTION, HeaderValue::from_static("upgrade"))
}

/// Returns the value of a header that occurs exactly once.
fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut all = headers.get_all(name).iter();
    all.next().filter(|_| all.next().is_none())
}

/// Returns the items of a comma-separated header.
fn items<'h>(headers: &'h HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'h str> {
    let lines = headers.get_all(name).into_iter();
    lines
        // A value that is not ASCII is not a token, and is rejected as such.
        .map(|line| line.to_str().unwrap_or("\u{fffd}"))
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .filter(|item| !item.is_empty())
}

fn has_token(headers: &HeaderMap, name: &HeaderName, token: &str) -> bool {
    items(headers, name).any(|item| item.eq_ignore_ascii_case(token))
}

fn protocols(headers: &HeaderMap) -> Result<Vec<String>, Rejection> {
    items(headers, &SEC_WEBSOCKET_PROTOCOL)
        .map(|item| is_token(item).then(|| item.to_owned()))
        .collect::<Option<_>>()
        .ok_or_else(|| malformed("header `Sec-WebSocket-Protocol` is not a list of tokens"))
}
