//! `/passkeys`: sign-in with passkeys, and those of the caller.

use std::sync::Arc;

use bytes::Bytes;
use innkeeper_rest::{Request, Response, resource};
use schemars::JsonSchema;
use serde::Deserialize;

use super::body::{CaptchaBody, JsonBody, read_json};
use super::captcha;
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::Result;
use crate::flow::caller::AccessToken;
use crate::flow::passkey::manage::{self, Passkey, PasskeyChange, parse_passkey_id};
use crate::flow::passkey::registration::{self, NewPasskey};
use crate::flow::passkey::{PasskeyAnswer, PasskeyChallenge, sign_in};
use crate::flow::session::issue::TokenPair;

pub(crate) struct PasskeySignIn {
    pub(crate) app: Arc<App>,
}

/// The body of a request for a challenge. It may be empty.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct SignInRequest {}

#[resource("/")]
impl PasskeySignIn {
    /// Returns a challenge that any passkey of this site can sign.
    #[post("/options")]
    #[responds(200, PasskeyChallenge)]
    async fn options(
        &self,
        #[value] client: ClientInfo,
        #[request] request: &Request,
        #[body] body: Bytes,
    ) -> Result<Response> {
        let mut sent: Option<CaptchaBody<SignInRequest>> = None;
        if !body.is_empty() {
            sent = read_json(&body)?;
        }
        let captcha = sent.and_then(|sent| sent.captcha);
        let head = request.head();
        captcha::check(&self.app, head, &client, captcha.as_deref()).await?;
        Ok(unstored().entity(sign_in::start(&self.app).await?))
    }

    /// Signs a user in with a passkey that has signed such a challenge.
    #[post("/verify")]
    #[responds(200, TokenPair)]
    async fn verify(
        &self,
        #[value] client: ClientInfo,
        #[entity] body: JsonBody<PasskeyAnswer>,
    ) -> Result<Response> {
        let issued = sign_in::finish(&self.app, &body.0, &client).await?;
        Ok(issued.into_response())
    }
}

pub(crate) struct Passkeys {
    pub(crate) app: Arc<App>,
}

#[resource("/")]
#[security(bearer)]
impl Passkeys {
    /// Returns a challenge with which the caller can add a passkey.
    #[post("/registration/options")]
    #[responds(200, PasskeyChallenge)]
    async fn registration_options(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
    ) -> Result<Response> {
        let caller = token.caller(&self.app, &client).await?;
        Ok(unstored().entity(registration::start(&self.app, &caller).await?))
    }

    /// Adds a passkey that has signed such a challenge.
    #[post("/registration/verify")]
    async fn register(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        #[entity] body: JsonBody<PasskeyAnswer>,
    ) -> Result<NewPasskey> {
        let caller = token.caller(&self.app, &client).await?;
        registration::finish(&self.app, &caller, &body.0, &client).await
    }

    /// Returns the caller's passkeys.
    #[get]
    async fn list(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
    ) -> Result<Vec<Passkey>> {
        let caller = token.caller(&self.app, &client).await?;
        manage::list(&self.app, caller.user.id).await
    }

    /// Changes the name of a passkey.
    #[patch("/{id}")]
    async fn rename(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        id: String,
        #[entity] body: JsonBody<PasskeyChange>,
    ) -> Result<Passkey> {
        let caller = token.caller(&self.app, &client).await?;
        let id = parse_passkey_id(&id)?;
        manage::rename(&self.app, &caller, id, &body.0, &client).await
    }

    /// Deletes a passkey.
    #[delete("/{id}")]
    async fn delete(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        id: String,
    ) -> Result<()> {
        let caller = token.caller(&self.app, &client).await?;
        let id = parse_passkey_id(&id)?;
        manage::delete(&self.app, &caller, id, &client).await
    }
}

/// A response with a challenge, which nobody may keep.
fn unstored() -> Response {
    Response::ok().header("cache-control", "no-store")
}
