//! Custom providers: servers of OpenID Connect or OAuth 2 that the operator describes, by settings or by the admin API.

use std::collections::BTreeMap;

use innkeeper_service::secret::Secret;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::custom_rules as rules;
use super::custom_rules::ProviderOrigin;

/// The start of the identifier of every custom provider.
pub const CUSTOM_PREFIX: &str = "custom:";

/// A custom provider, as somebody describes it. Nothing is checked yet.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "CustomProviderInput")]
pub struct CustomProviderInput {
    /// `oidc` or `oauth2`; it cannot be changed later.
    #[schemars(example = &"oidc")]
    pub provider_type: Option<String>,
    /// `custom:` and a name of lower-case letters, digits, `-` and `:`; it cannot be changed later.
    #[schemars(example = &"custom:inn")]
    pub identifier: Option<String>,
    /// The name for people.
    pub name: Option<String>,
    pub client_id: Option<String>,
    /// Never returned.
    #[serde(deserialize_with = "secret")]
    #[schemars(with = "Option<String>")]
    pub client_secret: Option<Secret<String>>,
    /// Further audiences of id tokens.
    pub acceptable_client_ids: Option<Vec<String>>,
    /// The scopes that are always requested. `openid` is added for `oidc`.
    pub scopes: Option<Vec<String>>,
    /// Whether PKCE is used towards the provider; true by default.
    pub pkce_enabled: Option<bool>,
    /// The claim of the identity, and the name of the provider's claim, or a value that is not a text.
    pub attribute_mapping: Option<Map<String, Value>>,
    /// The names of further claims that are kept.
    pub custom_claims_allowlist: Option<Vec<String>>,
    /// Parameters of the authorization request; all values are texts.
    pub authorization_params: Option<Map<String, Value>>,
    /// Whether users can sign in with it; true by default.
    pub enabled: Option<bool>,
    /// Whether users without an email address can sign in; false by default.
    pub email_optional: Option<bool>,
    /// For `oidc`, required.
    pub issuer: Option<String>,
    /// For `oidc`, if the discovery document is not at the usual path below the issuer.
    pub discovery_url: Option<String>,
    /// For `oidc`: id tokens are accepted whatever their nonce; false by default.
    pub skip_nonce_check: Option<bool>,
    /// For `oauth2`, required.
    pub authorization_url: Option<String>,
    /// For `oauth2`, required.
    pub token_url: Option<String>,
    /// For `oauth2`, required.
    pub userinfo_url: Option<String>,
    /// For `oauth2`: stored and returned for GoTrue; without an issuer no id token is verified.
    pub jwks_uri: Option<String>,
}

fn secret<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Secret<String>>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.map(Secret::new))
}

/// A custom provider that can be used.
#[derive(Debug, Clone)]
pub struct CustomProvider {
    /// The name of the provider in requests and identities, `custom:…`.
    pub identifier: String,
    /// The name for people.
    pub name: String,
    /// The client id that signs in.
    pub client_id: String,
    /// The client secret at the provider.
    pub client_secret: Secret<String>,
    /// Further client ids that are accepted as audience of id tokens.
    pub acceptable_client_ids: Vec<String>,
    /// The scopes that are always requested.
    pub scopes: Vec<String>,
    /// Whether PKCE is used towards the provider.
    pub pkce_enabled: bool,
    /// The claim of the identity, and the name of the provider's claim, or a value that is not a text.
    pub attribute_mapping: Map<String, Value>,
    /// The names of further claims that are kept.
    pub custom_claims_allowlist: Vec<String>,
    /// Parameters of the authorization request.
    pub authorization_params: BTreeMap<String, String>,
    /// Whether users can sign in with it.
    pub enabled: bool,
    /// Whether users without an email address can sign in.
    pub email_optional: bool,
    /// What the provider speaks, and where.
    pub protocol: CustomProtocol,
}

