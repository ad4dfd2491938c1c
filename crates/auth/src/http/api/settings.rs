//! `GET /settings`: the public settings, for sign-in pages.

use std::collections::BTreeMap;
use std::sync::Arc;

use innkeeper_rest::resource;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::config::PROVIDERS;

pub(crate) struct Settings {
    pub(crate) app: Arc<App>,
}

/// The public settings.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Settings")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are called so on the wire"
)]
struct PublicSettings {
    /// The enabled ways to sign in.
    external: BTreeMap<&'static str, bool>,
    disable_signup: bool,
    /// The specification's name of `mailer_autoconfirm`.
    autoconfirm: bool,
    mailer_autoconfirm: bool,
    phone_autoconfirm: bool,
    sms_provider: String,
    saml_enabled: bool,
    saml_private_key_next_configured: bool,
    passkeys_enabled: bool,
}

#[resource("/settings")]
impl Settings {
    /// Returns the public settings.
    #[get]
    fn show(&self) -> PublicSettings {
        let config = &self.app.config;
        let mut external = BTreeMap::new();
        for provider in PROVIDERS {
            let known = config.external.providers.get(provider);
            external.insert(*provider, known.is_some_and(|provider| provider.enabled));
        }
        external.extend([
            ("anonymous_users", config.external.anonymous_users_enabled),
            ("email", config.external.email_enabled),
            ("phone", config.external.phone_enabled),
        ]);
        for absent in ["fly", "kakao", "linkedin_oidc", "slack_oidc", "zoom"] {
            external.entry(absent).or_default();
        }
        PublicSettings {
            external,
            disable_signup: config.disable_signup,
            autoconfirm: config.mailer.autoconfirm,
            mailer_autoconfirm: config.mailer.autoconfirm,
            phone_autoconfirm: config.sms.autoconfirm,
            sms_provider: config.sms.provider.clone(),
            saml_enabled: false,
            saml_private_key_next_configured: false,
            passkeys_enabled: config.webauthn.passkeys_enabled,
        }
    }
}
