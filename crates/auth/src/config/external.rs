//! `EXTERNAL_*`: the ways to sign up and sign in.

use std::collections::BTreeMap;

use innkeeper_service::secret::Secret;
use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::SignedDuration;

use super::Profile;
use super::checks::{positive, require, unavailable};

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
        "Not available yet: must stay off. Users can sign up and sign in with a phone number.",
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
    provider(
        "EXTERNAL_<PROVIDER>_ENABLED",
        Kind::Boolean,
        "Not available yet: must stay off. Users can sign in with that provider.",
    )
    .default(&["false"]),
    provider(
        "EXTERNAL_<PROVIDER>_CLIENT_ID",
        Kind::List,
        "The client ids at the provider.",
    )
    .required("when enabled")
    .not_yet(),
    provider(
        "EXTERNAL_<PROVIDER>_SECRET",
        Kind::Text,
        "The client secret at the provider.",
    )
    .secret()
    .required("when enabled")
    .not_yet(),
    provider(
        "EXTERNAL_<PROVIDER>_REDIRECT_URI",
        Kind::Text,
        "The callback URL that is registered at the provider.",
    )
    .required("when enabled")
    .not_yet(),
    provider(
        "EXTERNAL_<PROVIDER>_URL",
        Kind::Text,
        "The URL of the provider, where it has several. Keycloak requires it.",
    )
    .not_yet(),
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
    /// `EXTERNAL_<PROVIDER>_*`, by name in lower case; has every known provider.
    pub providers: BTreeMap<&'static str, ProviderConfig>,
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
}

impl ExternalConfig {
    pub(super) fn read(reader: &mut Reader, profile: Profile) -> Self {
        Self {
            email_enabled: reader.get("EXTERNAL_EMAIL_ENABLED"),
            email_magic_link_enabled: reader.get("EXTERNAL_EMAIL_MAGIC_LINK_ENABLED"),
            email_authorized_addresses: reader.get("EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES"),
            phone_enabled: unavailable(
                reader,
                profile,
                "EXTERNAL_PHONE_ENABLED",
                "sign-in by phone",
            ),
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
        if reader.get::<bool>(&name("ENABLED")) {
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
        let what = format!("sign-in with {provider}");
        Self {
            enabled: unavailable(reader, profile, &name("ENABLED"), &what),
            client_id: reader.get(&name("CLIENT_ID")),
            secret: reader.optional(&name("SECRET")),
            redirect_uri: reader.optional(&name("REDIRECT_URI")),
            url: reader.optional(&name("URL")),
        }
    }
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
