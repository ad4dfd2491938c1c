//! `POST /signup`: creates an account.

use http::StatusCode;
use std::sync::Arc;

use innkeeper_rest::{IntoReply, Request, Response, resource};
use schemars::JsonSchema;
use serde::Deserialize;

use super::body::CaptchaBody;
use super::captcha;
use super::rate_limits::ClientLimits;
use crate::app::App;
use crate::caller::audience_of_new_user;
use crate::client::ClientInfo;
use crate::config::Profile;
use crate::contact::{Contact, Email, Phone};
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::input::non_empty;
use crate::one_time::pkce::CodeChallenge;
use crate::one_time::send_sms;
use crate::sms::SmsChannel;
use crate::user::account::signup_disabled;
use crate::user::signup::{self, SignupOutcome};
use crate::user::signup_request::Signup;
use crate::user::{Object, anonymous, bounds, password};

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
    /// The channel of the code for a phone number: `sms` or `whatsapp`.
    channel: Option<String>,
    code_challenge: Option<String>,
    code_challenge_method: Option<String>,
}

#[resource("/signup")]
impl SignupResource {
    /// Creates an account.
    ///
    /// The response is a user who has to confirm the email address or phone number, or a session.
    #[post]
    #[responds(200, SignupOutcome)]
    async fn create(
        &self,
        #[value] client: ClientInfo,
        #[value] limits: ClientLimits,
        #[request] request: &Request,
        #[entity] sent: CaptchaBody<SignupBody>,
    ) -> Response {
        let is_anonymous = sent.body.names_nobody();
        let is_allowed = self.app.config.external.anonymous_users_enabled;
        let counted = match limits
            .count_signup(is_anonymous && is_allowed, request)
            .await
        {
            Ok(counted) => counted,
            Err(refusal) => return refusal,
        };
        let answer = async {
            if non_empty(sent.body.phone.as_deref()).is_some() {
                limits.count_sms(request).await?;
            } else if !is_anonymous {
                limits.count_mail(request).await?;
            }
            captcha::check(&self.app, request.head(), &client, sent.captcha.as_deref()).await?;
            let aud = audience_of_new_user(&self.app, &client)?;
            if is_anonymous {
                return self.sign_in_anonymously(sent.body, aud, &client).await;
            }
            let signup = self.check(sent.body, aud).await?;
            signup::sign_up(&self.app, signup, &client).await
        };
        counted.add_headers(match answer.await {
            Ok(SignupOutcome::Unconfirmed(user)) => Response::ok().entity(*user),
            Ok(SignupOutcome::SignedIn(issued)) => issued.into_response(),
            Err(error) => error.into_reply(),
        })
    }
}

impl SignupBody {
    /// Whether the sign-up has neither an email address nor a phone number.
    fn names_nobody(&self) -> bool {
        let named = non_empty(self.email.as_deref()).or(non_empty(self.phone.as_deref()));
        named.is_none()
    }
}

impl SignupResource {
    /// Creates an anonymous user.
    async fn sign_in_anonymously(
        &self,
        body: SignupBody,
        aud: String,
        client: &ClientInfo,
    ) -> Result<SignupOutcome> {
        let config = &self.app.config;
        if !config.external.anonymous_users_enabled {
            return Err(AuthError::refused(
                ErrorCode::AnonymousProviderDisabled,
                "Anonymous sign-ins are disabled",
            ));
        }
        if config.disable_signup {
            return Err(signup_disabled());
        }
        // GoTrue forgets the password, and its user, who left the address out by mistake, does not notice.
        if config.profile == Profile::Std && non_empty(body.password.as_deref()).is_some() {
            return Err(AuthError::validation(
                "A sign-up with a password needs an email address or a phone number",
            ));
        }
        let data = body.data.unwrap_or_default();
        bounds::check_user_metadata(&self.app, &Object::new(), &data)?;
        let issued = anonymous::sign_in(&self.app, aud, data, client).await?;
        Ok(SignupOutcome::SignedIn(Box::new(issued)))
    }

    /// Checks the body. Clients and their tests rely on the order of the checks.
    async fn check(&self, body: SignupBody, aud: String) -> Result<Signup> {
        let config = &self.app.config;
        let email = non_empty(body.email.as_deref());
        let phone = non_empty(body.phone.as_deref());
        if config.disable_signup {
            return Err(signup_disabled());
        }
        let Some(secret) = non_empty(body.password.as_deref()) else {
            return Err(AuthError::validation("Signup requires a valid password"));
        };
        let owner = password::owner_words(email.or(phone), body.data.as_ref());
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
        let channel = non_empty(body.channel.as_deref());
        let (contact, channel) = match (email, phone) {
            (None, Some(phone)) => self.check_phone(phone, channel, challenge.as_ref())?,
            (email, _) => (self.check_email(email)?, SmsChannel::Sms),
        };
        let data = body.data.unwrap_or_default();
        bounds::check_user_metadata(&self.app, &Object::new(), &data)?;
        Ok(Signup {
            aud,
            contact,
            channel,
            password: secret.to_owned(),
            data,
            challenge,
        })
    }
    fn check_email(&self, email: Option<&str>) -> Result<Contact> {
        if !self.app.config.external.email_enabled {
            return Err(AuthError::refused_as(
                StatusCode::BAD_REQUEST,
                ErrorCode::EmailProviderDisabled,
                "Email signups are disabled",
            ));
        }
        Ok(Contact::Email(Email::parse(email.unwrap_or_default())?))
    }

    fn check_phone(
        &self,
        phone: &str,
        channel: Option<&str>,
        challenge: Option<&CodeChallenge>,
    ) -> Result<(Contact, SmsChannel)> {
        if !self.app.config.external.phone_enabled {
            return Err(AuthError::refused(
                ErrorCode::PhoneProviderDisabled,
                "Phone signups are disabled",
            ));
        }
        if challenge.is_some() {
            return Err(AuthError::validation(
                "A code challenge is not possible with a phone number",
            ));
        }
        let phone = Phone::parse(phone)?;
        let channel = send_sms::parse_channel(&self.app, channel)?;
        Ok((Contact::Phone(phone), channel))
    }
}
