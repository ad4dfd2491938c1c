//! `POST /otp` and `POST /magiclink`: sign-in without a password.

use std::sync::Arc;

use innkeeper_rest::{Request, resource};
use schemars::JsonSchema;
use serde::Deserialize;

use super::body::{CaptchaBody, EmptyObject};
use super::captcha;
use super::rate_limits::ClientLimits;
use crate::app::App;
use crate::base::client::{ApiVersion, ClientInfo};
use crate::base::contact::{Email, Phone};
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::base::input::non_empty;
use crate::config::{Profile, deprecated};
use crate::flow::caller::audience_of_new_user;
use crate::flow::one_time::pkce::CodeChallenge;
use crate::flow::one_time::send_sms::{parse_channel, wait_for_slot};
use crate::flow::response_timer::ResponseTimer;
use crate::flow::user::passwordless::{self, UnknownAddress};
use crate::flow::user::phone_code::{self, PhoneOtpRequest};
use crate::flow::user::{Object, bounds};

pub(crate) struct Otp {
    pub(crate) app: Arc<App>,
}

pub(crate) struct MagicLink {
    pub(crate) app: Arc<App>,
}

/// The body of a request for a link and a code.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "OneTimeRequest")]
pub(crate) struct OtpBody {
    #[schemars(example = "ada@example.com")]
    email: Option<String>,
    phone: Option<String>,
    create_user: Option<bool>,
    data: Option<Object>,
    channel: Option<String>,
    code_challenge: Option<String>,
    code_challenge_method: Option<String>,
}

#[resource("/otp")]
impl Otp {
    /// Sends a link and a code to an email address, or a code to a phone number.
    #[post]
    async fn send(
        &self,
        #[value] client: ClientInfo,
        #[value] limits: ClientLimits,
        #[request] request: &Request,
        #[entity] sent: CaptchaBody<OtpBody>,
    ) -> Result<EmptyObject> {
        self.answer(&limits, request, &client, sent).await
    }
}

impl OtpBody {
    /// Makes the body of a request about an account that exists already.
    pub(crate) fn of_account(email: String) -> Self {
        Self {
            email: Some(email),
            create_user: Some(false),
            ..Self::default()
        }
    }
}

impl Otp {
    /// Answers a request, within all limits.
    pub(crate) async fn answer(
        &self,
        limits: &ClientLimits,
        request: &Request,
        client: &ClientInfo,
        sent: CaptchaBody<OtpBody>,
    ) -> Result<EmptyObject> {
        if non_empty(sent.body.phone.as_deref()).is_some() {
            limits.count_sms(request).await?;
        } else {
            limits.count_mail(request).await?;
        }
        captcha::check(&self.app, request.head(), client, sent.captcha.as_deref()).await?;
        let body = sent.body;
        let (email, phone) = (
            non_empty(body.email.as_deref()),
            non_empty(body.phone.as_deref()),
        );
        if email.is_some() && phone.is_some() {
            return Err(AuthError::validation(
                "Only an email address or phone number should be provided",
            ));
        }
        if email.is_some() && non_empty(body.channel.as_deref()).is_some() {
            return Err(AuthError::validation(
                "Channel should only be specified with Phone OTP",
            ));
        }
        let challenge = body.challenge()?;
        match (email, phone) {
            (Some(_), _) => send(&self.app, &body, challenge, client).await,
            (_, Some(phone)) => send_sms(&self.app, &body, phone, client).await,
            (None, None) => Err(AuthError::validation("One of email or phone must be set")),
        }
    }
}

#[resource("/magiclink")]
impl MagicLink {
    /// Sends a link to an email address. Deprecated: `/otp` does the same and more.
    #[post]
    async fn send(
        &self,
        #[value] client: ClientInfo,
        #[value] limits: ClientLimits,
        #[request] request: &Request,
        #[entity] sent: CaptchaBody<OtpBody>,
    ) -> Result<EmptyObject> {
        limits.count_mail(request).await?;
        captcha::check(&self.app, request.head(), &client, sent.captcha.as_deref()).await?;
        if let Some(notice) = deprecated::endpoint("/magiclink") {
            tracing::warn!(endpoint = "/magiclink", "{notice}");
        }
        let mut body = sent.body;
        body.create_user = None;
        if non_empty(body.email.as_deref()).is_none() {
            return Err(AuthError::Unprocessable(
                "Password recovery requires an email".into(),
            ));
        }
        let challenge = body.challenge()?;
        send(&self.app, &body, challenge, &client).await
    }
}

