//! A provider, made of its entry in the table and the settings of the operator.

use innkeeper_service::secret::Secret;
use serde_json::Value;

use super::apple::AppleKey;
use super::azure;
use super::custom::CustomMapping;
use super::discovery::document_url;
use super::entry::{ClientAuth, Endpoint, HeaderText, ProviderEntry, UserSource};
use super::error::ExternalError;
use super::profile::{UserMapping, UserProfile};
use crate::config::ProviderConfig;

/// What a sign-in with a provider needs to know.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a property of its own"
)]
pub(super) struct ProviderSetup {
    pub(super) name: String,
    pub(super) authorize: String,
    pub(super) token: String,
    pub(super) user: SetupSource,
    pub(super) scopes: Vec<String>,
    pub(super) parameters: Vec<(String, String)>,
    pub(super) one_of: &'static [&'static str],
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) client_auth: ClientAuth,
    pub(super) pkce: bool,
    pub(super) sends_nonce: bool,
    pub(super) mapping: SetupMapping,
    pub(super) id_mapping: SetupMapping,
    /// The issuer of identities that the API describes.
    pub(super) api_issuer: String,
    pub(super) id_tokens: Option<IdTokenSetup>,
    pub(super) credentials: ClientCredentials,
    pub(super) email_optional: bool,
    /// Whether id tokens of clients are accepted whatever their nonce.
    pub(super) skip_nonce_check: bool,
}

/// What the provider knows this server by.
#[derive(Debug, Clone)]
pub(super) struct ClientCredentials {
    /// The first one signs in; all are accepted as audience.
    pub(super) ids: Vec<String>,
    pub(super) secret: Secret<String>,
    /// Signs the client secret, at Apple.
    pub(super) key: Option<AppleKey>,
    pub(super) redirect_uri: String,
}

impl ClientCredentials {
    pub(super) fn id(&self) -> &str {
        self.ids.first().map_or("", String::as_str)
    }
}

/// As [`UserSource`], with full addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SetupSource {
    Api(Vec<String>),
    IdToken,
    IdTokenOr(Vec<String>),
    /// From the id token and, if that lacks claims that are wanted, from the user info endpoint.
    IdTokenAnd(String),
    TokenAnswer,
}

/// Where the answers say what.
#[derive(Debug, Clone)]
pub(super) enum SetupMapping {
    Table(UserMapping),
    Custom(CustomMapping),
}

impl SetupMapping {
    /// Reads the answers of a provider.
    pub(super) fn read(
        &self,
        issuer: &str,
        answers: &[Value],
    ) -> Result<UserProfile, ExternalError> {
        match self {
            Self::Table(mapping) => mapping.read(issuer, answers),
            Self::Custom(mapping) => mapping.read(issuer, answers.first().unwrap_or(&Value::Null)),
        }
    }

    /// Whether claims of an id token are all that is wanted.
    pub(super) fn is_complete(&self, claims: &Value) -> bool {
        match self {
            Self::Table(_) => claims.get("email").is_some(),
            Self::Custom(mapping) => mapping.is_complete(claims),
        }
    }
}

/// How id tokens are verified.
#[derive(Debug, Clone)]
pub(super) struct IdTokenSetup {
    pub(super) discovery_url: String,
    pub(super) issuers: IssuerRule,
}

/// The issuers that id tokens may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum IssuerRule {
    /// The first one has the discovery document.
    OneOf(Vec<String>),
    /// The one of the token's tenant.
    AzureTenant,
}

