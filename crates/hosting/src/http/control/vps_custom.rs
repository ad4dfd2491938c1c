//! `GET /v1/hosting/cloud/vps-custom` and `/{id}`: virtual private servers.

use std::sync::Arc;

use innkeeper_rest::{Rejection, Request, Unnegotiated, resource};
use schemars::JsonSchema;
use serde::Serialize;

use super::context::Control;
use super::given_id::GivenId;
use super::lists::{self, ListParameters};
use crate::machines::VpsRecord;
use crate::machines::key::VerifiedKey;
use crate::model::MachineKind;

pub(crate) struct VpsCustom {
    pub(crate) control: Arc<Control>,
}

/// A page of a list of virtual private servers.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct VpsList {
    items: Vec<VpsRecord>,
    /// The `cursor` of the next page; null on the last page.
    next_cursor: Option<String>,
}

#[resource("/cloud/vps-custom")]
#[security(api_key("vps:read"))]
#[filter(self.control.credentials.clone())]
#[filter(self.control.limits.key.clone())]
impl VpsCustom {
    /// Returns a page of virtual private servers, by their ids.
    #[get]
    #[responds(200, VpsList, "a page of the list")]
    async fn list(
        &self,
        #[value] key: Arc<VerifiedKey>,
        /// The number of servers per page.
        limit: Option<u64>,
        /// The `nextCursor` of the previous page.
        cursor: Option<String>,
        #[request] request: &Request,
    ) -> Result<Unnegotiated, Rejection> {
        let parameters = ListParameters { limit, cursor };
        let kind = MachineKind::Vps;
        let page = lists::machines(&self.control, &key, request, kind, parameters).await?;
        Ok(page.respond(|views, next_cursor| VpsList {
            items: views.iter().map(VpsRecord::of).collect(),
            next_cursor,
        }))
    }

    /// Returns a virtual private server.
    #[get("/{id}")]
    #[responds(200, VpsRecord, "the server")]
    async fn show(
        &self,
        /// The id of the server.
        id: GivenId<'_>,
        #[value] key: Arc<VerifiedKey>,
    ) -> Result<Unnegotiated, Rejection> {
        let view = lists::machine(&self.control, &key, MachineKind::Vps, id.0).await?;
        Ok(lists::uncached(VpsRecord::of(&view)))
    }
}
