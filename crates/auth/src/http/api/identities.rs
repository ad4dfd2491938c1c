//! `GET /user/identities/authorize` and `DELETE /user/identities/{id}`: the caller's identities.

use std::sync::Arc;

use innkeeper_rest::{Request, Response, resource};
use schemars::JsonSchema;
use serde::Serialize;

use super::authorize::read_start;
use super::client::query_value;
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::Result;
use crate::base::input::parse_id;
use crate::flow::caller::AccessToken;
use crate::flow::identity::flow;
use crate::flow::identity::link::{check_allowed, check_enabled};
use crate::flow::identity::unlink;

pub(crate) struct Identities {
    pub(crate) app: Arc<App>,
}

/// The URL that the client opens itself.
#[derive(Debug, Serialize, JsonSchema)]
struct ProviderUrl {
    url: String,
}

/// The answer to a removal.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Unlinked")]
struct UnlinkedIdentity {}

#[resource("/identities")]
#[security(bearer)]
impl Identities {
    /// Sends the browser to an external provider, to add an identity to the caller's account.
    #[get("/authorize")]
    #[responds(200, ProviderUrl)]
    #[responds(302, "to the provider")]
    async fn authorize(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        #[request] request: &Request,
    ) -> Result<Response> {
        check_enabled(&self.app)?;
        let caller = token.caller(&self.app, &client).await?;
        check_allowed(&self.app, &caller)?;
        let head = request.head();
        let start = read_start(&self.app, head, &client, Some(caller.user.id))?;
        let url = flow::start(&self.app, start).await?.to_string();
        if query_value(head, "skip_http_redirect").as_deref() == Some("true") {
            return Ok(Response::ok().entity(ProviderUrl { url }));
        }
        Ok(Response::status(302).header("location", url))
    }

    /// Removes an identity from the caller's account, which must keep another one.
    #[delete("/{id}")]
    #[responds(200, UnlinkedIdentity)]
    async fn unlink(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        id: String,
    ) -> Result<Response> {
        check_enabled(&self.app)?;
        let caller = token.caller(&self.app, &client).await?;
        check_allowed(&self.app, &caller)?;
        let id = parse_id(&id, "identity_id")?;
        unlink::unlink(&self.app, caller.user.id, id, &client).await?;
        Ok(Response::ok().entity(UnlinkedIdentity {}))
    }
}