/// What a custom provider speaks, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CustomProtocol {
    /// OpenID Connect; the endpoints are in the discovery document.
    Oidc {
        /// The issuer of the id tokens.
        issuer: String,
        /// Where the discovery document is, if not at the usual path.
        discovery_url: Option<String>,
        /// Whether id tokens are accepted whatever their nonce.
        skip_nonce_check: bool,
    },
    /// OAuth 2, and an endpoint that describes the user.
    OAuth2 {
        /// Where the browser is sent.
        authorization_url: String,
        /// Where codes are exchanged.
        token_url: String,
        /// What describes the user.
        userinfo_url: String,
        /// Kept for GoTrue.
        jwks_uri: Option<String>,
    },
}

impl CustomProvider {
    /// Returns all URLs that are given.
    pub fn urls(&self) -> Vec<&str> {
        match &self.protocol {
            CustomProtocol::Oidc {
                issuer,
                discovery_url,
                ..
            } => {
                let urls = std::iter::once(issuer).chain(discovery_url);
                urls.map(String::as_str).collect()
            }
            CustomProtocol::OAuth2 {
                authorization_url,
                token_url,
                userinfo_url,
                jwks_uri,
            } => {
                let urls = [authorization_url, token_url, userinfo_url].into_iter();
                urls.chain(jwks_uri).map(String::as_str).collect()
            }
        }
    }
}

/// A member of a description that is not as it must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberProblem {
    /// The name of the member.
    pub member: &'static str,
    /// What is wrong, to follow the name.
    pub problem: String,
}

impl CustomProviderInput {
    /// Replaces what a change names. An empty text removes a URL that is not required.
    pub fn change(&mut self, change: Self) {
        macro_rules! replace {
            ($($member:ident)*) => {$(
                if change.$member.is_some() {
                    self.$member = change.$member;
                }
            )*};
        }
        replace!(
            name client_id client_secret acceptable_client_ids scopes pkce_enabled attribute_mapping
            custom_claims_allowlist authorization_params enabled email_optional issuer discovery_url
            skip_nonce_check authorization_url token_url userinfo_url jwks_uri
        );
    }

    /// Checks every member. Returns all problems together.
    pub fn check(self, origin: ProviderOrigin) -> Result<CustomProvider, Vec<MemberProblem>> {
        let mut checker = Checker {
            origin,
            problems: Vec::new(),
        };
        let protocol = checker.protocol(&self);
        let provider = CustomProvider {
            identifier: checker.text("identifier", self.identifier, rules::identifier),
            name: checker.text("name", self.name, rules::name),
            client_id: checker.text("client_id", self.client_id, rules::client_id),
            client_secret: checker.secret(self.client_secret),
            acceptable_client_ids: checker.list(
                "acceptable_client_ids",
                self.acceptable_client_ids,
                rules::client_id,
            ),
            scopes: checker.list("scopes", self.scopes, rules::scope),
            pkce_enabled: self.pkce_enabled.unwrap_or(true),
            attribute_mapping: checker.mapping(self.attribute_mapping),
            custom_claims_allowlist: checker.list(
                "custom_claims_allowlist",
                self.custom_claims_allowlist,
                rules::claim,
            ),
            authorization_params: checker.parameters(self.authorization_params),
            enabled: self.enabled.unwrap_or(true),
            email_optional: self.email_optional.unwrap_or(false),
            protocol: protocol.unwrap_or(CustomProtocol::Oidc {
                issuer: String::new(),
                discovery_url: None,
                skip_nonce_check: false,
            }),
        };
        if checker.problems.is_empty() {
            Ok(provider)
        } else {
            Err(checker.problems)
        }
    }
}

/// Collects the problems of a description.
struct Checker {
    origin: ProviderOrigin,
    problems: Vec<MemberProblem>,
}

impl Checker {
    fn report(&mut self, member: &'static str, problem: impl Into<String>) {
        let problem = problem.into();
        self.problems.push(MemberProblem { member, problem });
    }

    /// Checks a text that is required.
    fn text(
        &mut self,
        member: &'static str,
        text: Option<String>,
        rule: fn(&str) -> Result<(), String>,
    ) -> String {
        let text = text.unwrap_or_default().trim().to_owned();
        if text.is_empty() {
            self.report(member, "is required");
        } else if let Err(problem) = rule(&text) {
            self.report(member, problem);
        }
        text
    }

