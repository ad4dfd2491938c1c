//! A small OpenID Connect provider, for trying out sign-in with an external provider.
//!
//! It is part of the portal of `innkeeper up`: reachable only from this machine, and started by nothing else. It
//! asks for no password and believes every name and email address. Everything is in memory. Its one client is the
//! auth server of the same `innkeeper up`.

mod authorization;
mod authorize;
mod client;
mod discovery;
mod fields;
mod issued;
mod page;
#[cfg(test)]
mod tests;
mod token;
mod userinfo;

use std::sync::Arc;

use innkeeper_auth::jwt::{Algorithm, KeyError, SigningKey};
use innkeeper_rest::{App, RestApi};
use innkeeper_service::clock::Clock;
use jiff::SignedDuration;

pub(crate) use client::DemoClient;
use issued::IssuedTokens;
use token::{Grant, Person};

/// The path of the provider on the portal's listener.
pub(crate) const PATH: &str = "/demo-provider";
/// The paths of the endpoints below it, which are those of Keycloak.
const AUTHORIZE: &str = "/protocol/openid-connect/auth";
const TOKEN: &str = "/protocol/openid-connect/token";
const USERINFO: &str = "/protocol/openid-connect/userinfo";
const JWKS: &str = "/protocol/openid-connect/certs";
const DISCOVERY: &str = "/.well-known/openid-configuration";

/// How long an authorization code is valid.
const CODE_LIFETIME: SignedDuration = SignedDuration::from_secs(60);
/// How long access tokens and id tokens are valid.
const TOKEN_LIFETIME: SignedDuration = SignedDuration::from_mins(5);

/// The provider: its one client, its key, and what it has issued.
#[derive(Debug)]
pub(crate) struct DemoProvider {
    /// The URL of the portal with [`PATH`].
    issuer: String,
    client: DemoClient,
    key: SigningKey,
    codes: IssuedTokens<Grant>,
    access_tokens: IssuedTokens<Person>,
    clock: Clock,
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

    /// Adds the routes of the provider to those of the portal.
    pub(crate) fn mount(self: &Arc<Self>, app: App) -> App {
        let provider = || Arc::clone(self);
        let at = |path: &str| format!("{PATH}{path}");
        let authorize = authorize::AuthorizePage {
            provider: provider(),
        };
        let token = token::TokenEndpoint {
            provider: provider(),
        };
        let userinfo = userinfo::UserInfo {
            provider: provider(),
        };
        let discovery = discovery::Discovery {
            provider: provider(),
        };
        let keys = discovery::Keys {
            provider: provider(),
        };
        app.mount(at(AUTHORIZE), RestApi::new(authorize))
            .mount(at(TOKEN), RestApi::new(token))
            .mount(at(USERINFO), RestApi::new(userinfo))
            .mount(at(DISCOVERY), RestApi::new(discovery))
            .mount(at(JWKS), RestApi::new(keys))
    }
}
