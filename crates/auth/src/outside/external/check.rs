//! Checks the providers that the settings enable, for operators. Nobody signs in.

use std::fmt;
use std::time::Duration;

use innkeeper_service::clock::Clock;
use innkeeper_service::outbound::OutboundError;
use reqwest::Method;
use tokio::time::timeout;
use url::Url;

use super::error::ExternalError;
use super::provider::Provider;
use super::providers::Providers;
use super::setup::{IssuerRule, SetupSource};
use super::table;
use crate::config::{CUSTOM_PREFIX, Config};

/// The result of checking a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderCheck {
    /// The name of the provider, such as `github`.
    pub provider: String,
    /// Where the provider was asked; `None` if its settings do not suffice for that.
    pub address: Option<String>,
    /// Empty if users can be sent to the provider.
    pub problems: Vec<ProviderProblem>,
}

/// Something that keeps users from signing in with a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderProblem {
    /// The settings lack something.
    Incomplete(&'static str),
    /// The provider does not respond as it should.
    Unreachable {
        /// The discovery document or the host.
        address: String,
        /// Why.
        cause: String,
    },
    /// The provider would send browsers to another address than that of this server.
    RedirectUri {
        /// The one of the settings.
        configured: String,
        /// The one of this server.
        expected: String,
    },
}

impl fmt::Display for ProviderProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Incomplete(problem) => write!(f, "{problem}"),
            Self::Unreachable { address, cause } => write!(f, "{address}: {cause}"),
            Self::RedirectUri {
                configured,
                expected,
            } => write!(
                f,
                "the redirect URI is {configured}, but this server has {expected}"
            ),
        }
    }
}

/// Checks every enabled provider of the settings: that they are complete, its discovery document or its host, and its
/// redirect URI. One that does not respond takes as long as `deadline`, all together too.
pub async fn check_providers(
    config: &Config,
    deadline: Duration,
) -> Result<Vec<ProviderCheck>, OutboundError> {
    let providers = Providers::new(config, &Clock::system(), None)?;
    let expected = redirect_uri(&config.api.external_url);
    let enabled = config.external.providers.iter();
    let enabled = enabled.filter(|(_, provider)| provider.enabled);
    let custom = config.custom_oauth.providers.values();
    let custom = custom.filter(|provider| provider.enabled);
    let names = enabled
        .map(|(name, _)| *name)
        .chain(custom.map(|provider| provider.identifier.as_str()));
    let checks = names.map(|name| check(&providers, name, &expected, deadline));
    Ok(futures_util::future::join_all(checks).await)
}

/// Returns the address of `/callback`, as browsers see it.
fn redirect_uri(external_url: &Url) -> String {
    format!("{}/callback", external_url.as_str().trim_end_matches('/'))
}

async fn check(
    providers: &Providers,
    name: &str,
    expected: &str,
    deadline: Duration,
) -> ProviderCheck {
    let provider = match found(providers, name, deadline).await {
        Ok(provider) => provider,
        Err(problem) => {
            return ProviderCheck {
                provider: name.to_owned(),
                address: None,
                problems: vec![problem],
            };
        }
    };
    let mut problems = Vec::new();
    let address = provider.contact();
    let outcome = timeout(deadline, provider.reach(&address)).await;
    if let Err(error) = outcome.unwrap_or(Err(ExternalError::TimedOut)) {
        problems.push(ProviderProblem::Unreachable {
            address: address.url.clone(),
            cause: error.to_string(),
        });
    }
    let configured = &provider.setup.credentials.redirect_uri;
    if !is_same_address(configured, expected) {
        problems.push(ProviderProblem::RedirectUri {
            configured: configured.clone(),
            expected: expected.to_owned(),
        });
    }
    ProviderCheck {
        provider: name.to_owned(),
        address: Some(address.url),
        problems,
    }
}

/// Returns a provider of the table, or a custom one, whose discovery document is fetched.
async fn found(
    providers: &Providers,
    name: &str,
    deadline: Duration,
) -> Result<Provider, ProviderProblem> {
    if !name.starts_with(CUSTOM_PREFIX) {
        return providers.enabled(name).map_err(ProviderProblem::Incomplete);
    }
    let cause = match timeout(deadline, providers.find(name)).await {
        Ok(Ok(provider)) => return Ok(provider),
        Ok(Err(error)) => error.to_string(),
        Err(_) => ExternalError::TimedOut.to_string(),
    };
    Err(ProviderProblem::Unreachable {
        address: "its discovery document".to_owned(),
        cause,
    })
}

/// Whether two addresses lead to the same place, apart from how they are written.
fn is_same_address(one: &str, other: &str) -> bool {
    match (Url::parse(one), Url::parse(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

/// Where it is seen whether a provider responds.
struct ContactPoint {
    url: String,
    /// Whether there is a discovery document. Else any response will do.
    is_discovery: bool,
}

impl Provider {
    /// Returns the discovery document of a provider whose sign-ins need it, else the host that exchanges codes.
    fn contact(&self) -> ContactPoint {
        let setup = &self.setup;
        let reads_id_tokens = !matches!(setup.user, SetupSource::Api(_) | SetupSource::TokenAnswer);
        // The document of a server of the operator's own also tells whether its URL is right.
        let is_own_server = table::find(&setup.name).is_some_and(|it| it.issuer == Some(""));
        match &setup.id_tokens {
            Some(id_tokens) if reads_id_tokens || is_own_server => ContactPoint {
                url: id_tokens.discovery_url.clone(),
                is_discovery: true,
            },
            _ => ContactPoint {
                url: origin(&setup.token),
                is_discovery: false,
            },
        }
    }

    async fn reach(&self, contact: &ContactPoint) -> Result<(), ExternalError> {
        let setup = self.setup.id_tokens.as_ref();
        if contact.is_discovery {
            let expected = setup.map(|setup| issuer(&setup.issuers));
            let expected = expected.filter(|issuer| !issuer.is_empty());
            let documents = &self.shared.documents;
            documents
                .discover(&self.shared.http, &contact.url, expected)
                .await?;
            return Ok(());
        }
        let url = self
            .shared
            .hosts
            .parse(&contact.url, "the token endpoint")?;
        let request = self.shared.http.request(Method::GET, &url)?;
        self.shared.http.0.send(request).await?;
        Ok(())
    }
}

/// Returns the issuer that the discovery document must have, or an empty text for any.
fn issuer(rule: &IssuerRule) -> &str {
    match rule {
        IssuerRule::OneOf(issuers) => issuers.first().map_or("", String::as_str),
        IssuerRule::AzureTenant => "",
    }
}

fn origin(address: &str) -> String {
    match Url::parse(address) {
        Ok(url) => url.origin().ascii_serialization(),
        Err(_) => address.to_owned(),
    }
}
