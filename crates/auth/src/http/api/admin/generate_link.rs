//! `POST /admin/generate_link`: creates a link that the operator delivers.

use std::sync::Arc;

use innkeeper_rest::resource;

use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::Result;
use crate::flow::caller::{AccessToken, audience};
use crate::flow::user::admin::links::{self, GeneratedLink, LinkRequest};
use crate::http::api::body::JsonBody;

pub(crate) struct GenerateLink {
    pub(crate) app: Arc<App>,
}

#[resource("/generate_link")]
#[security(service)]
impl GenerateLink {
    /// Creates a link and a code that the operator delivers.
    #[post]
    async fn create(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        #[entity] body: JsonBody<LinkRequest>,
    ) -> Result<GeneratedLink> {
        let aud = audience(&self.app, &client, Some(&token));
        links::generate(&self.app, &aud, body.0, &token.0, &client).await
    }
}
