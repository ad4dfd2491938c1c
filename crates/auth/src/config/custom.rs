//! `EXTERNAL_CUSTOM_*` and `CUSTOM_OAUTH_*`: custom providers.

use std::collections::{BTreeMap, BTreeSet};

use innkeeper_service::secret::Secret;
use innkeeper_service::settings::{Kind, Reader, Setting};
use serde_json::{Map, Value};
use url::Url;

use super::Profile;
use super::checks::report;
use super::custom_provider::{CUSTOM_PREFIX, CustomProvider, CustomProviderInput};
use super::custom_rules::ProviderOrigin;

/// The start of all settings of custom providers.
const START: &str = "EXTERNAL_CUSTOM_";

/// A longer name comes before a name that it ends in, so that `PKCE` is not taken for a part of a provider's name.
pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "EXTERNAL_CUSTOM_<NAME>_PROVIDER_TYPE",
        Kind::OneOf(&["oidc", "oauth2"]),
        "What the custom provider speaks. Clients call it `custom:<name>`, in lower case and with `-` for `_`; see \
         `docs/auth/providers.md`.",
    )
    .required("for each custom provider"),
    Setting::new(
        "EXTERNAL_CUSTOM_<NAME>_CLIENT_ID",
        Kind::Text,
        "The client id at the custom provider.",
    )
    .required("for each custom provider"),
    Setting::new(
        "EXTERNAL_CUSTOM_<NAME>_CLIENT_SECRET",
        Kind::Text,
        "The client secret at the custom provider.",
    )
    .secret()
    .required("for each custom provider"),
    Setting::new(
        "EXTERNAL_CUSTOM_<NAME>_NAME",
        Kind::Text,
        "The name of the custom provider for people; by default the one in the setting.",
    ),
    Setting::new(
        "EXTERNAL_CUSTOM_<NAME>_ACCEPTABLE_CLIENT_IDS",
        Kind::List,
        "Further client ids that are accepted as audience of id tokens.",
    ),
    Setting::new(
        "EXTERNAL_CUSTOM_<NAME>_SCOPES",
        Kind::List,
        "The scopes that are always requested. `openid` is added for OpenID Connect.",
    ),
    Setting::new(
        "EXTERNAL_CUSTOM_<NAME>_PKCE_ENABLED",
        Kind::Boolean,
        "Uses PKCE towards the provider.",
    )
    .default(&["true"]),
    Setting::new(
        "EXTERNAL_CUSTOM_<NAME>_ATTRIBUTE_MAPPING",
        Kind::Json,
        "An object: the claim of the identity, and the name of the provider's claim, or a value that is not a text.",
    ),
    Setting::new(
        "EXTERNAL_CUSTOM_<NAME>_CUSTOM_CLAIMS_ALLOWLIST",
        Kind::List,
        "The names of further claims that are kept in `custom_claims` of the identity.",
    ),
    Setting::new(
        "EXTERNAL_CUSTOM_<NAME>_AUTHORIZATION_PARAMS",
        Kind::Json,
        "An object of texts: further parameters of the authorization request.",
    ),
    Setting::new(
        "EXTERNAL_CUSTOM_<NAME>_ENABLED",
        Kind::Boolean,
        "Users can sign in with the custom provider.",
    )
    .default(&["true"]),
    Setting::new(
        "EXTERNAL_CUSTOM_<NAME>_EMAIL_OPTIONAL",
        Kind::Boolean,
        "Users without an email address at the provider can sign in too.",
    )
    .default(&["false"]),
    Setting::new(
        "EXTERNAL_CUSTOM_<NAME>_ISSUER",
        Kind::Text,
        "The issuer of the id tokens.",
    )
    .required("for OpenID Connect"),
    Setting::new(
        "EXTERNAL_CUSTOM_<NAME>_DISCOVERY_URL",
        Kind::Text,
        "Where the discovery document is, if it is not at the usual path below the issuer.",
    ),
    Setting::new(
        "EXTERNAL_CUSTOM_<NAME>_SKIP_NONCE_CHECK",
        Kind::Boolean,
        "Sends no nonce, and accepts id tokens whatever their nonce.",
    )
    .default(&["false"]),
    Setting::new(
        "EXTERNAL_CUSTOM_<NAME>_AUTHORIZATION_URL",
        Kind::Text,
        "Where the browser is sent.",
    )
    .required("for OAuth 2"),
    Setting::new(
        "EXTERNAL_CUSTOM_<NAME>_TOKEN_URL",
        Kind::Text,
        "Where codes are exchanged.",
    )
    .required("for OAuth 2"),
    Setting::new(
        "EXTERNAL_CUSTOM_<NAME>_USERINFO_URL",
        Kind::Text,
        "The endpoint that describes the user.",
    )
    .required("for OAuth 2"),
    Setting::new(
        "CUSTOM_OAUTH_ENABLED",
        Kind::Boolean,
        "Admins can define custom providers by `/admin/custom-providers`, and users sign in with them.",
    )
    .default(&["true"]),
    Setting::new(
        "CUSTOM_OAUTH_MAX_PROVIDERS",
        Kind::Integer,
        "How many custom providers admins can define; 0 means any number.",
    )
    .default(&["0"]),
    Setting::new(
        "CUSTOM_OAUTH_EXTERNAL_URL",
        Kind::Url,
        "The URL of this server that custom providers send browsers back to, at `/callback`; by default \
         `API_EXTERNAL_URL`.",
    ),
];

