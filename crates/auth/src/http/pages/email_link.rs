//! `/account/email-link`: a link and a code to sign in with, instead of a password.

use std::sync::Arc;

use bytes::Bytes;
use innkeeper_rest::{Request, Response, resource};

use super::pending::CodePurpose;
use super::problem::Problem;
use super::sent_mail::SentMail;
use super::sign_in::sign_in_page;
use super::site::Pages;
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::http::api::otp::{Otp, OtpBody};
use crate::http::api::rate_limits::ClientLimits;

pub(crate) struct EmailLink {
    pub(crate) pages: Arc<Pages>,
}

#[resource("/email-link")]
impl EmailLink {
    /// Sends the mail, if the address has an account.
    #[post]
    async fn submit(
        &self,
        #[value] limits: ClientLimits,
        #[request] request: &Request,
        #[body] bytes: Bytes,
    ) -> Result<Response> {
        let (mut visit, form) = self.pages.submitted(request, &bytes).await?;
        let email = form.text("email");
        if let Err(problem) = visit.check_form(&form) {
            return sign_in_page(&mut visit, &email, Some(problem)).await;
        }
        let (app, client) = (&self.pages.app, &visit.client);
        let sent = send_link(app, &limits, request, client, email.clone()).await;
        match SentMail::of(sent) {
            Ok(sent) => sent.go_on(&mut visit, CodePurpose::SignIn, &email),
            Err(error) => {
                let problem = Problem::of(&error, visit.words(), &self.pages.app);
                sign_in_page(&mut visit, &email, Some(problem)).await
            }
        }
    }
}

/// Sends a link and a code to an address that has an account. The answer does not tell whether it has one.
pub(super) async fn send_link(
    app: &Arc<App>,
    limits: &ClientLimits,
    request: &Request,
    client: &ClientInfo,
    email: String,
) -> Result<()> {
    let otp = Otp {
        app: Arc::clone(app),
    };
    let body = OtpBody::of_account(email).into();
    match otp.answer(limits, request, client, body).await {
        // The API of the gotrue profile tells who has an account.
        Err(AuthError::Refused {
            code: ErrorCode::OtpDisabled,
            ..
        }) => Ok(()),
        other => other.map(drop),
    }
}
