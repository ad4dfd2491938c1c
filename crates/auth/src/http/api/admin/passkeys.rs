//! `/admin/users/{user_id}/passkeys`: the passkeys of an account, for operators.

use std::sync::Arc;

use innkeeper_rest::resource;

use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::Result;
use crate::base::input::parse_id;
use crate::flow::caller::AccessToken;
use crate::flow::passkey::manage::{self, Passkey, parse_passkey_id};

pub(crate) struct UserPasskeys {
    pub(crate) app: Arc<App>,
}

#[resource("/users/{user_id}/passkeys")]
#[security(service)]
impl UserPasskeys {
    /// Returns the passkeys of an account.
    #[get]
    async fn list(&self, user_id: String) -> Result<Vec<Passkey>> {
        let user_id = parse_id(&user_id, "user_id")?;
        manage::list_of_user(&self.app, user_id).await
    }

    /// Deletes a passkey of an account.
    #[delete("/{id}")]
    async fn delete(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        user_id: String,
        id: String,
    ) -> Result<()> {
        let user_id = parse_id(&user_id, "user_id")?;
        let id = parse_passkey_id(&id)?;
        manage::delete_of_user(&self.app, user_id, id, &token.0, &client).await
    }
}
