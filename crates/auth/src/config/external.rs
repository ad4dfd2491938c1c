//! `EXTERNAL_*`: the ways to sign up and sign in.

use std::collections::BTreeMap;

use innkeeper_service::secret::Secret;
use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::SignedDuration;
use url::Url;

use super::Profile;
use super::checks::{positive, report, require};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "EXTERNAL_EMAIL_ENABLED",
        Kind::Boolean,
        "Users can sign up and sign in with an email address.",
    )
    .default(&["true"]),
    Setting::new(
        "EXTERNAL_EMAIL_MAGIC_LINK_ENABLED",
        Kind::Boolean,
        "Users can sign in with a link or code in a mail.",
    )
    .default(&["true"]),
    Setting::new(
        "EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES",
        Kind::List,
        "The only addresses that mail is sent to; all when it is not set.",
    ),
    Setting::new(
        "EXTERNAL_PHONE_ENABLED",
        Kind::Boolean,
        "Users can sign up and sign in with a phone number; see `docs/auth/phone.md`.",
    )
    .default(&["false"]),
    Setting::new(
        "EXTERNAL_ANONYMOUS_USERS_ENABLED",
        Kind::Boolean,
        "Users can sign in anonymously, with a sign-up that names neither an email address nor a phone number.",
    )
    .default(&["false"]),
    Setting::new(
        "EXTERNAL_ANONYMOUS_USERS_RETENTION",
        Kind::Duration,
        "How long an anonymous user is kept after the last use, in the profile gotrue after the sign-up, where \
         `DB_CLEANUP_ENABLED` is on.",
    )
    .default(&["720h"]),
    Setting::new(
        "EXTERNAL_FLOW_STATE_EXPIRY_DURATION",
        Kind::SecondsOrDuration,
        "How long the code of a sign-in with PKCE is valid.",
    )
    .default(&["300s"]),
    Setting::new(
        "EXTERNAL_REDIRECTURL",
        Kind::Text,
        "Where users are sent after a sign-in with an external provider, instead of where the client asked for.",
    ),
    Setting::new(
        "EXTERNAL_IOS_BUNDLE_ID",
        Kind::Text,
        "The bundle id of an iOS app; Apple's id tokens for it are accepted.",
    ),
    Setting::new(
        "EXTERNAL_APPLE_TEAM_ID",
        Kind::Text,
        "The id of your team at Apple, if `EXTERNAL_APPLE_SECRET` is a private key.",
    ),
    Setting::new(
        "EXTERNAL_APPLE_KEY_ID",
        Kind::Text,
        "The id of the private key at Apple, if `EXTERNAL_APPLE_SECRET` is one.",
    ),
    Setting::new(
        "EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS",
        Kind::List,
        "The issuers whose id tokens are accepted although no provider is named. In the profile std only those of a \
         provider that is set up here, with the client ids that are accepted; in gotrue the client names the \
         audience.",
    )
    .default(&["https://appleid.apple.com,https://accounts.google.com"]),
    Setting::new(
        "EXTERNAL_OIDC_PROVIDER_CACHE_TTL",
        Kind::SecondsOrDuration,
        "How long the endpoints and keys of an OpenID Connect provider are cached.",
    )
    .default(&["1h"]),
    provider(
        "EXTERNAL_<PROVIDER>_ENABLED",
        Kind::Boolean,
        "Users can sign in with that provider; see `docs/auth/providers.md`.",
    )
    .default(&["false"]),
    provider(
        "EXTERNAL_<PROVIDER>_CLIENT_ID",
        Kind::List,
        "The client ids at the provider. The first one signs in, all are accepted in id tokens.",
    )
    .required("when enabled"),
    provider(
        "EXTERNAL_<PROVIDER>_SECRET",
        Kind::Text,
        "The client secret at the provider.",
    )
    .secret()
    .required("when enabled"),
    provider(
        "EXTERNAL_<PROVIDER>_REDIRECT_URI",
        Kind::Text,
        "The callback URL that is registered at the provider.",
    )
    .required("when enabled"),
    provider(
        "EXTERNAL_<PROVIDER>_URL",
        Kind::Text,
        "The URL of the provider, where it has several. Keycloak requires it.",
    ),
    provider(
        "EXTERNAL_<PROVIDER>_API_URL",
        Kind::Text,
        "The URL of the provider's API, if it differs from its URL.",
    ),
    provider(
        "EXTERNAL_<PROVIDER>_EMAIL_OPTIONAL",
        Kind::Boolean,
        "Users without an email address at the provider can sign in too.",
    )
    .default(&["false"]),
    provider(
        "EXTERNAL_<PROVIDER>_SKIP_NONCE_CHECK",
        Kind::Boolean,
        "Accepts id tokens of the provider whatever their nonce.",
    )
    .default(&["false"]),
];

