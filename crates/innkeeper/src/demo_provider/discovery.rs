//! The discovery document and the public key.

use std::sync::Arc;

use innkeeper_rest::resource;
use serde_json::{Value, json};

use super::provider::{AUTHORIZE, DemoProvider, JWKS, TOKEN, USERINFO};

pub(super) struct Discovery {
    pub(super) provider: Arc<DemoProvider>,
}

#[resource("/")]
impl Discovery {
    /// Returns the discovery document.
    #[get]
    fn show(&self) -> Value {
        let issuer = &self.provider.issuer;
        let at = |path: &str| format!("{issuer}{path}");
        json!({
            "issuer": issuer,
            "authorization_endpoint": at(AUTHORIZE),
            "token_endpoint": at(TOKEN),
            "userinfo_endpoint": at(USERINFO),
            "jwks_uri": at(JWKS),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
            "code_challenge_methods_supported": ["S256"],
            "scopes_supported": ["openid", "profile", "email"],
            "claims_supported": ["sub", "iss", "aud", "iat", "exp", "nonce", "name", "email", "email_verified"],
        })
    }
}

pub(super) struct Keys {
    pub(super) provider: Arc<DemoProvider>,
}

#[resource("/")]
impl Keys {
    /// Returns the key that verifies id tokens.
    #[get]
    fn list(&self) -> Value {
        let key = self.provider.key.verifying().public_jwk();
        json!({ "keys": key.iter().collect::<Vec<_>>() })
    }
}
