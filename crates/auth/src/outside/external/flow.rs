//! What goes into a sign-in with a provider, and what comes out of it.

use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::model::Object;

/// The wish to sign in with a provider.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AuthorizationRequest<'a> {
    /// The value that the provider sends back, which identifies the sign-in.
    pub(crate) state: &'a str,
    /// Scopes besides those that the provider is always asked for.
    pub(crate) scopes: &'a [String],
    /// The query parameters of the client that may be meant for the provider.
    pub(crate) forwarded: &'a [(String, String)],
}

/// Where to send the browser, and what to remember until it comes back.
#[derive(Debug)]
pub(crate) struct Authorization {
    pub(crate) url: Url,
    pub(crate) secrets: FlowSecrets,
}

/// What must be remembered until the provider sends the browser back. It is stored encrypted.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FlowSecrets {
    /// The PKCE verifier towards the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) code_verifier: Option<String>,
    /// The nonce that the id token must have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) nonce: Option<String>,
    /// The request token of OAuth 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) request_token: Option<String>,
    /// The secret of the request token of OAuth 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) request_token_secret: Option<String>,
}

impl fmt::Debug for FlowSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FlowSecrets(…)")
    }
}

/// What the provider gave the browser to bring back.
#[derive(Clone, Default)]
pub(crate) struct CallbackParameters {
    /// The authorization code.
    pub(crate) code: Option<String>,
    /// The request token of OAuth 1.
    pub(crate) oauth_token: Option<String>,
    /// The verifier of OAuth 1.
    pub(crate) oauth_verifier: Option<String>,
    /// The name of the user as JSON, which Apple sends once.
    pub(crate) user: Option<String>,
}

/// A user as a provider describes it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProviderUser {
    /// The id at the provider.
    pub(crate) subject: String,
    pub(crate) emails: Vec<ProviderEmail>,
    /// The identity's data, complete with the chosen email address.
    pub(crate) data: Object,
}

/// An email address of a user at a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProviderEmail {
    pub(crate) address: String,
    /// Whether the provider says that it belongs to the user.
    pub(crate) verified: bool,
    pub(crate) primary: bool,
}

/// The tokens that a provider issued for the user, for calls of its API.
#[derive(Clone)]
pub(crate) struct ProviderTokens {
    pub(crate) access_token: String,
    pub(crate) refresh_token: Option<String>,
}

impl fmt::Debug for ProviderTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProviderTokens(…)")
    }
}

/// An id token that a client got from a provider by itself.
#[derive(Clone, Copy)]
#[expect(clippy::struct_field_names, reason = "it is called so on the wire")]
pub(crate) struct IdToken<'a> {
    pub(crate) id_token: &'a str,
    /// The access token that came with it, to which it may be bound.
    pub(crate) access_token: Option<&'a str>,
    /// The nonce whose hash is in the token.
    pub(crate) nonce: Option<&'a str>,
    /// The issuer that the client names.
    pub(crate) issuer: Option<&'a str>,
}
