//! Requests to the server, in process.

use innkeeper_rest::testing::TestResponse;
use serde_json::Value;

/// The header that the official clients send.
pub(crate) const API_VERSION_2024: (&str, &str) = ("X-Supabase-Api-Version", "2024-01-01");

/// Returns the header that carries an access token.
pub(crate) fn bearer(token: &str) -> (&'static str, String) {
    ("Authorization", format!("Bearer {token}"))
}

/// A response of the server.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
    pub(crate) text: String,
    reply: TestResponse,
}

impl Answer {
    pub(crate) fn new(reply: TestResponse) -> Self {
        let text = reply.text();
        Self {
            status: reply.status(),
            body: serde_json::from_str(&text).unwrap_or(Value::Null),
            text,
            reply,
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.reply.header(name)
    }

    /// Returns all headers.
    pub(crate) fn headers(&self) -> &http::HeaderMap {
        self.reply.headers()
    }

    /// Returns the body of a response that must be successful.
    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        assert!(
            (200..300).contains(&self.status),
            "{}: {}",
            self.status,
            self.text
        );
        self.body
    }

    /// Returns the body of a response that must have this status.
    #[track_caller]
    pub(crate) fn failed(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        self.body
    }

    /// Asserts this status and this error code, in either format, and returns the body.
    #[track_caller]
    pub(crate) fn refused(self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        let found = self.body.get("error_code").unwrap_or(&self.body["code"]);
        assert_eq!(found, code, "{}", self.text);
        assert_eq!(self.header("x-sb-error-code"), Some(code), "{}", self.text);
        self.body
    }

    /// Returns a member of the body, which must be a string.
    #[track_caller]
    pub(crate) fn text_at(&self, pointer: &str) -> String {
        let value = self.body.pointer(pointer).and_then(Value::as_str);
        value
            .unwrap_or_else(|| panic!("no text at {pointer} in {}", self.text))
            .to_owned()
    }
}
