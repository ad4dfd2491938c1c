//! `POST /recover`: a mail for those who have forgotten their password.

use std::sync::Arc;

use innkeeper_rest::{Request, resource};
use schemars::JsonSchema;
use serde::Deserialize;

use super::caller::audience;
use super::captcha;
use super::client::ClientInfo;
use super::input::{Empty, Guarded, required_email};
use super::pace::Pace;
use crate::app::App;
use crate::error::{AuthError, Result};
use crate::one_time::pkce::Challenge;
use crate::user::passwordless::{self, Asked};

pub(crate) struct Recover {
    pub(crate) app: Arc<App>,
}

/// What a client sends.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "RecoverRequest")]
pub(crate) struct Body {
    #[schemars(example = "ada@example.com")]
    email: Option<String>,
    code_challenge: Option<String>,
    code_challenge_method: Option<String>,
}

#[resource("/recover")]
impl Recover {
    /// Sends a recovery link and code, if the address belongs to an account.
    #[post]
    async fn send(
        &self,
        #[value] client: ClientInfo,
        #[request] request: &Request,
        #[entity] sent: Guarded<Body>,
    ) -> Result<Empty> {
        captcha::check(&self.app, request.head(), &client, sent.captcha.as_deref()).await?;
        let pace = Pace::start();
        let done = self.try_send(&sent.body, &client).await;
        pace.keep().await;
        done.map(|()| Empty {})
    }
}

impl Recover {
    async fn try_send(&self, body: &Body, client: &ClientInfo) -> Result<()> {
        if !self.app.config.external.email_enabled {
            return Err(AuthError::refused(
                400,
                "email_provider_disabled",
                "Email logins are disabled",
            ));
        }
        let email = required_email(body.email.as_deref())?;
        let challenge = Challenge::read(
            body.code_challenge.as_deref(),
            body.code_challenge_method.as_deref(),
        )?;
        let aud = audience(&self.app, client, None);
        let asked = Asked {
            aud: &aud,
            email: &email,
            challenge: challenge.as_ref(),
        };
        passwordless::recover(&self.app, &asked, client).await
    }
}
