//! `POST /admin/generate_link`.

use std::sync::Arc;

use innkeeper_rest::resource;

use crate::api::body::JsonBody;
use crate::app::App;
use crate::caller::{AccessToken, audience};
use crate::client::ClientInfo;
use crate::error::Result;
use crate::user::admin::links::{self, Generated, Wanted};

pub(crate) struct GenerateLink {
    pub(crate) app: Arc<App>,
}

#[resource("/generate_link")]
#[security(service)]
impl GenerateLink {
    /// Makes a link and a code that the operator delivers.
    #[post]
    async fn create(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        #[entity] body: JsonBody<Wanted>,
    ) -> Result<Generated> {
        let aud = audience(&self.app, &client, Some(&token));
        links::generate(&self.app, &aud, body.0, &token.0, &client).await
    }
}
