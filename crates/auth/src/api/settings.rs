//! `GET /settings`: what a sign-in page needs to know.

use std::sync::Arc;

use innkeeper_rest::resource;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::config::PROVIDERS;

pub(crate) struct Settings {
    pub(crate) app: Arc<App>,
}

#[resource("/settings")]
impl Settings {
    /// The public settings.
    #[get]
    fn show(&self) -> Value {
        let config = &self.app.config;
        let mut external = Map::new();
        for provider in PROVIDERS {
            let known = config.external.providers.get(provider);
            let enabled = known.is_some_and(|provider| provider.enabled);
            external.insert((*provider).to_owned(), json!(enabled));
        }
        let others = [
            ("anonymous_users", config.external.anonymous_users_enabled),
            ("email", config.external.email_enabled),
            ("phone", config.external.phone_enabled),
        ];
        for (name, enabled) in others {
            external.insert(name.to_owned(), json!(enabled));
        }
        for absent in ["fly", "kakao", "linkedin_oidc", "slack_oidc", "zoom"] {
            external.entry(absent).or_insert(json!(false));
        }
        json!({
            "external": external,
            "disable_signup": config.disable_signup,
            "autoconfirm": config.mailer.autoconfirm,
            "mailer_autoconfirm": config.mailer.autoconfirm,
            "phone_autoconfirm": config.sms.autoconfirm,
            "sms_provider": config.sms.provider,
            "saml_enabled": false,
            "saml_private_key_next_configured": false,
            "passkeys_enabled": false,
        })
    }
}
