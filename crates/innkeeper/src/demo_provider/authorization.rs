//! The request with which the auth server sends a browser to the demo provider.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use url::Url;

use super::client::DemoClient;
use super::fields::{Fields, RepeatedField};

/// A request that the provider accepts.
#[derive(Debug)]
pub(super) struct DemoAuthorization {
    pub(super) state: Option<String>,
    pub(super) nonce: Option<String>,
    /// The PKCE challenge: the hash of the verifier.
    pub(super) challenge: String,
    /// The email address that the form starts with.
    pub(super) login_hint: Option<String>,
}

/// Why a request is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AuthorizationProblem {
    /// The client cannot be told, because it is not the one that is registered, or not at this address.
    Client(&'static str),
    /// The client is told.
    Request {
        /// The error code of OAuth 2.
        error: &'static str,
        description: &'static str,
        state: Option<String>,
    },
}

impl From<RepeatedField> for AuthorizationProblem {
    fn from(_: RepeatedField) -> Self {
        Self::Client("a parameter occurs twice")
    }
}

impl DemoAuthorization {
    /// Reads and checks the query of a request.
    pub(super) fn read(query: &str, client: &DemoClient) -> Result<Self, AuthorizationProblem> {
        let fields = Fields::parse(query.as_bytes())?;
        if fields.get("client_id") != Some(&client.id) {
            return Err(AuthorizationProblem::Client("the client id is not known"));
        }
        if fields.get("redirect_uri") != Some(&client.redirect_uri) {
            return Err(AuthorizationProblem::Client(
                "the redirect URI is not the one of the client",
            ));
        }
        let refuse = |error, description| AuthorizationProblem::Request {
            error,
            description,
            state: fields.owned("state"),
        };
        if fields.get("response_type") != Some("code") {
            return Err(refuse(
                "unsupported_response_type",
                "the response type must be code",
            ));
        }
        let mut scopes = fields.get("scope").unwrap_or_default().split(' ');
        if !scopes.any(|scope| scope == "openid") {
            return Err(refuse("invalid_scope", "the scope must have openid"));
        }
        if fields.get("code_challenge_method") != Some("S256") {
            return Err(refuse(
                "invalid_request",
                "PKCE with the method S256 is required",
            ));
        }
        let challenge = fields
            .owned("code_challenge")
            .filter(|text| is_32_bytes(text))
            .ok_or_else(|| refuse("invalid_request", "the code challenge is not a hash"))?;
        if fields.get("prompt") == Some("none") {
            return Err(refuse("login_required", "nobody is signed in here"));
        }
        Ok(Self {
            state: fields.owned("state"),
            nonce: fields.owned("nonce"),
            challenge,
            login_hint: fields.owned("login_hint"),
        })
    }
}

/// Whether a text is the base64 of 32 bytes, as hashes and the cookie of the form are.
pub(super) fn is_32_bytes(text: &str) -> bool {
    let bytes = URL_SAFE_NO_PAD.decode(text);
    bytes.is_ok_and(|bytes| bytes.len() == 32)
}

/// Returns the address that sends the browser back to the client.
pub(super) fn back_to(
    client: &DemoClient,
    answer: &[(&str, &str)],
    state: Option<&str>,
) -> Option<Url> {
    let mut url = Url::parse(&client.redirect_uri).ok()?;
    let state = state.map(|state| ("state", state));
    url.query_pairs_mut()
        .extend_pairs(answer)
        .extend_pairs(state);
    Some(url)
}
