//! The opening handshake, as far as the request has to say something.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{
    CONNECTION, HeaderMap, HeaderName, HeaderValue, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::{Method, StatusCode, Version};

use crate::format::is_token;
use crate::head::Head;
use crate::rejection::Rejection;

/// What a client asks for.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) key: HeaderValue,
    /// The subprotocols it knows, best first.
    pub(super) protocols: Vec<String>,
}

/// Whether the request asks for a websocket at all.
pub(super) fn wants(head: &Head) -> bool {
    has_token(head.headers(), &UPGRADE, "websocket")
}

/// 426: this is no request for a websocket, and nothing else is here.
pub(super) fn needed() -> Rejection {
    Rejection::new(
        StatusCode::UPGRADE_REQUIRED,
        "websocket_required",
        "only a websocket can be opened here",
    )
    .with_header(UPGRADE, HeaderValue::from_static("websocket"))
    .with_header(CONNECTION, HeaderValue::from_static("upgrade"))
}

/// 501: there is no connection that could be handed over.
pub(super) fn impossible() -> Rejection {
    Rejection::new(
        StatusCode::NOT_IMPLEMENTED,
        "websocket_impossible",
        "this way in cannot be made a websocket; use HTTP/1.1",
    )
}

fn malformed(problem: &'static str) -> Rejection {
    Rejection::new(StatusCode::BAD_REQUEST, "malformed_handshake", problem)
}

/// Reads the handshake, or says what is wrong with it.
pub(super) fn read(head: &Head) -> Result<Asked, Rejection> {
    let headers = head.headers();
    if *head.method() != Method::GET {
        return Err(malformed("a websocket is opened with GET"));
    }
    if head.version() < Version::HTTP_11 {
        return Err(malformed("a websocket is opened over HTTP/1.1"));
    }
    if !has_token(headers, &CONNECTION, "upgrade") {
        return Err(malformed("header `Connection` does not say `Upgrade`"));
    }
    match single(headers, &SEC_WEBSOCKET_VERSION) {
        Some(version) if version == "13" => {}
        Some(_) => return Err(other_version()),
        None => return Err(malformed("header `Sec-WebSocket-Version` is missing")),
    }
    let key = single(headers, &SEC_WEBSOCKET_KEY)
        .ok_or_else(|| malformed("header `Sec-WebSocket-Key` is missing"))?;
    if STANDARD.decode(key).is_ok_and(|nonce| nonce.len() == 16) {
        Ok(Asked {
            key: key.clone(),
            protocols: protocols(headers)?,
        })
    } else {
        Err(malformed(
            "header `Sec-WebSocket-Key` is not 16 bytes in Base64",
        ))
    }
}

fn other_version() -> Rejection {
    Rejection::new(
        StatusCode::UPGRADE_REQUIRED,
        "websocket_version",
        "only version 13 of the websocket protocol is known here",
    )
    .with_header(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"))
    .with_header(UPGRADE, HeaderValue::from_static("websocket"))
    .with_header(CONNECTION, HeaderValue::from_static("upgrade"))
}

fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut all = headers.get_all(name).iter();
    all.next().filter(|_| all.next().is_none())
}

fn items<'h>(headers: &'h HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'h str> {
    let lines = headers.get_all(name).into_iter();
    lines
        // What is not ASCII is no token, and is found out as such.
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
        .ok_or_else(|| malformed("header `Sec-WebSocket-Protocol` is no list of names"))
}
