//! `GET /reauthenticate`: sends the nonce for a change of password.

use http::StatusCode;
use std::sync::Arc;

use innkeeper_rest::resource;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::app::audit::AuditAction;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::{MessageKind, Profile};
use crate::flow::caller::AccessToken;
use crate::flow::one_time::mail_limit;
use crate::flow::one_time::send::{self, OneTimeMail};
use crate::flow::user::{User, phone_code};

pub(crate) struct Reauthenticate {
    pub(crate) app: Arc<App>,
}

/// The response to a request for a nonce.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "NonceSent")]
struct NonceSent {
    /// The id of a text message, only in the gotrue profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<String>,
}

#[resource("/")]
#[security(bearer)]
impl Reauthenticate {
    /// Sends a nonce to the caller's email address, or else to the phone number.
    #[get]
    async fn send(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
    ) -> Result<NonceSent> {
        let user = token.caller(&self.app, &client).await?.user;
        let message_id = self.answer(&user, &client).await?;
        let is_told = self.app.config.profile == Profile::Gotrue;
        Ok(NonceSent {
            message_id: message_id.filter(|_| is_told),
        })
    }
}

impl Reauthenticate {
    /// Sends a nonce to a user. Returns the id of a text message.
    pub(crate) async fn answer(&self, user: &User, client: &ClientInfo) -> Result<Option<String>> {
        if user.email.is_empty() && user.phone.is_empty() {
            return Err(AuthError::validation(
                "Reauthentication requires the user to have an email or a phone number",
            ));
        }
        if user.email.is_empty() {
            return self.send_sms(user, client).await;
        }
        self.send_mail(user, client).await?;
        Ok(None)
    }

    async fn send_mail(&self, user: &User, client: &ClientInfo) -> Result<()> {
        let app = &self.app;
        if user.email_confirmed_at.is_none() {
            return Err(AuthError::refused_as(
                StatusCode::UNPROCESSABLE_ENTITY,
                ErrorCode::EmailNotConfirmed,
                "Please verify your email first.",
            ));
        }
        app.check_mail()?;
        let kind = MessageKind::Reauthentication;
        let mail = OneTimeMail {
            kind,
            challenge: None,
            client,
            carries_password: false,
        };
        let sending = send::send_to_user(app, user, mail, AuditAction::ReauthenticateRequested);
        mail_limit::with_claim(app, &user.email, kind, Box::pin(sending)).await
    }

    async fn send_sms(&self, user: &User, client: &ClientInfo) -> Result<Option<String>> {
        if !self.app.config.external.phone_enabled {
            return Err(AuthError::refused(
                ErrorCode::PhoneProviderDisabled,
                "Phone logins are disabled",
            ));
        }
        if user.phone_confirmed_at.is_none() {
            return Err(AuthError::refused_as(
                StatusCode::UNPROCESSABLE_ENTITY,
                ErrorCode::PhoneNotConfirmed,
                "Please verify your phone first.",
            ));
        }
        phone_code::send_nonce(&self.app, user, client).await
    }
}
