//! `POST /invite`: an operator invites a user.

use std::sync::Arc;

use innkeeper_rest::resource;
use schemars::JsonSchema;
use serde::Deserialize;

use super::body::JsonBody;
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::Result;
use crate::base::input::required_email;
use crate::flow::caller::{AccessToken, audience};
use crate::flow::user::admin::invite;
use crate::flow::user::{Object, User};

pub(crate) struct Invite {
    pub(crate) app: Arc<App>,
}

/// The body of an invitation.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "Invitation")]
pub(crate) struct InviteBody {
    #[schemars(example = "ada@example.com")]
    email: Option<String>,
    data: Option<Object>,
}

#[resource("/")]
#[security(service)]
impl Invite {
    /// Invites a user, even when sign-ups are disabled.
    #[post]
    async fn create(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        #[entity] body: JsonBody<InviteBody>,
    ) -> Result<User> {
        let email = required_email(body.0.email.as_deref())?;
        let aud = audience(&self.app, &client, Some(&token));
        invite(&self.app, &aud, &email, body.0.data, &token.0, &client).await
    }
}
