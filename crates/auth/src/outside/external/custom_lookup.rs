//! Finds custom providers, in the settings and in the database.

use std::borrow::Cow;
use std::sync::Arc;

use super::Providers;
use super::custom_setup::{custom_setup, discovery_of};
use super::discovery::{DiscoveryDocument, shown_members};
use super::error::{ExternalError, Step};
use super::id_token::same_issuer;
use super::provider::{Provider, ProviderShared};
use super::providers::{not_found, shown, unsupported};
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::{CustomProtocol, CustomProvider};

/// A custom provider, and what it may call.
type FoundCustom<'a> = (Cow<'a, CustomProvider>, &'a Arc<ProviderShared>);

impl Providers {
    /// Whether the settings define this provider.
    pub(crate) fn is_in_settings(&self, identifier: &str) -> bool {
        self.custom.contains_key(identifier)
    }

    /// Finds a provider for a sign-in in the browser.
    pub(super) async fn find_custom(&self, identifier: &str) -> Result<Provider> {
        let (custom, shared) = self
            .custom_provider(identifier)
            .await?
            .ok_or_else(|| not_found(identifier))?;
        if !custom.enabled {
            return Err(unsupported("provider is not enabled"));
        }
        self.set_up(&custom, shared, Step::Authorize).await
    }

    /// Finds the provider that a request with an id token names.
    pub(super) async fn find_custom_for_id_token(&self, identifier: &str) -> Result<Provider> {
        let name = shown(identifier);
        let found = self.custom_provider(identifier).await?.ok_or_else(|| {
            AuthError::validation(format!("Custom provider \"{name}\" not found"))
        })?;
        let (custom, shared) = found;
        if !custom.enabled {
            return Err(AuthError::refused(
                ErrorCode::ProviderDisabled,
                format!("Custom provider \"{name}\" is disabled"),
            ));
        }
        if discovery_of(&custom).is_none() {
            return Err(AuthError::validation(format!(
                "Custom provider \"{name}\" has no id tokens"
            )));
        }
        self.set_up(&custom, shared, Step::IdToken).await
    }

    /// Finds the provider with this issuer. Of several, the one with this client id.
    pub(super) async fn find_custom_of_issuer(
        &self,
        issuer: &str,
        client_id: Option<&str>,
    ) -> Result<Option<Provider>> {
        if issuer.is_empty() {
            return Ok(None);
        }
        let mut candidates: Vec<FoundCustom<'_>> = self
            .custom
            .values()
            .filter(|custom| custom.enabled && has_issuer(custom, issuer))
            .map(|custom| (Cow::Borrowed(custom), &self.shared))
            .collect();
        if let Some(rows) = &self.rows {
            for identifier in rows.of_issuer(issuer).await? {
                candidates.extend(self.custom_provider(&identifier).await?);
            }
        }
        let index = candidates
            .iter()
            .position(|(custom, _)| client_id.is_some_and(|id| has_client(custom, id)));
        match candidates.get(index.unwrap_or_default()) {
            Some((custom, shared)) => {
                let provider = self.set_up(custom, shared, Step::IdToken).await?;
                Ok(Some(provider))
            }
            None => Ok(None),
        }
    }

    /// Fetches the discovery document of a provider that an admin describes, and checks it; `None` if the provider
    /// does not speak OpenID Connect.
    pub(crate) async fn discover(
        &self,
        custom: &CustomProvider,
    ) -> Result<Option<serde_json::Value>> {
        let Some((url, issuer)) = discovery_of(custom) else {
            return Ok(None);
        };
        let (shared, documents) = (&self.public, &self.public.documents);
        let outcome = shared.in_time(async {
            let document = documents.fetch_document(&shared.http, &url).await?;
            DiscoveryDocument::read(&document, Some(issuer))?.check_code_flow()?;
            Ok(shown_members(&document))
        });
        match outcome.await {
            Ok(document) => Ok(Some(document)),
            Err(error) => Err(AuthError::validation(format!(
                "The discovery document of the issuer cannot be used: {error}"
            ))),
        }
    }

    /// Refuses a provider that an admin describes if one of its hosts has a private address, or none.
    pub(crate) async fn check_hosts(&self, custom: &CustomProvider) -> Result<()> {
        for url in custom.urls() {
            let problem = match self.public.hosts.resolve(url).await {
                Some(true) => continue,
                Some(false) => "has a private or local address",
                None => "cannot be resolved",
            };
            return Err(AuthError::validation(format!(
                "The host of {} {problem}",
                shown(url)
            )));
        }
        Ok(())
    }

    /// Returns a provider of the settings, or else of the database.
    async fn custom_provider(&self, identifier: &str) -> Result<Option<FoundCustom<'_>>> {
        if let Some(custom) = self.custom.get(identifier) {
            return Ok(Some((Cow::Borrowed(custom), &self.shared)));
        }
        let Some(rows) = &self.rows else {
            return Ok(None);
        };
        let found = rows.find(identifier).await?;
        Ok(found.map(|custom| (Cow::Owned(custom), &self.public)))
    }

    /// Makes a provider usable, which needs the discovery document with OpenID Connect.
    async fn set_up(
        &self,
        custom: &CustomProvider,
        shared: &Arc<ProviderShared>,
        step: Step,
    ) -> Result<Provider> {
        let outcome = async {
            let document = match discovery_of(custom) {
                Some((url, issuer)) => {
                    let found = shared.documents.discover(&shared.http, &url, Some(issuer));
                    Some(shared.in_time(found).await?)
                }
                None => None,
            };
            custom_setup(custom, document.as_deref(), &self.custom_callback)
        };
        let setup = outcome
            .await
            .map_err(|error: ExternalError| error.into_auth_error(&custom.identifier, step))?;
        Ok(Provider {
            setup: Arc::new(setup),
            shared: Arc::clone(shared),
        })
    }
}

fn has_issuer(custom: &CustomProvider, wanted: &str) -> bool {
    matches!(&custom.protocol, CustomProtocol::Oidc { issuer, .. } if same_issuer(issuer, wanted))
}

fn has_client(custom: &CustomProvider, id: &str) -> bool {
    custom.client_id == id || custom.acceptable_client_ids.iter().any(|it| it == id)
}