const fn provider(name: &'static str, kind: Kind, doc: &'static str) -> Setting {
    Setting::new(name, kind, doc).words(PROVIDER_WORDS)
}

/// `EXTERNAL_*` settings.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a setting of its own"
)]
pub struct ExternalConfig {
    /// `EXTERNAL_EMAIL_ENABLED`, default true.
    pub email_enabled: bool,
    /// `EXTERNAL_EMAIL_MAGIC_LINK_ENABLED`, default true.
    pub email_magic_link_enabled: bool,
    /// `EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES`: the only addresses that get mail; empty means all.
    pub email_authorized_addresses: Vec<String>,
    /// `EXTERNAL_PHONE_ENABLED`.
    pub phone_enabled: bool,
    /// `EXTERNAL_ANONYMOUS_USERS_ENABLED`.
    pub anonymous_users_enabled: bool,
    /// `EXTERNAL_ANONYMOUS_USERS_RETENTION`, default 30 days.
    pub anonymous_users_retention: SignedDuration,
    /// `EXTERNAL_FLOW_STATE_EXPIRY_DURATION`: how long a PKCE code is valid, default 300 s.
    pub flow_state_expiry_duration: SignedDuration,
    /// `EXTERNAL_REDIRECTURL`: where users are sent after a sign-in with a provider.
    pub redirect_url: Option<String>,
    /// `EXTERNAL_IOS_BUNDLE_ID`: another audience of Apple's id tokens.
    pub ios_bundle_id: Option<String>,
    /// `EXTERNAL_APPLE_TEAM_ID`: with a private key as Apple's secret.
    pub apple_team_id: Option<String>,
    /// `EXTERNAL_APPLE_KEY_ID`: with a private key as Apple's secret.
    pub apple_key_id: Option<String>,
    /// `EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS`: accepted in id tokens that name no provider.
    pub allowed_id_token_issuers: Vec<String>,
    /// `EXTERNAL_OIDC_PROVIDER_CACHE_TTL`, default 1 h.
    pub oidc_provider_cache_ttl: SignedDuration,
    /// `EXTERNAL_<PROVIDER>_*`, by name in lower case; has every known provider.
    pub providers: BTreeMap<&'static str, ProviderConfig>,
    /// Takes the place of the host of every provider; the host becomes the start of the path. Not a setting: tests
    /// put servers of their own in the place of providers.
    pub hosts_replaced_by: Option<Url>,
}

/// The settings of an external provider.
#[derive(Debug, Clone, Default)]
pub struct ProviderConfig {
    /// `EXTERNAL_<PROVIDER>_ENABLED`.
    pub enabled: bool,
    /// `EXTERNAL_<PROVIDER>_CLIENT_ID`: the first one signs in, all are accepted in tokens.
    pub client_id: Vec<String>,
    /// `EXTERNAL_<PROVIDER>_SECRET`.
    pub secret: Option<Secret<String>>,
    /// `EXTERNAL_<PROVIDER>_REDIRECT_URI`.
    pub redirect_uri: Option<String>,
    /// `EXTERNAL_<PROVIDER>_URL`: the URL of the provider, where it has several.
    pub url: Option<String>,
    /// `EXTERNAL_<PROVIDER>_API_URL`: the URL of its API, if that differs.
    pub api_url: Option<String>,
    /// `EXTERNAL_<PROVIDER>_EMAIL_OPTIONAL`: users without an email address can sign in too.
    pub email_optional: bool,
    /// `EXTERNAL_<PROVIDER>_SKIP_NONCE_CHECK`: id tokens are accepted whatever their nonce.
    pub skip_nonce_check: bool,
}

impl ExternalConfig {
    pub(super) fn read(reader: &mut Reader, profile: Profile) -> Self {
        check_apple(reader, profile);
        Self {
            email_enabled: reader.get("EXTERNAL_EMAIL_ENABLED"),
            email_magic_link_enabled: reader.get("EXTERNAL_EMAIL_MAGIC_LINK_ENABLED"),
            email_authorized_addresses: reader.get("EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES"),
            phone_enabled: reader.get("EXTERNAL_PHONE_ENABLED"),
            anonymous_users_enabled: reader.get("EXTERNAL_ANONYMOUS_USERS_ENABLED"),
            anonymous_users_retention: positive(
                reader,
                profile,
                "EXTERNAL_ANONYMOUS_USERS_RETENTION",
            ),
            flow_state_expiry_duration: positive(
                reader,
                profile,
                "EXTERNAL_FLOW_STATE_EXPIRY_DURATION",
            ),
            redirect_url: reader.optional("EXTERNAL_REDIRECTURL"),
            ios_bundle_id: reader.optional("EXTERNAL_IOS_BUNDLE_ID"),
            apple_team_id: reader.optional("EXTERNAL_APPLE_TEAM_ID"),
            apple_key_id: reader.optional("EXTERNAL_APPLE_KEY_ID"),
            allowed_id_token_issuers: reader.get("EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS"),
            oidc_provider_cache_ttl: positive(reader, profile, "EXTERNAL_OIDC_PROVIDER_CACHE_TTL"),
            hosts_replaced_by: None,
            providers: PROVIDERS
                .iter()
                .map(|name| (*name, ProviderConfig::read(reader, profile, name)))
                .collect(),
        }
    }
}

