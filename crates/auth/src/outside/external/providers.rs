//! Finds providers by their names.

use std::collections::BTreeMap;
use std::sync::Arc;

use innkeeper_service::clock::Clock;
use innkeeper_service::outbound::{Outbound, OutboundError, OutboundOptions, Reach};
use url::Url;

use super::apple::{self, AppleKey};
use super::custom_rows::CustomRows;
use super::discovery::document_url;
use super::entry::{ProviderEntry, UserSource, at};
use super::hosts::{Hosts, unbracketed};
use super::http::{MAX_ANSWER, ProviderHttp};
use super::oidc::OidcDocuments;
use super::profile::UserMapping;
use super::provider::{Provider, ProviderShared};
use super::setup::{ClientCredentials, IdTokenSetup, IssuerRule, ProviderSetup};
use super::{azure, table};
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::{
    CUSTOM_PREFIX, Config, CustomProvider, ExternalConfig, Profile, ProviderConfig,
};

/// The external providers of the server.
#[derive(Debug)]
pub(crate) struct Providers {
    /// The providers of the table that can be used, or what their settings lack.
    pub(super) known: BTreeMap<&'static str, KnownProvider>,
    /// The custom providers of the settings, by identifier.
    pub(super) custom: BTreeMap<String, CustomProvider>,
    /// The custom providers of the database; `None` if admins cannot define any.
    pub(super) rows: Option<CustomRows>,
    /// Where custom providers send browsers back to.
    pub(super) custom_callback: String,
    /// For the providers of the settings.
    pub(super) shared: Arc<ProviderShared>,
    /// For the providers of the database, which no private address is called for.
    pub(super) public: Arc<ProviderShared>,
    allowed_issuers: Vec<String>,
}

type KnownProvider = std::result::Result<Arc<ProviderSetup>, &'static str>;

impl Providers {
    /// Reads the providers from the settings. The rows of custom providers are read when they are needed.
    pub(crate) fn new(
        config: &Config,
        clock: &Clock,
        rows: Option<CustomRows>,
    ) -> std::result::Result<Self, OutboundError> {
        let external = &config.external;
        let known = external.providers.iter();
        let custom = &config.custom_oauth;
        let base = custom.external_url.as_ref();
        let base = base.unwrap_or(&config.api.external_url);
        let named = named_hosts(external).chain(custom_hosts(custom.providers.values()));
        Ok(Self {
            known: known
                .map(|(name, provider)| (*name, known_provider(name, provider, external)))
                .collect(),
            custom: custom.providers.clone(),
            rows: rows.filter(|_| custom.enabled),
            custom_callback: format!("{}/callback", base.as_str().trim_end_matches('/')),
            allowed_issuers: external.allowed_id_token_issuers.clone(),
            shared: Arc::new(shared(config, clock, named.collect())?),
            public: Arc::new(shared(config, clock, Vec::new())?),
        })
    }

    /// Finds a provider for a sign-in in the browser. 400 `validation_failed` if it cannot be used.
    pub(crate) async fn find(&self, name: &str) -> Result<Provider> {
        let lower = name.to_ascii_lowercase();
        if lower.starts_with(CUSTOM_PREFIX) {
            return self.find_custom(&lower).await;
        }
        match self.known.get(lower.as_str()) {
            Some(Ok(setup)) => Ok(self.provider(Arc::clone(setup))),
            Some(Err(problem)) => Err(unsupported(problem)),
            None => Err(not_found(name)),
        }
    }

