//! `POST /admin/generate_link`.

use std::sync::Arc;

use innkeeper_rest::resource;

use crate::api::caller::{Bearer, audience};
use crate::api::client::ClientInfo;
use crate::api::input::Lenient;
use crate::app::App;
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
        #[value] bearer: Bearer,
        #[value] client: ClientInfo,
        #[entity] body: Lenient<Wanted>,
    ) -> Result<Generated> {
        let aud = audience(&self.app, &client, Some(&bearer));
        links::generate(&self.app, &aud, body.0, (&bearer, &client)).await
    }
}
