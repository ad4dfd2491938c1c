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
use crate::base::client::{ApiVersion, ClientInfo};
use crate::base::contact::{Contact, Email, Phone};
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::base::input::non_empty;
use crate::config::Profile;
use crate::flow::caller::audience_of_new_user;
use crate::flow::one_time::pkce::CodeChallenge;
use crate::flow::one_time::send_sms;
use crate::flow::session::issue::{TokenPair, UserWithSession};
use crate::flow::user::account::signup_disabled;
use crate::flow::user::signup::{self, SignupOutcome};
use crate::flow::user::signup_request::Signup;
use crate::flow::user::{Object, User, anonymous, bounds, password};
use crate::outside::sms::SmsChannel;

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

/// The response to a sign-up.
#[derive(JsonSchema)]
#[schemars(rename = "SignedUp")]
#[serde(untagged)]
#[expect(
    dead_code,
    reason = "it only describes the response, which is written from its parts"
)]
enum SignupResponse {
    /// The email address or phone number must be confirmed first.
    Unconfirmed(Box<User>),
    /// The user is signed in, and the request had the version header.
    SignedIn(Box<TokenPair>),
    /// The user is signed in, and the request had no version header.
    SignedInUser(Box<UserWithSession>),
}

#[resource("/signup")]
impl SignupResource {
    /// Creates an account.
    ///
    /// The response is a user who has to confirm the email address or phone number, or a session. Without the
    /// version header a session has the members of the user beside its own.
    #[post]
    #[responds(200, SignupResponse)]
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
        let answer = self.answer(&limits, request, &client, sent).await;
        counted.add_headers(match answer {
            Ok(SignupOutcome::Unconfirmed(user)) => Response::ok().entity(*user),
            Ok(SignupOutcome::SignedIn(issued)) if self.shows_user(&client) => {
                issued.into_response_with_user()
            }
            Ok(SignupOutcome::SignedIn(issued)) => issued.into_response(),
            Err(error) => error.into_reply(),
        })
    }
}

impl SignupBody {
    /// Makes the body of a sign-up with an email address.
    pub(crate) fn by_email(email: String, password: String) -> Self {
        Self {
            email: Some(email),
            password: Some(password),
            ..Self::default()
        }
    }

    /// Whether the sign-up has neither an email address nor a phone number.
    fn names_nobody(&self) -> bool {
        let named = non_empty(self.email.as_deref()).or(non_empty(self.phone.as_deref()));
        named.is_none()
    }
}

impl SignupResource {
    /// Whether the members of the user are at the top level of every response, as the specification says. GoTrue
    /// and its clients expect a session alone.
    fn shows_user(&self, client: &ClientInfo) -> bool {
        self.app.config.profile == Profile::Std && client.api_version == ApiVersion::Initial
    }

    /// Answers a sign-up that was counted, within all other limits.
    pub(crate) async fn answer(
        &self,
        limits: &ClientLimits,
        request: &Request,
        client: &ClientInfo,
        sent: CaptchaBody<SignupBody>,
    ) -> Result<SignupOutcome> {
        let is_anonymous = sent.body.names_nobody();
        if non_empty(sent.body.phone.as_deref()).is_some() {
            limits.count_sms(request).await?;
        } else if !is_anonymous {
            limits.count_mail(request).await?;
        }
        captcha::check(&self.app, request.head(), client, sent.captcha.as_deref()).await?;
        let aud = audience_of_new_user(&self.app, client)?;
        if is_anonymous {
            return self.sign_in_anonymously(sent.body, aud, client).await;
        }
        let signup = self.check(sent.body, aud).await?;
        signup::sign_up(&self.app, signup, client).await
    }

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
        let mut channel = SmsChannel::Sms;
        if phone.is_some() {
            channel = send_sms::parse_channel(&self.app, non_empty(body.channel.as_deref()))?;
            if non_empty(body.code_challenge.as_deref()).is_some() {
                return Err(AuthError::validation(
                    "PKCE not supported for phone signups",
                ));
            }
        }
        let challenge = CodeChallenge::parse_pair(
            body.code_challenge.as_deref(),
            body.code_challenge_method.as_deref(),
        )?;
        let contact = match (email, phone) {
            (None, Some(phone)) => self.check_phone(phone)?,
            (email, _) => self.check_email(email)?,
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

    fn check_phone(&self, phone: &str) -> Result<Contact> {
        if !self.app.config.external.phone_enabled {
            return Err(AuthError::refused(
                ErrorCode::PhoneProviderDisabled,
                "Phone signups are disabled",
            ));
        }
        Ok(Contact::Phone(Phone::parse(phone)?))
    }
}
