//! `EXPERIMENTAL_*`: which providers share accounts by their email addresses.

use std::collections::BTreeMap;

use innkeeper_service::settings::{Kind, Reader, Setting};

use super::Profile;
use super::checks::report;

/// The domain of all providers that no other is set for.
const DEFAULT_DOMAIN: &str = "default";

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "EXPERIMENTAL_PROVIDER_LINKING_DOMAINS",
        Kind::Other("pairs `provider=domain` with commas"),
        "The linking domains of providers; `default` for all others. An identity is added to an existing account by \
         its email address only if that account has an identity of the same domain. Accounts of other domains than \
         `default` are apart: others can have their addresses too.",
    ),
    Setting::new(
        "EXPERIMENTAL_PROVIDERS_WITH_OWN_LINKING_DOMAIN",
        Kind::List,
        "Providers that have a linking domain each.",
    ),
];

/// Which providers share accounts by their email addresses.
#[derive(Debug, Clone, Default)]
pub struct LinkingConfig {
    /// `EXPERIMENTAL_PROVIDER_LINKING_DOMAINS` and `EXPERIMENTAL_PROVIDERS_WITH_OWN_LINKING_DOMAIN`: the domain of each
    /// provider that has one.
    pub domains: BTreeMap<String, String>,
}

impl LinkingConfig {
    pub(super) fn read(reader: &mut Reader, profile: Profile) -> Self {
        let own: Vec<String> = reader.get("EXPERIMENTAL_PROVIDERS_WITH_OWN_LINKING_DOMAIN");
        let own = own.into_iter().map(|name| name.to_ascii_lowercase());
        let mut domains: BTreeMap<String, String> = own.map(|name| (name.clone(), name)).collect();
        let name = "EXPERIMENTAL_PROVIDER_LINKING_DOMAINS";
        let pairs: String = reader.get(name);
        for pair in pairs
            .split(',')
            .map(str::trim)
            .filter(|pair| !pair.is_empty())
        {
            let (provider, domain) = pair.split_once('=').unwrap_or_default();
            let (provider, domain) = (provider.trim().to_ascii_lowercase(), domain.trim());
            if provider.is_empty() || domain.is_empty() {
                report(reader, profile, name, "must be pairs `provider=domain`");
            } else if ["email", "phone"].contains(&provider.as_str()) {
                let problem = "must name external providers, not email or phone";
                report(reader, profile, name, problem);
            } else {
                domains.insert(provider, domain.to_owned());
            }
        }
        Self { domains }
    }

    /// Returns the linking domain of a provider.
    pub fn domain_of<'a>(&'a self, provider: &'a str) -> &'a str {
        match self.domains.get(provider) {
            Some(domain) => domain,
            None if provider.starts_with("sso:") => provider,
            None => DEFAULT_DOMAIN,
        }
    }

    /// Whether accounts of this provider are apart from those of most others.
    pub fn is_apart(&self, provider: &str) -> bool {
        self.domain_of(provider) != DEFAULT_DOMAIN
    }
}
