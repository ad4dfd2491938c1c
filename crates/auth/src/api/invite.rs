//! `POST /invite`: an operator invites an address.

use std::sync::Arc;

use innkeeper_rest::resource;
use schemars::JsonSchema;
use serde::Deserialize;

use super::body::JsonBody;
use crate::app::App;
use crate::caller::{AccessToken, audience};
use crate::client::ClientInfo;
use crate::error::Result;
use crate::input::required_email;
use crate::user::admin::invite;
use crate::user::{Object, User};

pub(crate) struct Invite {
    pub(crate) app: Arc<App>,
}

/// What an operator sends.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "Invitation")]
pub(crate) struct Body {
    #[schemars(example = "ada@example.com")]
    email: Option<String>,
    data: Option<Object>,
}

#[resource("/")]
#[security(service)]
impl Invite {
    /// Invites an address, even when sign-ups are closed.
    #[post]
    async fn create(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        #[entity] body: JsonBody<Body>,
    ) -> Result<User> {
        let email = required_email(body.0.email.as_deref())?;
        let aud = audience(&self.app, &client, Some(&token));
        invite(&self.app, (&aud, &email), body.0.data, &token.0, &client).await
    }
}
