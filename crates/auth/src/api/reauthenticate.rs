//! `GET /reauthenticate`: sends the nonce for a change of password.

use http::StatusCode;
use std::sync::Arc;

use innkeeper_rest::resource;

use super::body::EmptyObject;
use crate::app::App;
use crate::audit::AuditAction;
use crate::caller::AccessToken;
use crate::client::ClientInfo;
use crate::config::MessageKind;
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::one_time::mail_limit;
use crate::one_time::send::{self, OneTimeMail};

pub(crate) struct Reauthenticate {
    pub(crate) app: Arc<App>,
}

#[resource("/")]
#[security(bearer)]
impl Reauthenticate {
    /// Sends a nonce to the caller's email address.
    #[get]
    async fn send(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
    ) -> Result<EmptyObject> {
        let app = &self.app;
        let user = token.caller(app, &client).await?.user;
        if user.email.is_empty() && user.phone.is_empty() {
            return Err(AuthError::validation(
                "Reauthentication requires the user to have an email or a phone number",
            ));
        }
        if user.email.is_empty() {
            return Err(AuthError::refused(
                ErrorCode::PhoneProviderDisabled,
                "Phone logins are disabled",
            ));
        }
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
            client: &client,
            carries_password: false,
        };
        let sending = send::send_to_user(app, &user, mail, AuditAction::ReauthenticateRequested);
        mail_limit::with_claim(app, &user.email, kind, Box::pin(sending)).await?;
        Ok(EmptyObject {})
    }
}