    /// Finds the provider of an id token: by its name, else by the issuer. A client id matters only for issuers
    /// that no provider has, and only in gotrue: in std the caller does not choose the audience, because then a token
    /// that any other client of the issuer got would sign its user in here.
    pub(crate) async fn find_for_id_token(
        &self,
        provider: Option<&str>,
        issuer: Option<&str>,
        client_id: Option<&str>,
    ) -> Result<Provider> {
        let name = provider.unwrap_or_default().to_ascii_lowercase();
        let issuer = issuer.unwrap_or_default();
        if name.starts_with(CUSTOM_PREFIX) {
            return self.find_custom_for_id_token(&name).await;
        }
        let mut known = self.known.iter();
        let known = known.find(|(known, setup)| match name.as_str() {
            "" => is_issuer(known, setup, issuer),
            name => **known == name && table::find(known).is_some_and(|it| it.issuer.is_some()),
        });
        match known {
            Some((_, Ok(setup))) => return Ok(self.provider(Arc::clone(setup))),
            Some((known, Err(_))) => {
                let issuer = table::find(known).and_then(|it| it.issuer);
                let issuer = issuer.filter(|issuer| !issuer.is_empty()).unwrap_or(known);
                return Err(AuthError::refused(
                    ErrorCode::ProviderDisabled,
                    format!("Provider (issuer \"{issuer}\") is not enabled"),
                ));
            }
            None => {}
        }
        if name.is_empty()
            && let Some(provider) = self.find_custom_of_issuer(issuer, client_id).await?
        {
            return Ok(provider);
        }
        let allowed = self
            .allowed_issuers
            .iter()
            .find(|allowed| *allowed == issuer);
        let client_id = client_id.filter(|id| !id.is_empty());
        match (allowed, client_id, self.shared.profile) {
            (Some(issuer), Some(client_id), Profile::Gotrue) => {
                Ok(self.provider(Arc::new(of_issuer(issuer, client_id))))
            }
            (Some(issuer), _, Profile::Std) => Err(AuthError::validation(format!(
                "No provider of this server has client ids at the issuer \"{}\"",
                shown(issuer)
            ))),
            _ => Err(AuthError::validation(format!(
                "Custom OIDC provider \"{}\" not allowed",
                shown(&name)
            ))),
        }
    }

    /// Returns a provider of the table, or what its settings lack.
    pub(super) fn enabled(&self, name: &str) -> std::result::Result<Provider, &'static str> {
        match self.known.get(name) {
            Some(Ok(setup)) => Ok(self.provider(Arc::clone(setup))),
            Some(Err(problem)) => Err(*problem),
            None => Err("provider is not known"),
        }
    }

    fn provider(&self, setup: Arc<ProviderSetup>) -> Provider {
        Provider {
            setup,
            shared: Arc::clone(&self.shared),
        }
    }
}

/// Returns what providers share that may call public addresses and these hosts.
fn shared(
    config: &Config,
    clock: &Clock,
    mut allowed_hosts: Vec<String>,
) -> std::result::Result<ProviderShared, OutboundError> {
    let hosts = Hosts {
        replaced_by: config.external.hosts_replaced_by.clone(),
    };
    allowed_hosts.extend(hosts.allowed());
    let deadline = config.api.max_request_duration.unsigned_abs();
    // So that a slow provider leaves time for the answer.
    let timeout = config
        .internal_http_timeout
        .unsigned_abs()
        .min(deadline.saturating_mul(9) / 20);
    let outbound = Outbound::new(OutboundOptions {
        timeout,
        max_response: MAX_ANSWER,
        reach: Reach::Public { allowed_hosts },
        ..OutboundOptions::default()
    })?;
    let max_age = config.external.oidc_provider_cache_ttl;
    Ok(ProviderShared {
        documents: OidcDocuments::new(clock, max_age, hosts.clone()),
        hosts,
        clock: clock.clone(),
        profile: config.profile,
        timeout,
        http: ProviderHttp(outbound),
    })
}

/// Returns the hosts that the operator names, which may have private addresses.
fn named_hosts(external: &ExternalConfig) -> impl Iterator<Item = String> {
    let urls = external.providers.values();
    let urls = urls.flat_map(|provider| [&provider.url, &provider.api_url]);
    let urls = urls.flatten().filter_map(|url| Url::parse(url).ok());
    urls.filter_map(|url| url.host_str().map(unbracketed))
}