impl OtpBody {
    fn challenge(&self) -> Result<Option<CodeChallenge>> {
        CodeChallenge::parse_pair(
            self.code_challenge.as_deref(),
            self.code_challenge_method.as_deref(),
        )
    }
}

async fn send(
    app: &App,
    body: &OtpBody,
    challenge: Option<CodeChallenge>,
    client: &ClientInfo,
) -> Result<EmptyObject> {
    let timer = ResponseTimer::start();
    let sent = try_send(app, body, challenge, client).await;
    timer.wait().await;
    sent.map(|()| EmptyObject {})
}

async fn try_send(
    app: &App,
    body: &OtpBody,
    challenge: Option<CodeChallenge>,
    client: &ClientInfo,
) -> Result<()> {
    let external = &app.config.external;
    if !external.email_enabled || !external.email_magic_link_enabled {
        return Err(AuthError::refused(
            ErrorCode::EmailProviderDisabled,
            "Email logins are disabled",
        ));
    }
    let unknown = when_unknown(app, body.create_user, client);
    let email = match (
        Email::parse(body.email.as_deref().unwrap_or_default()),
        unknown,
    ) {
        (Ok(email), _) => email,
        (Err(_), UnknownAddress::Refuse) => return Err(passwordless::otp_disabled()),
        (Err(error), _) => return Err(error.into()),
    };
    let data = body.data.clone().unwrap_or_default();
    bounds::check_user_metadata(app, &Object::new(), &data)?;
    let request = passwordless::OtpRequest {
        aud: audience_of_new_user(app, client)?,
        email,
        data,
        challenge,
        unknown,
    };
    passwordless::send(app, request, client).await
}

async fn send_sms(
    app: &App,
    body: &OtpBody,
    phone: &str,
    client: &ClientInfo,
) -> Result<EmptyObject> {
    let aud = audience_of_new_user(app, client)?;
    let unknown = when_unknown(app, body.create_user, client);
    if unknown == UnknownAddress::Refuse {
        // Numbers without an account come before everything else, and so do those that nobody can have.
        let phone = Phone::parse(phone).map_err(|_| passwordless::otp_disabled())?;
        phone_code::require_account(app, &aud, &phone).await?;
    }
    if !app.config.external.phone_enabled {
        return Err(AuthError::refused(
            ErrorCode::PhoneProviderDisabled,
            "Unsupported phone provider",
        ));
    }
    let phone = Phone::parse(phone)?;
    let channel = parse_channel(app, non_empty(body.channel.as_deref()))?;
    let data = body.data.clone().unwrap_or_default();
    bounds::check_user_metadata(app, &Object::new(), &data)?;
    let request = PhoneOtpRequest {
        aud,
        phone,
        channel,
        data,
        unknown,
    };
    let timer = ResponseTimer::start();
    let sent = phone_code::send(app, request, client).await;
    wait_for_slot(app, timer).await;
    sent.map(|()| EmptyObject {})
}

/// Returns what happens to an email address or phone number without an account. Without the version header, `create_user:
/// true` has the meaning of the specification: no account is created. GoTrue refuses `create_user: false`, which
/// tells who has an account.
fn when_unknown(app: &App, create_user: Option<bool>, client: &ClientInfo) -> UnknownAddress {
    let is_std = app.config.profile == Profile::Std;
    match create_user {
        Some(false) if is_std => UnknownAddress::Ignore,
        Some(false) => UnknownAddress::Refuse,
        Some(true) if is_std && client.api_version == ApiVersion::Initial => UnknownAddress::Ignore,
        _ => UnknownAddress::SignUp,
    }
}