impl ProviderSetup {
    /// Combines an entry with settings that are complete.
    pub(super) fn new(entry: &ProviderEntry, config: &ProviderConfig) -> Self {
        let url = config.url.as_deref().filter(|_| entry.is_movable);
        let api_url = config.api_url.as_deref().filter(|_| entry.is_movable);
        let own = |endpoint: &Endpoint| join(url.unwrap_or(endpoint.base), "", endpoint.path);
        let api = |endpoint: &Endpoint| match (api_url, url) {
            (Some(base), _) => join(base, "", endpoint.path),
            (None, Some(base)) => join(base, entry.api_prefix, endpoint.path),
            (None, None) => join(endpoint.base, "", endpoint.path),
        };
        let list = |endpoints: &[Endpoint]| endpoints.iter().map(api).collect();
        let owned = |text: &&str| (*text).to_owned();
        let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let client_id = config.client_id.first().cloned().unwrap_or_default();
        Self {
            name: entry.name.to_owned(),
            authorize: own(&entry.authorize),
            token: own(&entry.token),
            user: match entry.user {
                UserSource::Api(endpoints) => SetupSource::Api(list(endpoints)),
                UserSource::IdToken => SetupSource::IdToken,
                UserSource::IdTokenOr(endpoints) => SetupSource::IdTokenOr(list(endpoints)),
                UserSource::TokenAnswer => SetupSource::TokenAnswer,
            },
            scopes: entry.scopes.iter().map(owned).collect(),
            parameters: entry.parameters.iter().map(pair).collect(),
            one_of: entry.one_of,
            headers: headers(entry, &client_id),
            client_auth: entry.client_auth,
            pkce: entry.pkce,
            sends_nonce: entry.sends_nonce(),
            mapping: SetupMapping::Table(entry.mapping),
            id_mapping: SetupMapping::Table(entry.id_mapping),
            api_issuer: api_issuer(entry, api),
            id_tokens: entry.issuer.map(|issuer| id_tokens(entry, issuer, url)),
            credentials: ClientCredentials {
                ids: config.client_id.clone(),
                secret: config.secret.clone().unwrap_or_default(),
                key: None,
                redirect_uri: config.redirect_uri.clone().unwrap_or_default(),
            },
            email_optional: config.email_optional,
            skip_nonce_check: config.skip_nonce_check || entry.name == "facebook",
        }
    }
}

fn headers(entry: &ProviderEntry, client_id: &str) -> Vec<(&'static str, String)> {
    let value = |text: HeaderText| match text {
        HeaderText::Fixed(text) => text.to_owned(),
        HeaderText::ClientId => client_id.to_owned(),
    };
    let headers = entry.headers.iter();
    headers.map(|(name, text)| (*name, value(*text))).collect()
}

/// Returns what identities of the API have as their issuer: the base of its addresses.
fn api_issuer(entry: &ProviderEntry, address: impl Fn(&Endpoint) -> String) -> String {
    let endpoint = match entry.user {
        UserSource::Api(endpoints) | UserSource::IdTokenOr(endpoints) => endpoints.first(),
        UserSource::IdToken | UserSource::TokenAnswer => None,
    };
    let base = |endpoint: &Endpoint| {
        let full = address(endpoint);
        full.strip_suffix(endpoint.path).unwrap_or(&full).to_owned()
    };
    let endpoint = endpoint.unwrap_or(&entry.token);
    format!("{}{}", base(endpoint), entry.issuer_path)
}

fn id_tokens(entry: &ProviderEntry, issuer: &str, url: Option<&str>) -> IdTokenSetup {
    if entry.name == "azure" {
        return IdTokenSetup {
            discovery_url: document_url(&azure::issuer_base(url)),
            issuers: IssuerRule::AzureTenant,
        };
    }
    let issuer = match issuer {
        "" => url.unwrap_or_default().trim_end_matches('/'),
        issuer => issuer,
    };
    let issuers = std::iter::once(&issuer).chain(entry.other_issuers);
    IdTokenSetup {
        discovery_url: document_url(issuer),
        issuers: IssuerRule::OneOf(issuers.map(|issuer| (*issuer).to_owned()).collect()),
    }
}

fn join(base: &str, prefix: &str, path: &str) -> String {
    format!("{}{prefix}{path}", base.trim_end_matches('/'))
}
