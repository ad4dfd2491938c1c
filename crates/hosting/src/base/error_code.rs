//! The error codes of the control endpoints, each with its statuses and its meaning.

use std::fmt;
use std::fmt::Write as _;

use http::StatusCode;

/// Declares [`ControlErrorCode`] from a table: meaning, variant, code, statuses.
macro_rules! control_error_codes {
    ($(#[doc = $meaning:literal] $variant:ident = $code:literal, $statuses:expr;)+) => {
        /// A word that tells programs what went wrong: `code` in the body of an error below `/v1/hosting`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ControlErrorCode {
            $(#[doc = $meaning] $variant,)+
        }

        impl ControlErrorCode {
            /// Every code, in alphabetical order.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// Returns the code as clients read it.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $code,)+
                }
            }

            /// Returns the statuses that errors with this code have, the usual one first.
            pub const fn statuses(self) -> &'static [StatusCode] {
                match self {
                    $(Self::$variant => &$statuses,)+
                }
            }

            /// Returns a sentence for people that says what the code means.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => $meaning.trim_ascii_start(),)+
                }
            }

            /// Returns the code that clients read as this word.
            pub fn parse(word: &str) -> Option<Self> {
                match word {
                    $($code => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

const BAD_GATEWAY: StatusCode = StatusCode::BAD_GATEWAY;
const BAD_REQUEST: StatusCode = StatusCode::BAD_REQUEST;
const CONFLICT: StatusCode = StatusCode::CONFLICT;
const FORBIDDEN: StatusCode = StatusCode::FORBIDDEN;
const GATEWAY_TIMEOUT: StatusCode = StatusCode::GATEWAY_TIMEOUT;
const UNAUTHORIZED: StatusCode = StatusCode::UNAUTHORIZED;
const UNAVAILABLE: StatusCode = StatusCode::SERVICE_UNAVAILABLE;
const UNPROCESSABLE: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;

control_error_codes! {
    /// Another action on the machine has not ended; `action` is that action.
    ActionInProgress = "action_in_progress", [CONFLICT];
    /// The machine ended while it was being started; only in the `error` of an action.
    Crashed = "crashed", [CONFLICT];
    /// The disk of the machine is full, so it cannot be started.
    DiskFull = "disk_full", [CONFLICT];
    /// The host of the machine did not answer in time.
    HostTimeout = "host_timeout", [GATEWAY_TIMEOUT];
    /// The host of the machine cannot be reached, or refused.
    HostUnreachable = "host_unreachable", [BAD_GATEWAY];
    /// The `Idempotency-Key` was used for a different request within the last 24 hours.
    IdempotencyMismatch = "idempotency_mismatch", [UNPROCESSABLE];
    /// The key does not have the scope that the request needs.
    InsufficientScope = "insufficient_scope", [FORBIDDEN];
    /// An internal error; the log of the server has its cause.
    Internal = "internal", [StatusCode::INTERNAL_SERVER_ERROR];
    /// A parameter, a header or the body of the request is missing or not valid.
    InvalidRequest = "invalid_request", [BAD_REQUEST, UNPROCESSABLE];
    /// The machine is in a state in which this is not possible; `state` is that state.
    InvalidState = "invalid_state", [CONFLICT];
    /// Requests with this key are not allowed from the address of the client.
    IpNotAllowed = "ip_not_allowed", [FORBIDDEN];
    /// The key has expired.
    KeyExpired = "key_expired", [UNAUTHORIZED];
    /// The key was revoked.
    KeyRevoked = "key_revoked", [UNAUTHORIZED];
    /// The service is under maintenance; the request can be repeated later.
    Maintenance = "maintenance", [UNAVAILABLE];
    /// The endpoint does not have this method.
    MethodNotAllowed = "method_not_allowed", [StatusCode::METHOD_NOT_ALLOWED];
    /// The response cannot be sent in a media type that the client accepts.
    NotAcceptable = "not_acceptable", [StatusCode::NOT_ACCEPTABLE];
    /// No endpoint has this path, or the key may not use any machine or action with this id.
    NotFound = "not_found", [StatusCode::NOT_FOUND];
    /// The page that opens the console is not from an approved origin.
    OriginNotAllowed = "origin_not_allowed", [FORBIDDEN];
    /// The server is busy; the request can be repeated later.
    Overloaded = "overloaded", [UNAVAILABLE];
    /// The body of the request is too large.
    PayloadTooLarge = "payload_too_large", [StatusCode::PAYLOAD_TOO_LARGE];
    /// The client sent too many requests; `retryAfter` is the number of seconds to wait.
    RateLimited = "rate_limited", [StatusCode::TOO_MANY_REQUESTS];
    /// The request took too long.
    RequestTimeout = "request_timeout", [StatusCode::REQUEST_TIMEOUT];
    /// The machine is locked by work of the operator, such as its installation or removal.
    ServerLocked = "server_locked", [StatusCode::LOCKED];
    /// The game server is not running.
    ServerNotRunning = "server_not_running", [CONFLICT];
    /// The machine is suspended; ask the operator.
    ServerSuspended = "server_suspended", [FORBIDDEN];
    /// The request has no API key, or one that is not valid.
    Unauthenticated = "unauthenticated", [UNAUTHORIZED];
    /// The database is not available; the request can be repeated later.
    Unavailable = "unavailable", [UNAVAILABLE];
    /// The media type of the body is not supported; send JSON.
    UnsupportedMediaType = "unsupported_media_type", [StatusCode::UNSUPPORTED_MEDIA_TYPE];
    /// The endpoint is a websocket, and the request does not ask for one.
    UpgradeRequired = "upgrade_required", [StatusCode::UPGRADE_REQUIRED];
}

impl ControlErrorCode {
    /// Returns the status that errors with this code usually have.
    pub const fn status(self) -> StatusCode {
        match self.statuses() {
            [usual, ..] => *usual,
            [] => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Tells whether an error with this code may have this status.
    pub fn allows(self, status: StatusCode) -> bool {
        self.statuses().contains(&status)
    }
}

impl fmt::Display for ControlErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Returns the page `docs/hosting/errors.md`.
pub fn error_codes_markdown() -> String {
    let mut page = String::from(PAGE_HEAD);
    for code in ControlErrorCode::ALL {
        let statuses: Vec<&str> = code.statuses().iter().map(StatusCode::as_str).collect();
        let statuses = statuses.join(", ");
        // Writing to a string cannot fail.
        writeln!(page, "| `{code}` | {statuses} | {} |", code.meaning()).ok();
    }
    page
}

const PAGE_HEAD: &str = "\
# Error codes

<!-- Generated from crates/hosting/src/base/error_code.rs:
     `UPDATE_DOCS=1 cargo test -p innkeeper-hosting --test it error_codes` rewrites it. -->

Every error below `/v1/hosting` is a JSON object, sent as `application/problem+json` (RFC 9457):

| Member | Value |
|---|---|
| `type` | `about:blank` |
| `title` | the status in words |
| `status` | the status |
| `detail`, `message` | what went wrong, for people; the text may change |
| `code` | what went wrong, for programs: one of the codes below |
| `instance` | the path of the request |
| `requestId` | the id of the request, also in the header `X-Request-Id`; tell it to support |
| `parameter` | the parameter or header that is missing or malformed |
| `errors` | what is wrong with the body: a list of `pointer` (RFC 6901) and `detail` |
| `state` | the state of the machine |
| `action` | the action that is in the way |
| `retryAfter` | how many seconds to wait, also in the header `Retry-After` |

The first eight are always present. Where a code has several statuses, the usual one comes first.

| Code | Statuses | Meaning |
|---|---|---|
";

#[cfg(test)]
mod tests {
    use super::ControlErrorCode;

    #[test]
    fn codes_are_unique_in_alphabetical_order_and_read_back() {
        let all = ControlErrorCode::ALL.iter();
        let codes: Vec<&str> = all.map(|code| code.as_str()).collect();
        let mut sorted = codes.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(codes, sorted);
        for code in ControlErrorCode::ALL {
            assert_eq!(ControlErrorCode::parse(code.as_str()), Some(*code));
            assert!(!code.statuses().is_empty(), "{code}");
        }
        assert_eq!(ControlErrorCode::parse("nonsense"), None);
    }
}
