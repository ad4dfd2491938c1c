//! `POST /resend`: sends a confirmation mail again.

use http::StatusCode;
use std::sync::Arc;

use innkeeper_rest::{Request, resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::body::CaptchaBody;
use super::captcha;
use super::rate_limits::ClientLimits;
use crate::app::App;
use crate::caller::audience;
use crate::client::{ApiVersion, ClientInfo};
use crate::config::Profile;
use crate::contact::Phone;
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::input::{non_empty, required_email};
use crate::one_time::pkce::CodeChallenge;
use crate::response_timer::ResponseTimer;
use crate::user::passwordless::{self, MailRequest};

pub(crate) struct Resend {
    pub(crate) app: Arc<App>,
}

/// The body of a request for a confirmation mail.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "ResendRequest")]
pub(crate) struct ResendBody {
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["signup", "email_change", "sms", "phone_change", null]))]
    kind: Option<String>,
    #[schemars(example = "ada@example.com")]
    email: Option<String>,
    phone: Option<String>,
    code_challenge: Option<String>,
    code_challenge_method: Option<String>,
}

/// The response, whether there was something to send or not.
#[derive(Serialize, JsonSchema)]
struct Resent {
    /// Only without the version header.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<Uuid>,
}

#[resource("/resend")]
impl Resend {
    /// Sends a confirmation mail again. The response is the same if there is nothing to send.
    #[post]
    async fn send(
        &self,
        #[value] client: ClientInfo,
        #[value] limits: ClientLimits,
        #[request] request: &Request,
        #[entity] sent: CaptchaBody<ResendBody>,
    ) -> Result<Resent> {
        limits.count_mail(request).await?;
        captcha::check(&self.app, request.head(), &client, sent.captcha.as_deref()).await?;
        let timer = ResponseTimer::start();
        let done = self.try_send(&sent.body, &client).await;
        timer.wait().await;
        done?;
        let has_message_id =
            self.app.config.profile == Profile::Std && client.api_version == ApiVersion::Initial;
        Ok(Resent {
            message_id: has_message_id.then(Uuid::new_v4),
        })
    }
}

impl Resend {
    async fn try_send(&self, body: &ResendBody, client: &ClientInfo) -> Result<()> {
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
            let required = if by_mail {
                "an email address"
            } else {
                "a phone number"
            };
            return Err(AuthError::validation(format!(
                "Type {kind} requires {required} and nothing else"
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
        let challenge = CodeChallenge::parse_pair(
            body.code_challenge.as_deref(),
            body.code_challenge_method.as_deref(),
        )?;
        let aud = audience(&self.app, client, None);
        let request = MailRequest {
            aud: &aud,
            email: &email,
            challenge: challenge.as_ref(),
        };
        if kind == "signup" {
            passwordless::resend_confirmation(&self.app, &request, client).await
        } else {
            passwordless::resend_email_change(&self.app, &request, client).await
        }
    }
}