impl ProviderConfig {
    fn read(reader: &mut Reader, profile: Profile, provider: &str) -> Self {
        let word = provider.to_ascii_uppercase();
        let name = |rest: &str| format!("EXTERNAL_{word}_{rest}");
        let enabled = reader.get(&name("ENABLED"));
        if enabled {
            for needed in ["CLIENT_ID", "SECRET", "REDIRECT_URI"] {
                require(
                    reader,
                    profile,
                    &name(needed),
                    "when the provider is enabled",
                );
            }
            if provider == "keycloak" {
                require(
                    reader,
                    profile,
                    &name("URL"),
                    "when the provider is enabled",
                );
            }
        }
        Self {
            enabled,
            client_id: reader.get(&name("CLIENT_ID")),
            secret: reader.optional(&name("SECRET")),
            redirect_uri: web_address(reader, profile, &name("REDIRECT_URI")),
            url: web_address(reader, profile, &name("URL")),
            api_url: web_address(reader, profile, &name("API_URL")),
            email_optional: reader.get(&name("EMAIL_OPTIONAL")),
            skip_nonce_check: reader.get(&name("SKIP_NONCE_CHECK")),
        }
    }
}

/// Checks the settings that sign Apple's client secrets.
fn check_apple(reader: &mut Reader, profile: Profile) {
    let secret: Secret<String> = reader.get("EXTERNAL_APPLE_SECRET");
    let is_enabled: bool = reader.get("EXTERNAL_APPLE_ENABLED");
    for name in ["EXTERNAL_APPLE_TEAM_ID", "EXTERNAL_APPLE_KEY_ID"] {
        let id: String = reader.get(name);
        let is_well_formed = id.len() == 10 && id.bytes().all(|it| it.is_ascii_alphanumeric());
        if !id.is_empty() && !is_well_formed {
            report(reader, profile, name, "must be ten letters and digits");
        }
        if is_enabled && secret.reveal().trim_start().starts_with("-----BEGIN") {
            require(reader, profile, name, "when the secret is a private key");
        }
    }
}

/// Reads a URL of a web server, as the operator wrote it: providers compare redirect URIs letter by letter.
fn web_address(reader: &mut Reader, profile: Profile, name: &str) -> Option<String> {
    let text: String = reader.optional(name)?;
    let text = text.trim().to_owned();
    let url = Url::parse(&text).ok();
    if url.is_none_or(|url| !matches!(url.scheme(), "http" | "https") || !url.has_host()) {
        report(reader, profile, name, "must be a URL with http or https");
        return None;
    }
    Some(text)
}

/// The external providers, in alphabetical order.
pub const PROVIDERS: &[&str] = &[
    "apple",
    "azure",
    "bitbucket",
    "discord",
    "facebook",
    "figma",
    "fly",
    "github",
    "gitlab",
    "google",
    "kakao",
    "keycloak",
    "linkedin",
    "linkedin_oidc",
    "notion",
    "slack",
    "slack_oidc",
    "snapchat",
    "spotify",
    "twitch",
    "twitter",
    "vercel_marketplace",
    "workos",
    "x",
    "zoom",
];

/// The external providers, as settings spell them.
const PROVIDER_WORDS: &[&str] = &[
    "APPLE",
    "AZURE",
    "BITBUCKET",
    "DISCORD",
    "FACEBOOK",
    "FIGMA",
    "FLY",
    "GITHUB",
    "GITLAB",
    "GOOGLE",
    "KAKAO",
    "KEYCLOAK",
    "LINKEDIN",
    "LINKEDIN_OIDC",
    "NOTION",
    "SLACK",
    "SLACK_OIDC",
    "SNAPCHAT",
    "SPOTIFY",
    "TWITCH",
    "TWITTER",
    "VERCEL_MARKETPLACE",
    "WORKOS",
    "X",
    "ZOOM",
];

#[cfg(test)]
mod tests {
    use super::{PROVIDER_WORDS, PROVIDERS};

    #[test]
    fn both_lists_of_providers_agree() {
        let words: Vec<String> = PROVIDERS.iter().map(|n| n.to_ascii_uppercase()).collect();
        assert_eq!(words, PROVIDER_WORDS);
        assert!(PROVIDERS.is_sorted());
    }
}
