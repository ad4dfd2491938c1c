//! `POST /signup`: creates an account.

use http::StatusCode;
use std::sync::Arc;

use innkeeper_rest::{Request, Response, resource};
use schemars::JsonSchema;
use serde::Deserialize;

use super::body::CaptchaBody;
use super::captcha;
use crate::app::App;
use crate::caller::audience_of_new_user;
use crate::client::ClientInfo;
use crate::contact::Email;
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::input::non_empty;
use crate::one_time::pkce::CodeChallenge;
use crate::user::signup::{self, Signup, SignupOutcome, signup_disabled};
use crate::user::{Object, bounds, password};

pub(crate) struct SignupResource {
    pub(crate) app: Arc<App>,
}

/// The body of a sign-up.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "SignUp")]
pub(crate) struct SignupBody {
    #[schemars(example = "ada@example.com")]
    email: Option<String>,
    phone: Option<String>,
    #[schemars(example = "correct horse battery staple")]
    password: Option<String>,
    data: Option<Object>,
    code_challenge: Option<String>,
    code_challenge_method: Option<String>,
}

#[resource("/signup")]
impl SignupResource {
    /// Creates an account.
    ///
    /// The response is a user who has to confirm the email address, or a session.
    #[post]
    #[responds(200, SignupOutcome)]
    async fn create(
        &self,
        #[value] client: ClientInfo,
        #[request] request: &Request,
        #[entity] sent: CaptchaBody<SignupBody>,
    ) -> Result<Response> {
        captcha::check(&self.app, request.head(), &client, sent.captcha.as_deref()).await?;
        let aud = audience_of_new_user(&self.app, &client)?;
        let signup = self.check(sent.body, aud).await?;
        Ok(match signup::sign_up(&self.app, signup, &client).await? {
            SignupOutcome::Unconfirmed(user) => Response::ok().entity(*user),
            SignupOutcome::SignedIn(issued) => issued.into_response(),
        })
    }
}

impl SignupResource {
    /// Checks the body. Clients and their tests rely on the order of the checks.
    async fn check(&self, body: SignupBody, aud: String) -> Result<Signup> {
        let config = &self.app.config;
        let email = non_empty(body.email.as_deref());
        let phone = non_empty(body.phone.as_deref());
        if email.is_none() && phone.is_none() {
            return Err(AuthError::refused(
                ErrorCode::AnonymousProviderDisabled,
                "Anonymous sign-ins are disabled",
            ));
        }
        if config.disable_signup {
            return Err(signup_disabled());
        }
        let Some(secret) = non_empty(body.password.as_deref()) else {
            return Err(AuthError::validation("Signup requires a valid password"));
        };
        let owner = password::owner_words(email, body.data.as_ref());
        password::check(&self.app, secret, &owner).await?;
        if email.is_some() && phone.is_some() {
            return Err(AuthError::validation(
                "Only an email address or phone number should be provided on signup.",
            ));
        }
        let challenge = CodeChallenge::parse_pair(
            body.code_challenge.as_deref(),
            body.code_challenge_method.as_deref(),
        )?;
        let Some(email) = email else {
            return Err(AuthError::refused(
                ErrorCode::PhoneProviderDisabled,
                "Phone signups are disabled",
            ));
        };
        if !config.external.email_enabled {
            return Err(AuthError::refused_as(
                StatusCode::BAD_REQUEST,
                ErrorCode::EmailProviderDisabled,
                "Email signups are disabled",
            ));
        }
        let data = body.data.unwrap_or_default();
        bounds::check_user_metadata(&self.app, &Object::new(), &data)?;
        Ok(Signup {
            aud,
            email: Email::parse(email)?,
            password: secret.to_owned(),
            data,
            challenge,
        })
    }
}
