//! `POST /resend`: the last confirmation mail once more.

use http::StatusCode;
use std::sync::Arc;

use innkeeper_rest::{Request, resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::body::CaptchaBody;
use super::captcha;
use crate::app::App;
use crate::caller::audience;
use crate::client::{ApiVersion, ClientInfo};
use crate::config::Profile;
use crate::contact::Phone;
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::input::{non_empty, required_email};
use crate::one_time::pkce::Challenge;
use crate::response_timer::ResponseTimer;
use crate::user::passwordless::{self, Asked};

pub(crate) struct Resend {
    pub(crate) app: Arc<App>,
}

/// What a client sends.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "ResendRequest")]
pub(crate) struct Body {
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["signup", "email_change", "sms", "phone_change", null]))]
    kind: Option<String>,
    #[schemars(example = "ada@example.com")]
    email: Option<String>,
    phone: Option<String>,
    code_challenge: Option<String>,
    code_challenge_method: Option<String>,
}

/// What is answered, whether there was something to send or not.
#[derive(Serialize, JsonSchema)]
struct Resent {
    /// Without the version header only.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<Uuid>,
}

#[resource("/resend")]
impl Resend {
    /// Sends a confirmation again. The answer is the same whether there was something to send.
    #[post]
    async fn send(
        &self,
        #[value] client: ClientInfo,
        #[request] request: &Request,
        #[entity] sent: CaptchaBody<Body>,
    ) -> Result<Resent> {
        captcha::check(&self.app, request.head(), &client, sent.captcha.as_deref()).await?;
        let timer = ResponseTimer::start();
        let done = self.try_send(&sent.body, &client).await;
        timer.wait().await;
        done?;
        let is_told =
            self.app.config.profile == Profile::Std && client.api_version == ApiVersion::Initial;
        Ok(Resent {
            message_id: is_told.then(Uuid::new_v4),
        })
    }
}

impl Resend {
    async fn try_send(&self, body: &Body, client: &ClientInfo) -> Result<()> {
        let (email, phone) = (
            non_empty(body.email.as_deref()),
            non_empty(body.phone.as_deref()),
        );
        let kind = non_empty(body.kind.as_deref()).unwrap_or_default();
        let by_mail = match kind {
            "signup" | "email_change" => true,
            "sms" | "phone_change" => false,
            _ => {
                return Err(AuthError::validation(
                    "Missing one of these types: signup, email_change, sms, phone_change",
                ));
            }
        };
        if by_mail == email.is_none() || by_mail == phone.is_some() {
            let wanted = if by_mail {
                "an email address"
            } else {
                "a phone number"
            };
            return Err(AuthError::validation(format!(
                "Type {kind} requires {wanted} and nothing else"
            )));
        }
        if let Some(phone) = phone {
            Phone::parse(phone)?;
            return Err(AuthError::refused(
                ErrorCode::PhoneProviderDisabled,
                "Phone logins are disabled",
            ));
        }
        if !self.app.config.external.email_enabled {
            return Err(AuthError::refused_as(
                StatusCode::BAD_REQUEST,
                ErrorCode::EmailProviderDisabled,
                "Email logins are disabled",
            ));
        }
        let email = required_email(email)?;
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
        if kind == "signup" {
            passwordless::resend_confirmation(&self.app, &asked, client).await
        } else {
            passwordless::resend_email_change(&self.app, &asked, client).await
        }
    }
}
