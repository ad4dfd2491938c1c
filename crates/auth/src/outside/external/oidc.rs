//! OpenID Connect: discovery, keys, and the verification of id tokens.

use std::sync::Arc;

use innkeeper_service::clock::Clock;
use jiff::SignedDuration;
use serde_json::Value;

use super::cache::DocumentCache;
use super::discovery::DiscoveryDocument;
use super::error::ExternalError;
use super::hosts::Hosts;
use super::http::ProviderHttp;
use super::id_token::IdTokenProblem;
use super::jws::{KeyMatch, ParsedToken, ProviderKeys};

/// The documents of OpenID Connect providers.
#[derive(Debug)]
pub(super) struct OidcDocuments {
    discovery: DocumentCache<DiscoveryDocument>,
    keys: DocumentCache<ProviderKeys>,
    hosts: Hosts,
}

impl OidcDocuments {
    pub(super) fn new(clock: &Clock, max_age: SignedDuration, hosts: Hosts) -> Self {
        Self {
            discovery: DocumentCache::new(clock.clone(), max_age),
            keys: DocumentCache::new(clock.clone(), max_age),
            hosts,
        }
    }

    /// Returns the discovery document at a URL, which must be that of the issuer if one is given.
    pub(super) async fn discover(
        &self,
        http: &ProviderHttp,
        url: &str,
        issuer: Option<&str>,
    ) -> Result<Arc<DiscoveryDocument>, ExternalError> {
        let fetch = async {
            let document = self.fetch_document(http, url).await?;
            DiscoveryDocument::read(&document, issuer)
        };
        // What one issuer is not to say about itself was not checked for another.
        let key = format!("{url} {}", issuer.unwrap_or_default());
        self.discovery.get(&key, fetch).await
    }

    /// Fetches the discovery document at a URL, whether or not it is known.
    pub(super) async fn fetch_document(
        &self,
        http: &ProviderHttp,
        url: &str,
    ) -> Result<Value, ExternalError> {
        http.get(&self.hosts.parse(url, "the discovery URL")?).await
    }

    /// Verifies the signature of an id token. Keys that are not known yet are looked for at the provider.
    pub(super) async fn verify(
        &self,
        http: &ProviderHttp,
        jwks_uri: &str,
        token: &ParsedToken<'_>,
    ) -> Result<(), ExternalError> {
        let keys = self.keys.get(jwks_uri, self.fetch_keys(http, jwks_uri));
        let mut outcome = keys.await?.verify(token);
        if outcome == KeyMatch::UnknownKey {
            let keys = self
                .keys
                .refreshed(jwks_uri, self.fetch_keys(http, jwks_uri));
            outcome = keys.await?.verify(token);
        }
        match outcome {
            KeyMatch::Verified => Ok(()),
            KeyMatch::UnknownKey => Err(IdTokenProblem::UnknownKey.into()),
            KeyMatch::WrongSignature => Err(IdTokenProblem::Signature.into()),
        }
    }

    async fn fetch_keys(
        &self,
        http: &ProviderHttp,
        jwks_uri: &str,
    ) -> Result<ProviderKeys, ExternalError> {
        let document = http
            .get(&self.hosts.parse(jwks_uri, "the address of the keys")?)
            .await?;
        ProviderKeys::read(&document).ok_or(ExternalError::NotJson)
    }
}
