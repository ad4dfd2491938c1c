//! `/.well-known/…`: the public keys and the discovery document.

use std::sync::Arc;

use innkeeper_rest::{Response, resource};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::config::Profile;
use crate::crypto::jwt::Jwks;

/// The cache policy of these documents.
const CACHE_CONTROL: &str = "public, max-age=600";

pub(crate) struct WellKnown {
    pub(crate) app: Arc<App>,
}

/// The claims of access tokens.
const CLAIMS: &[&str] = &[
    "sub",
    "aud",
    "iss",
    "exp",
    "iat",
    "email",
    "phone",
    "role",
    "aal",
    "amr",
    "session_id",
    "is_anonymous",
    "app_metadata",
    "user_metadata",
];

/// The discovery document, `/.well-known/openid-configuration`.
#[derive(Serialize, JsonSchema)]
struct Discovery {
    issuer: String,
    jwks_uri: String,
    subject_types_supported: [&'static str; 1],
    id_token_signing_alg_values_supported: [&'static str; 1],
    claims_supported: &'static [&'static str],
    /// The members about an OAuth server, which GoTrue has and this server does not.
    #[serde(flatten)]
    oauth: Option<OauthDiscovery>,
}

/// The part of GoTrue's document about its OAuth server, which some clients expect.
#[derive(Serialize, JsonSchema)]
struct OauthDiscovery {
    authorization_endpoint: String,
    token_endpoint: String,
    userinfo_endpoint: String,
    scopes_supported: &'static [&'static str],
    response_types_supported: [&'static str; 1],
    response_modes_supported: [&'static str; 1],
    grant_types_supported: [&'static str; 2],
    token_endpoint_auth_methods_supported: [&'static str; 3],
    code_challenge_methods_supported: [&'static str; 2],
}

impl OauthDiscovery {
    fn of(base: &str) -> Self {
        Self {
            authorization_endpoint: format!("{base}/oauth/authorize"),
            token_endpoint: format!("{base}/oauth/token"),
            userinfo_endpoint: format!("{base}/oauth/userinfo"),
            scopes_supported: &["openid", "profile", "email", "phone", "offline_access"],
            response_types_supported: ["code"],
            response_modes_supported: ["query"],
            grant_types_supported: ["authorization_code", "refresh_token"],
            token_endpoint_auth_methods_supported: [
                "client_secret_basic",
                "client_secret_post",
                "none",
            ],
            code_challenge_methods_supported: ["S256", "plain"],
        }
    }
}

#[resource("/.well-known")]
impl WellKnown {
    /// Returns the public keys that verify access tokens.
    #[get("/jwks.json")]
    #[responds(200, Jwks<'static>)]
    fn keys(&self) -> Response {
        let keys = self.app.keys.current();
        Response::ok()
            .header("cache-control", CACHE_CONTROL)
            .content_type("application/json")
            .body(keys.jwks_json().to_owned())
    }

    /// Returns the discovery document.
    #[get("/openid-configuration")]
    #[responds(200, Discovery)]
    fn discovery(&self) -> Response {
        let config = &self.app.config;
        let external = config.api.external_url.as_str().trim_end_matches('/');
        let issuer = config.issuer().unwrap_or(external);
        // GoTrue's document is relative to the issuer. Ours names the URL at which this server is reached.
        let (base, oauth) = match config.profile {
            Profile::Std => (external, None),
            Profile::Gotrue => {
                let base = issuer.trim_end_matches('/');
                (base, Some(OauthDiscovery::of(base)))
            }
        };
        let algorithm = self.app.keys.current().signing().verifying().algorithm();
        Response::ok()
            .header("cache-control", CACHE_CONTROL)
            .entity(Discovery {
                issuer: issuer.to_owned(),
                jwks_uri: format!("{base}/.well-known/jwks.json"),
                subject_types_supported: ["public"],
                id_token_signing_alg_values_supported: [algorithm.name()],
                claims_supported: CLAIMS,
                oauth,
            })
    }
}