    fn secret(&mut self, secret: Option<Secret<String>>) -> Secret<String> {
        let secret = secret.unwrap_or_default();
        if secret.reveal().is_empty() {
            self.report("client_secret", "is required");
        } else if let Err(problem) = rules::client_secret(secret.reveal()) {
            self.report("client_secret", problem);
        }
        secret
    }

    fn list(
        &mut self,
        member: &'static str,
        list: Option<Vec<String>>,
        rule: fn(&str) -> Result<(), String>,
    ) -> Vec<String> {
        let list = list.unwrap_or_default();
        let outcome =
            rules::length(list.len()).and_then(|()| list.iter().try_for_each(|it| rule(it)));
        if let Err(problem) = outcome {
            self.report(member, problem);
        }
        list
    }

    fn mapping(&mut self, mapping: Option<Map<String, Value>>) -> Map<String, Value> {
        let mapping = mapping.unwrap_or_default();
        let mut pairs = mapping.iter();
        let outcome = rules::length(mapping.len());
        let outcome =
            outcome.and_then(|()| pairs.try_for_each(|(to, from)| rules::mapping(to, from)));
        if let Err(problem) = outcome {
            self.report("attribute_mapping", problem);
        }
        mapping
    }

    fn parameters(&mut self, given: Option<Map<String, Value>>) -> BTreeMap<String, String> {
        let given = given.unwrap_or_default();
        if let Err(problem) = rules::length(given.len()) {
            self.report("authorization_params", problem);
        }
        let mut parameters = BTreeMap::new();
        for (name, value) in given {
            match rules::parameter(&name, &value) {
                Ok(value) => {
                    parameters.insert(name, value);
                }
                Err(problem) => self.report("authorization_params", problem),
            }
        }
        parameters
    }

    fn protocol(&mut self, input: &CustomProviderInput) -> Option<CustomProtocol> {
        let for_oidc = [
            ("issuer", &input.issuer),
            ("discovery_url", &input.discovery_url),
        ];
        let for_oauth2 = [
            ("authorization_url", &input.authorization_url),
            ("token_url", &input.token_url),
            ("userinfo_url", &input.userinfo_url),
            ("jwks_uri", &input.jwks_uri),
        ];
        match input.provider_type.as_deref().unwrap_or_default().trim() {
            "oidc" => {
                self.refuse(&for_oauth2, "oauth2");
                Some(CustomProtocol::Oidc {
                    issuer: self.required_url("issuer", input.issuer.as_deref()),
                    discovery_url: self.url("discovery_url", input.discovery_url.as_deref()),
                    skip_nonce_check: input.skip_nonce_check.unwrap_or(false),
                })
            }
            "oauth2" => {
                self.refuse(&for_oidc, "oidc");
                Some(CustomProtocol::OAuth2 {
                    authorization_url: self
                        .required_url("authorization_url", input.authorization_url.as_deref()),
                    token_url: self.required_url("token_url", input.token_url.as_deref()),
                    userinfo_url: self.required_url("userinfo_url", input.userinfo_url.as_deref()),
                    jwks_uri: self.url("jwks_uri", input.jwks_uri.as_deref()),
                })
            }
            "" => {
                self.report("provider_type", "is required: oidc or oauth2");
                None
            }
            _ => {
                self.report("provider_type", "must be oidc or oauth2");
                None
            }
        }
    }

    /// Reports members that only the other type has.
    fn refuse(&mut self, members: &[(&'static str, &Option<String>)], other: &str) {
        for (member, text) in members {
            if text.as_deref().is_some_and(|text| !text.is_empty()) {
                self.report(member, format!("is only for the type {other}"));
            }
        }
    }

    fn required_url(&mut self, member: &'static str, text: Option<&str>) -> String {
        let url = self.url(member, text);
        if url.is_none() {
            self.report(member, "is required");
        }
        url.unwrap_or_default()
    }

    fn url(&mut self, member: &'static str, text: Option<&str>) -> Option<String> {
        let text = text.map(str::trim).filter(|text| !text.is_empty())?;
        if let Err(problem) = rules::url(text, self.origin) {
            self.report(member, problem);
        }
        Some(text.to_owned())
    }
}
