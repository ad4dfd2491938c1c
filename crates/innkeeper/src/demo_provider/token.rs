//! The token endpoint: exchanges an authorization code for tokens.

use std::sync::Arc;

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use innkeeper_auth::jwt::SignError;
use innkeeper_rest::{Response, resource};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::client::is_equal;
use super::fields::{Fields, RepeatedField};
use super::grant::Grant;
use super::provider::{DemoProvider, TOKEN_LIFETIME};

/// Why a code is not exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExchangeProblem {
    InvalidRequest(&'static str),
    InvalidClient,
    InvalidGrant(&'static str),
    UnsupportedGrantType,
    Signing,
}

impl From<RepeatedField> for ExchangeProblem {
    fn from(_: RepeatedField) -> Self {
        Self::InvalidRequest("a parameter occurs twice")
    }
}

impl From<SignError> for ExchangeProblem {
    fn from(_: SignError) -> Self {
        Self::Signing
    }
}

impl ExchangeProblem {
    fn response(self) -> Response {
        let (status, error, description) = match self {
            Self::InvalidRequest(problem) => (400, "invalid_request", problem),
            Self::InvalidClient => (401, "invalid_client", "the client id or secret is wrong"),
            Self::InvalidGrant(problem) => (400, "invalid_grant", problem),
            Self::UnsupportedGrantType => (
                400,
                "unsupported_grant_type",
                "the grant type must be authorization_code",
            ),
            Self::Signing => (500, "server_error", "the tokens cannot be signed"),
        };
        let response = Response::status(status)
            .entity(json!({ "error": error, "error_description": description }));
        match status {
            401 => response.header("www-authenticate", "Basic realm=\"demo provider\""),
            _ => response,
        }
    }
}

pub(super) struct TokenEndpoint {
    pub(super) provider: Arc<DemoProvider>,
}

#[resource("/")]
impl TokenEndpoint {
    /// Exchanges a code.
    #[post]
    fn exchange(
        &self,
        #[header("authorization")] authorization: Option<&str>,
        #[body] body: Vec<u8>,
    ) -> Response {
        let response = match self.provider.exchange(authorization, &body) {
            Ok(tokens) => Response::ok().entity(tokens),
            Err(problem) => problem.response(),
        };
        response
            .header("cache-control", "no-store")
            .header("pragma", "no-cache")
    }
}

impl DemoProvider {
    fn exchange(&self, authorization: Option<&str>, body: &[u8]) -> Result<Value, ExchangeProblem> {
        let form = Fields::parse(body)?;
        if !self.client.is_authenticated(authorization, &form) {
            return Err(ExchangeProblem::InvalidClient);
        }
        match form.get("grant_type") {
            Some("authorization_code") => {}
            Some(_) => return Err(ExchangeProblem::UnsupportedGrantType),
            None => return Err(ExchangeProblem::InvalidRequest("grant_type is missing")),
        }
        let now = self.clock.now();
        let code = form
            .get("code")
            .ok_or(ExchangeProblem::InvalidRequest("code is missing"))?;
        // The code is used up whatever the rest of the request is.
        let grant = self
            .codes
            .take(code, now)
            .ok_or(ExchangeProblem::InvalidGrant("the code is not valid"))?;
        if form.get("redirect_uri") != Some(&self.client.redirect_uri) {
            return Err(ExchangeProblem::InvalidGrant(
                "the redirect URI is another one",
            ));
        }
        let verifier = form.get("code_verifier").unwrap_or_default();
        if !is_equal(&sha256(verifier), &grant.challenge) {
            return Err(ExchangeProblem::InvalidGrant("the code verifier is wrong"));
        }
        Ok(self.tokens(&grant, now)?)
    }

    fn tokens(&self, grant: &Grant, now: Timestamp) -> Result<Value, SignError> {
        let access_token = self.access_tokens.issue(grant.person.clone(), now);
        let mut claims = grant.person.claims();
        let lifetime = TOKEN_LIFETIME.as_secs();
        let more = json!({
            "iss": self.issuer,
            "aud": self.client.id,
            "iat": now.as_second(),
            "exp": now.as_second().saturating_add(lifetime),
            "nonce": grant.nonce,
            "at_hash": access_token_hash(&access_token),
        });
        if let (Value::Object(claims), Value::Object(more)) = (&mut claims, more) {
            claims.extend(more.into_iter().filter(|(_, value)| !value.is_null()));
        }
        Ok(json!({
            "access_token": access_token,
            "token_type": "Bearer",
            "expires_in": lifetime,
            "scope": "openid profile email",
            "id_token": self.key.sign(&claims)?,
        }))
    }
}

fn sha256(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, text.as_bytes()))
}

/// Returns the left half of an access token's hash.
fn access_token_hash(access_token: &str) -> String {
    let hash = digest(&SHA256, access_token.as_bytes());
    let (half, _) = hash.as_ref().split_at(hash.as_ref().len() / 2);
    URL_SAFE_NO_PAD.encode(half)
}
