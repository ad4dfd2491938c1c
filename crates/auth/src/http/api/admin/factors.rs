//! `/admin/users/{user_id}/factors`: the second factors of an account, for operators.

use std::sync::Arc;

use innkeeper_rest::resource;

use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::Result;
use crate::base::input::parse_id;
use crate::flow::caller::AccessToken;
use crate::flow::factor::admin::{self, FactorChange};
use crate::http::api::body::JsonBody;
use crate::model::Factor;

pub(crate) struct UserFactors {
    pub(crate) app: Arc<App>,
}

#[resource("/users/{user_id}/factors")]
#[security(service)]
impl UserFactors {
    /// Returns the second factors of an account.
    #[get]
    async fn list(&self, user_id: String) -> Result<Vec<Factor>> {
        let user_id = parse_id(&user_id, "user_id")?;
        admin::list(&self.app, user_id).await
    }

    /// Changes the name or the phone number of a second factor.
    #[put("/{id}")]
    async fn update(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        user_id: String,
        id: String,
        #[entity] body: JsonBody<FactorChange>,
    ) -> Result<Factor> {
        let user_id = parse_id(&user_id, "user_id")?;
        let id = parse_id(&id, "factor_id")?;
        admin::update(&self.app, user_id, id, &body.0, &token.0, &client).await
    }

    /// Removes a second factor.
    #[delete("/{id}")]
    async fn delete(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        user_id: String,
        id: String,
    ) -> Result<Factor> {
        let user_id = parse_id(&user_id, "user_id")?;
        let id = parse_id(&id, "factor_id")?;
        admin::delete(&self.app, user_id, id, &token.0, &client).await
    }
}
