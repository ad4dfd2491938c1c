//! `POST /resend`: sends a confirmation again.

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
use crate::base::client::{ApiVersion, ClientInfo};
use crate::base::contact::Phone;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::base::input::{non_empty, required_email};
use crate::config::Profile;
use crate::flow::caller::audience;
use crate::flow::one_time::pkce::CodeChallenge;
use crate::flow::one_time::send_sms::wait_for_slot;
use crate::flow::response_timer::ResponseTimer;
use crate::flow::user::passwordless::{self, MailRequest};
use crate::flow::user::phone_code;

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
    /// Only without the version header; in the gotrue profile only that of a text message.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<String>,
}

#[resource("/resend")]
impl Resend {
    /// Sends a confirmation again. The response is the same if there is nothing to send.
    #[post]
    async fn send(
        &self,
        #[value] client: ClientInfo,
        #[value] limits: ClientLimits,
        #[request] request: &Request,
        #[entity] sent: CaptchaBody<ResendBody>,
    ) -> Result<Resent> {
        let message_id = self.answer(&limits, request, &client, sent).await?;
        Ok(Resent {
            message_id: match (self.app.config.profile, client.api_version) {
                (Profile::Gotrue, _) => message_id,
                // The same for everybody, so that it does not tell who has an account.
                (Profile::Std, ApiVersion::Initial) => Some(Uuid::new_v4().to_string()),
                (Profile::Std, _) => None,
            },
        })
    }
}

impl ResendBody {
    /// Makes the body of a request for a mail of this type.
    pub(crate) fn by_mail(kind: &str, email: String) -> Self {
        Self {
            kind: Some(kind.to_owned()),
            email: Some(email),
            ..Self::default()
        }
    }
}

impl Resend {
    /// Answers a request, within all limits. Returns the id of the message if its provider gives it one.
    pub(crate) async fn answer(
        &self,
        limits: &ClientLimits,
        request: &Request,
        client: &ClientInfo,
        sent: CaptchaBody<ResendBody>,
    ) -> Result<Option<String>> {
        let by_phone = non_empty(sent.body.phone.as_deref()).is_some();
        if by_phone {
            limits.count_sms(request).await?;
        } else {
            limits.count_mail(request).await?;
        }
        captcha::check(&self.app, request.head(), client, sent.captcha.as_deref()).await?;
        let timer = ResponseTimer::start();
        let done = self.try_send(&sent.body, client).await;
        if by_phone {
            wait_for_slot(&self.app, timer).await;
        } else {
            timer.wait().await;
        }
        done
    }

    /// Sends the message, and returns its id if the provider gives it one.
    async fn try_send(&self, body: &ResendBody, client: &ClientInfo) -> Result<Option<String>> {
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
        let problem = match (by_mail, email, phone) {
            (_, Some(_), Some(_)) => {
                Some("Only an email address or phone number should be provided.")
            }
            (true, None, _) => Some("Type provided requires an email address"),
            (false, _, None) => Some("Type provided requires a phone number"),
            (true, Some(_), None) | (false, None, Some(_)) => None,
        };
        if let Some(problem) = problem {
            return Err(AuthError::validation(problem));
        }
        if let Some(phone) = phone {
            return self.resend_sms(kind, &Phone::parse(phone)?, client).await;
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
            passwordless::resend_confirmation(&self.app, &request, client).await?;
        } else {
            passwordless::resend_email_change(&self.app, &request, client).await?;
        }
        Ok(None)
    }

    async fn resend_sms(
        &self,
        kind: &str,
        phone: &Phone,
        client: &ClientInfo,
    ) -> Result<Option<String>> {
        let app = &self.app;
        if !app.config.external.phone_enabled {
            return Err(AuthError::refused(
                ErrorCode::PhoneProviderDisabled,
                "Phone logins are disabled",
            ));
        }
        let aud = audience(app, client, None);
        if kind == "sms" {
            phone_code::resend_confirmation(app, &aud, phone, client).await
        } else {
            phone_code::resend_change(app, &aud, phone, client).await
        }
    }
}
