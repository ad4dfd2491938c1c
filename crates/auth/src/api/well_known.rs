//! `/.well-known/…`: the public keys, and where everything is.

use std::sync::Arc;

use innkeeper_rest::{Response, resource};
use serde_json::json;

use crate::app::App;

/// How long others may keep these documents.
const KEEP: &str = "public, max-age=600";

pub(crate) struct WellKnown {
    pub(crate) app: Arc<App>,
}

#[resource("/.well-known")]
impl WellKnown {
    /// The public keys that access tokens can be verified with.
    #[get("/jwks.json")]
    fn keys(&self) -> Response {
        let keys = self.app.keys.current();
        Response::ok()
            .header("cache-control", KEEP)
            .content_type("application/json")
            .body(keys.jwks_json().to_owned())
    }

    /// The discovery document.
    #[get("/openid-configuration")]
    fn discovery(&self) -> Response {
        let config = &self.app.config;
        let external = config.api.external_url.as_str().trim_end_matches('/');
        let issuer = config.jwt.issuer.as_deref().unwrap_or(external);
        let base = issuer.trim_end_matches('/');
        let algorithm = self.app.keys.current().signing().verifying().algorithm();
        Response::ok().header("cache-control", KEEP).entity(json!({
            "issuer": issuer,
            "authorization_endpoint": format!("{base}/oauth/authorize"),
            "token_endpoint": format!("{base}/oauth/token"),
            "jwks_uri": format!("{base}/.well-known/jwks.json"),
            "userinfo_endpoint": format!("{base}/oauth/userinfo"),
            "scopes_supported": ["openid", "profile", "email", "phone", "offline_access"],
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [algorithm.name()],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
            "claims_supported": ["sub", "aud", "iss", "exp", "iat", "email", "phone", "role",
                "aal", "amr", "session_id", "is_anonymous", "app_metadata", "user_metadata"],
            "code_challenge_methods_supported": ["S256", "plain"],
        }))
    }
}
