//! The provider, and the paths of its endpoints.

use innkeeper_auth::jwt::{Algorithm, KeyError, SigningKey};
use innkeeper_service::clock::Clock;
use jiff::SignedDuration;

use super::client::DemoClient;
use super::grant::{Grant, Person};
use super::issued::IssuedTokens;

/// The path of the provider on the portal's listener.
pub(crate) const PATH: &str = "/demo-provider";
/// The paths of the endpoints below it, which are those of Keycloak.
pub(super) const AUTHORIZE: &str = "/protocol/openid-connect/auth";
pub(super) const TOKEN: &str = "/protocol/openid-connect/token";
pub(super) const USERINFO: &str = "/protocol/openid-connect/userinfo";
pub(super) const JWKS: &str = "/protocol/openid-connect/certs";
pub(super) const DISCOVERY: &str = "/.well-known/openid-configuration";

/// How long an authorization code is valid.
const CODE_LIFETIME: SignedDuration = SignedDuration::from_secs(60);
/// How long access tokens and id tokens are valid.
pub(super) const TOKEN_LIFETIME: SignedDuration = SignedDuration::from_mins(5);

/// The provider: its one client, its key, and what it has issued.
#[derive(Debug)]
pub(crate) struct DemoProvider {
    /// The URL of the portal with [`PATH`].
    pub(super) issuer: String,
    pub(super) client: DemoClient,
    pub(super) key: SigningKey,
    pub(super) codes: IssuedTokens<Grant>,
    pub(super) access_tokens: IssuedTokens<Person>,
    pub(super) clock: Clock,
}

impl DemoProvider {
    /// Creates a provider with a new key.
    pub(crate) fn new(issuer: String, client: DemoClient, clock: Clock) -> Result<Self, KeyError> {
        Ok(Self {
            issuer,
            client,
            key: SigningKey::generate(Algorithm::Es256)?,
            codes: IssuedTokens::new(CODE_LIFETIME),
            access_tokens: IssuedTokens::new(TOKEN_LIFETIME),
            clock,
        })
    }
}
