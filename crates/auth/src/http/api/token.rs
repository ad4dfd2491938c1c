//! `POST /token`: exchanges a password, a refresh token or a code for an access and a refresh token.

use http::StatusCode;
use std::sync::Arc;

use innkeeper_rest::{Head, Request, Response, resource};
use schemars::JsonSchema;
use serde::Deserialize;

use super::authenticate::user_token;
use super::body::CaptchaBody;
use super::captcha;
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::contact::{Contact, Email, Phone};
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::base::input::non_empty;
use crate::config::Profile;
use crate::flow::caller::audience;
use crate::flow::grant;
use crate::flow::grant::id_token::IdTokenGrant;
use crate::flow::identity::link::check_allowed;
use crate::flow::response_timer::ResponseTimer;
use crate::flow::session::issue::{IssuedTokens, TokenPair};
use crate::outside::external::IdToken;

pub(crate) struct Token {
    pub(crate) app: Arc<App>,
}

/// The body of a token request, for all grants.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "Grant")]
pub(crate) struct TokenBody {
    #[schemars(example = "ada@example.com")]
    email: Option<String>,
    phone: Option<String>,
    #[schemars(example = "correct horse battery staple")]
    password: Option<String>,
    refresh_token: Option<String>,
    auth_code: Option<String>,
    code_verifier: Option<String>,
    id_token: Option<String>,
    /// The provider that has issued the id token.
    provider: Option<String>,
    client_id: Option<String>,
    issuer: Option<String>,
    access_token: Option<String>,
    nonce: Option<String>,
    /// Adds the identity of the id token to the caller's account.
    link_identity: Option<bool>,
}

#[resource("/token")]
impl Token {
    /// Exchanges credentials for an access token and a refresh token.
    #[post]
    #[responds(200, TokenPair)]
    async fn exchange(
        &self,
        #[param] grant_type: Option<String>,
        #[value] client: ClientInfo,
        #[request] request: &Request,
        #[entity] sent: CaptchaBody<TokenBody>,
    ) -> Result<Response> {
        let (app, body) = (&self.app, sent.body);
        // The owner of a refresh token or a code has solved a captcha before.
        if !matches!(
            grant_type.as_deref(),
            Some("refresh_token" | "pkce" | "id_token")
        ) {
            captcha::check(app, request.head(), &client, sent.captcha.as_deref()).await?;
        }
        let issued = match grant_type.as_deref() {
            Some("password") => self.sign_in(&body, &client).await?,
            Some("refresh_token") => {
                let token = non_empty(body.refresh_token.as_deref());
                let token =
                    token.ok_or_else(|| AuthError::validation("Refresh token is not valid"))?;
                match grant::refresh::refresh(app, token, &client).await {
                    Ok(issued) => issued,
                    Err(refused) => return Ok(refused.into_response()),
                }
            }
            Some("pkce") => {
                let code = body.auth_code.as_deref().unwrap_or_default();
                let verifier = body.code_verifier.as_deref().unwrap_or_default();
                grant::pkce::exchange(app, code, verifier, &client).await?
            }
            Some("id_token") => self.id_token(&body, request.head(), &client).await?,
            Some("web3") => {
                return Err(AuthError::refused(
                    ErrorCode::Web3ProviderDisabled,
                    "Web3 provider is disabled",
                ));
            }
            _ => {
                return Err(AuthError::refused(
                    ErrorCode::InvalidCredentials,
                    "unsupported_grant_type",
                ));
            }
        };
        Ok(issued.into_response())
    }
}

impl TokenBody {
    /// Makes the body of a sign-in with an email address and a password.
    pub(crate) fn by_email(email: String, password: String) -> Self {
        Self {
            email: Some(email),
            password: Some(password),
            ..Self::default()
        }
    }
}

impl Token {
    /// Signs a user in with a password. A failure takes the same time for everybody.
    pub(crate) async fn sign_in(
        &self,
        body: &TokenBody,
        client: &ClientInfo,
    ) -> Result<IssuedTokens> {
        let timer = ResponseTimer::start();
        let signed_in = self.password(body, client).await;
        if signed_in.is_err() {
            timer.wait_from(self.app.hash_times.failure_moment()).await;
        }
        signed_in
    }

    async fn id_token(
        &self,
        body: &TokenBody,
        head: &Head,
        client: &ClientInfo,
    ) -> Result<IssuedTokens> {
        let text = |value: &Option<String>| -> Option<String> {
            non_empty(value.as_deref()).map(str::to_owned)
        };
        let (provider, client_id) = (text(&body.provider), text(&body.client_id));
        let (access_token, nonce) = (text(&body.access_token), text(&body.nonce));
        let issuer = text(&body.issuer);
        let caller = match body.link_identity {
            Some(true) => {
                let token = user_token(&self.app, head).await?;
                let caller = token.caller(&self.app, client).await?;
                check_allowed(&self.app, &caller)?;
                Some(caller)
            }
            _ => None,
        };
        let grant = IdTokenGrant {
            token: IdToken {
                id_token: body.id_token.as_deref().unwrap_or_default(),
                access_token: access_token.as_deref(),
                nonce: nonce.as_deref(),
                issuer: issuer.as_deref(),
            },
            provider: provider.as_deref(),
            client_id: client_id.as_deref(),
        };
        grant::id_token::sign_in(&self.app, &grant, caller.as_ref(), client).await
    }

    async fn password(&self, body: &TokenBody, client: &ClientInfo) -> Result<IssuedTokens> {
        let external = &self.app.config.external;
        let contact = match (
            non_empty(body.email.as_deref()),
            non_empty(body.phone.as_deref()),
        ) {
            (Some(_), Some(_)) => {
                return Err(AuthError::validation(
                    "Only an email address or phone number should be provided on login.",
                ));
            }
            (None, None) => return Err(AuthError::validation("missing email or phone")),
            (Some(_), None) if !external.email_enabled => {
                return Err(AuthError::refused(
                    ErrorCode::EmailProviderDisabled,
                    "Email logins are disabled",
                ));
            }
            (None, Some(_)) if !external.phone_enabled => {
                return Err(AuthError::refused_as(
                    StatusCode::UNPROCESSABLE_ENTITY,
                    ErrorCode::PhoneProviderDisabled,
                    "Phone logins are disabled",
                ));
            }
            (Some(email), None) => Email::parse(email)
                .map(Contact::Email)
                .map_err(|error| self.malformed_identifier(error.into()))?,
            (None, Some(phone)) => Phone::parse(phone)
                .map(Contact::Phone)
                .map_err(|error| self.malformed_identifier(error.into()))?,
        };
        let aud = audience(&self.app, client, None);
        let secret = body.password.as_deref().unwrap_or_default();
        grant::password::sign_in(&self.app, &aud, &contact, secret, client).await
    }

    /// Returns the error for a malformed email address or phone number, which no user can have.
    fn malformed_identifier(&self, error: AuthError) -> AuthError {
        match self.app.config.profile {
            Profile::Std => error,
            Profile::Gotrue => AuthError::InvalidCredentials,
        }
    }
}