/// Returns the hosts of custom providers that the operator names.
fn custom_hosts<'a>(
    providers: impl Iterator<Item = &'a CustomProvider>,
) -> impl Iterator<Item = String> {
    let urls = providers.flat_map(CustomProvider::urls);
    let urls = urls.filter_map(|url| Url::parse(url).ok());
    urls.filter_map(|url| url.host_str().map(unbracketed))
}

pub(super) fn not_found(name: &str) -> AuthError {
    unsupported(&format!("Provider {} could not be found", shown(name)))
}

pub(super) fn unsupported(problem: &str) -> AuthError {
    AuthError::validation(format!("Unsupported provider: {problem}"))
}

/// Returns a name of the client, shortened if it is too long to be one.
pub(super) fn shown(name: &str) -> String {
    let letters = name.chars().filter(|letter| !letter.is_control());
    letters.take(64).collect()
}

fn known_provider(name: &str, config: &ProviderConfig, external: &ExternalConfig) -> KnownProvider {
    let has_id = config.client_id.iter().any(|id| !id.trim().is_empty());
    let problem = match config {
        ProviderConfig { enabled: false, .. } => Some("provider is not enabled"),
        _ if !has_id => Some("missing OAuth client ID"),
        ProviderConfig { secret: None, .. } => Some("missing OAuth secret"),
        ProviderConfig {
            redirect_uri: None, ..
        } => Some("missing redirect URI"),
        ProviderConfig { url: None, .. } if name == "keycloak" => Some("missing URL"),
        _ => None,
    };
    if let Some(problem) = problem {
        return Err(problem);
    }
    let entry = table::find(name).ok_or("provider is not known")?;
    let mut setup = ProviderSetup::new(entry, config);
    if name == apple::ENTRY.name {
        complete_apple(&mut setup.credentials, external)?;
    }
    Ok(Arc::new(setup))
}

/// Adds what only Apple has: the key that signs client secrets, and the id of the iOS app.
fn complete_apple(
    credentials: &mut ClientCredentials,
    external: &ExternalConfig,
) -> std::result::Result<(), &'static str> {
    credentials.ids.extend(external.ios_bundle_id.clone());
    if apple::is_private_key(credentials.secret.reveal()) {
        let (Some(team_id), Some(key_id)) = (&external.apple_team_id, &external.apple_key_id)
        else {
            return Err("missing Apple team ID or key ID");
        };
        credentials.key = Some(AppleKey {
            team_id: team_id.clone(),
            key_id: key_id.clone(),
            pem: credentials.secret.clone(),
        });
    }
    Ok(())
}

/// Whether a provider issues id tokens as this issuer.
fn is_issuer(name: &str, setup: &KnownProvider, issuer: &str) -> bool {
    if issuer.is_empty() {
        return false;
    }
    let setup = setup
        .as_ref()
        .ok()
        .and_then(|setup| setup.id_tokens.as_ref());
    match (setup.map(|setup| &setup.issuers), table::find(name)) {
        (Some(IssuerRule::OneOf(issuers)), _) => issuers.iter().any(|it| it == issuer),
        (_, Some(entry)) if entry.name == azure::ENTRY.name => azure::is_issuer(issuer),
        (None, Some(entry)) => entry.issuer == Some(issuer),
        _ => false,
    }
}

/// Returns a provider of which only the issuer is known. It verifies id tokens and does nothing else.
fn of_issuer(issuer: &str, client_id: &str) -> ProviderSetup {
    let config = ProviderConfig {
        client_id: vec![client_id.to_owned()],
        ..ProviderConfig::default()
    };
    let nowhere = at("", "");
    let entry = ProviderEntry::new("", nowhere, nowhere, UserSource::IdToken, UserMapping::OIDC);
    ProviderSetup {
        name: issuer.to_owned(),
        id_tokens: Some(IdTokenSetup {
            discovery_url: document_url(issuer),
            issuers: IssuerRule::OneOf(vec![issuer.to_owned()]),
        }),
        ..ProviderSetup::new(&entry, &config)
    }
}
