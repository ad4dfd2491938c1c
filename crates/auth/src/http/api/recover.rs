//! `POST /recover`: a recovery mail for users who have forgotten their password.

use http::StatusCode;
use std::sync::Arc;

use innkeeper_rest::{Request, resource};
use schemars::JsonSchema;
use serde::Deserialize;

use super::body::{CaptchaBody, EmptyObject};
use super::captcha;
use super::rate_limits::ClientLimits;
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::contact::Email;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::base::input::non_empty;
use crate::flow::caller::audience;
use crate::flow::one_time::pkce::CodeChallenge;
use crate::flow::response_timer::ResponseTimer;
use crate::flow::user::passwordless::{self, MailRequest};

pub(crate) struct Recover {
    pub(crate) app: Arc<App>,
}

/// The body of a request for a recovery mail.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "RecoverRequest")]
pub(crate) struct RecoverBody {
    #[schemars(example = "ada@example.com")]
    email: Option<String>,
    code_challenge: Option<String>,
    code_challenge_method: Option<String>,
}

#[resource("/recover")]
impl Recover {
    /// Sends a recovery link and code, if the email address has an account.
    #[post]
    async fn send(
        &self,
        #[value] client: ClientInfo,
        #[value] limits: ClientLimits,
        #[request] request: &Request,
        #[entity] sent: CaptchaBody<RecoverBody>,
    ) -> Result<EmptyObject> {
        self.answer(&limits, request, &client, sent).await?;
        Ok(EmptyObject {})
    }
}

impl RecoverBody {
    pub(crate) fn new(email: String) -> Self {
        Self {
            email: Some(email),
            ..Self::default()
        }
    }
}

impl Recover {
    /// Answers a request, within all limits.
    pub(crate) async fn answer(
        &self,
        limits: &ClientLimits,
        request: &Request,
        client: &ClientInfo,
        sent: CaptchaBody<RecoverBody>,
    ) -> Result<()> {
        limits.count_mail(request).await?;
        captcha::check(&self.app, request.head(), client, sent.captcha.as_deref()).await?;
        let timer = ResponseTimer::start();
        let done = self.try_send(&sent.body, client).await;
        timer.wait().await;
        done
    }

    async fn try_send(&self, body: &RecoverBody, client: &ClientInfo) -> Result<()> {
        if !self.app.config.external.email_enabled {
            return Err(AuthError::refused_as(
                StatusCode::BAD_REQUEST,
                ErrorCode::EmailProviderDisabled,
                "Email logins are disabled",
            ));
        }
        let email = non_empty(body.email.as_deref())
            .ok_or_else(|| AuthError::validation("Password recovery requires an email"))?;
        let email = Email::parse(email)?;
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
        passwordless::recover(&self.app, &request, client).await
    }
}