/// `CUSTOM_OAUTH_*` and `EXTERNAL_CUSTOM_*` settings.
#[derive(Debug, Clone)]
pub struct CustomOauthConfig {
    /// `CUSTOM_OAUTH_ENABLED`, default true: admins can define custom providers.
    pub enabled: bool,
    /// `CUSTOM_OAUTH_MAX_PROVIDERS`; `None` for any number.
    pub max_providers: Option<u32>,
    /// `CUSTOM_OAUTH_EXTERNAL_URL`: where custom providers send browsers back to, without `/callback`.
    pub external_url: Option<Url>,
    /// `EXTERNAL_CUSTOM_<NAME>_*`, by identifier.
    pub providers: BTreeMap<String, CustomProvider>,
}

impl CustomOauthConfig {
    pub(super) fn read(reader: &mut Reader, profile: Profile) -> Self {
        let patterns = SETTINGS.iter().map(|setting| setting.name);
        let patterns = patterns.filter(|name| name.starts_with(START));
        let words: BTreeSet<String> = patterns.flat_map(|name| reader.words_of(name)).collect();
        let providers = words
            .iter()
            .filter_map(|word| read_provider(reader, profile, word));
        Self {
            providers: providers
                .map(|provider| (provider.identifier.clone(), provider))
                .collect(),
            enabled: reader.get("CUSTOM_OAUTH_ENABLED"),
            max_providers: Some(reader.get("CUSTOM_OAUTH_MAX_PROVIDERS"))
                .filter(|count| *count > 0),
            external_url: reader.optional("CUSTOM_OAUTH_EXTERNAL_URL"),
        }
    }
}

/// Reads a provider; `None` if something is wrong with it, which is reported.
fn read_provider(reader: &mut Reader, profile: Profile, word: &str) -> Option<CustomProvider> {
    let input = read_input(reader, word);
    let outcome = input.check(ProviderOrigin::Settings);
    let problems = match outcome {
        Ok(provider) => return Some(provider),
        Err(problems) => problems,
    };
    for found in problems {
        let (member, mut problem) = (found.member.to_ascii_uppercase(), found.problem);
        // The identifier is made of the name in the settings.
        let member = match found.member {
            "identifier" => {
                problem = format!("has a wrong name: the identifier {problem}");
                "PROVIDER_TYPE".to_owned()
            }
            // A word that is neither type is reported already.
            "provider_type" if reader.is_set(&format!("{START}{word}_{member}")) => continue,
            _ => member,
        };
        report(
            reader,
            profile,
            &format!("{START}{word}_{member}"),
            &problem,
        );
    }
    None
}

fn read_input(reader: &mut Reader, word: &str) -> CustomProviderInput {
    let name = |member: &str| format!("{START}{word}_{member}");
    let plain = word.to_ascii_lowercase().replace('_', "-");
    let scopes: Vec<String> = reader.get(&name("SCOPES"));
    let scopes = scopes.iter().flat_map(|scope| scope.split_whitespace());
    CustomProviderInput {
        provider_type: reader.optional(&name("PROVIDER_TYPE")),
        identifier: Some(format!("{CUSTOM_PREFIX}{plain}")),
        name: reader.optional(&name("NAME")).or(Some(plain)),
        client_id: reader.optional(&name("CLIENT_ID")),
        client_secret: reader.optional::<Secret<String>>(&name("CLIENT_SECRET")),
        acceptable_client_ids: reader.optional(&name("ACCEPTABLE_CLIENT_IDS")),
        scopes: Some(scopes.map(str::to_owned).collect()),
        pkce_enabled: reader.optional(&name("PKCE_ENABLED")),
        attribute_mapping: object(reader, &name("ATTRIBUTE_MAPPING")),
        custom_claims_allowlist: reader.optional(&name("CUSTOM_CLAIMS_ALLOWLIST")),
        authorization_params: object(reader, &name("AUTHORIZATION_PARAMS")),
        enabled: reader.optional(&name("ENABLED")),
        email_optional: reader.optional(&name("EMAIL_OPTIONAL")),
        issuer: reader.optional(&name("ISSUER")),
        discovery_url: reader.optional(&name("DISCOVERY_URL")),
        skip_nonce_check: reader.optional(&name("SKIP_NONCE_CHECK")),
        authorization_url: reader.optional(&name("AUTHORIZATION_URL")),
        token_url: reader.optional(&name("TOKEN_URL")),
        userinfo_url: reader.optional(&name("USERINFO_URL")),
        jwks_uri: None,
    }
}

/// Reads a JSON object.
fn object(reader: &mut Reader, name: &str) -> Option<Map<String, Value>> {
    reader.parsed(name, |text, _| {
        serde_json::from_str(text).map_err(|_| "expected a JSON object".to_owned())
    })
}
