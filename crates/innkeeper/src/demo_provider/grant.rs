//! Who has signed in at the provider, and what an authorization code stands for.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

/// What a person chose on the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Person {
    pub(super) name: String,
    pub(super) email: String,
}

impl Person {
    /// Returns the claims about the person. The subject follows from the address, so that it is the same after a
    /// restart.
    pub(super) fn claims(&self) -> Value {
        let subject = digest(&SHA256, self.email.as_bytes());
        json!({
            "sub": URL_SAFE_NO_PAD.encode(subject),
            "name": self.name,
            "email": self.email,
            "email_verified": true,
        })
    }
}

/// What an authorization code stands for.
#[derive(Debug, Clone)]
pub(super) struct Grant {
    pub(super) person: Person,
    pub(super) nonce: Option<String>,
    /// The hash of the verifier that the code is exchanged with.
    pub(super) challenge: String,
}
