//! Decodes access tokens, and forges invalid ones.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::TestApp;

/// Returns the header and the claims of a token.
pub(crate) fn parts_of(token: &str) -> (Value, Value) {
    let mut parts = token.split('.').map(|part| {
        let bytes = URL_SAFE_NO_PAD.decode(part).unwrap();
        serde_json::from_slice(&bytes).unwrap_or(Value::Null)
    });
    (parts.next().unwrap(), parts.next().unwrap())
}

/// Returns a token with this header, these claims and this signature.
pub(crate) fn assemble(header: &Value, claims: &Value, signature: &[u8]) -> String {
    let encode = |part: &[u8]| URL_SAFE_NO_PAD.encode(part);
    let header = encode(header.to_string().as_bytes());
    let claims = encode(claims.to_string().as_bytes());
    format!("{header}.{claims}.{}", encode(signature))
}

/// Returns a token with this header and these claims, signed by HMAC with this key.
pub(crate) fn hmac_signed(header: &Value, claims: &Value, key: &[u8]) -> String {
    let unsigned = assemble(header, claims, &[]);
    let message = unsigned.trim_end_matches('.');
    let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, key);
    let signature = aws_lc_rs::hmac::sign(&key, message.as_bytes());
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
}

impl TestApp {
    /// Returns the claims of an access token of this user without a session, as scripts make them.
    pub(crate) fn claims_for(&self, user: &Value) -> Value {
        let now = self.clock.now().as_second();
        json!({
            "sub": user["id"],
            "aud": user["aud"],
            "role": user["role"],
            "iat": now,
            "exp": now + 3600,
        })
    }

    /// Returns the public keys of the server.
    pub(crate) async fn jwks(&self) -> Vec<Value> {
        let body = self.get("/.well-known/jwks.json").await.ok();
        body["keys"].as_array().unwrap().clone()
    }
}

/// Returns a member of a body, which must be a string.
pub(crate) fn text(body: &Value, name: &str) -> String {
    body[name].as_str().unwrap().to_owned()
}
