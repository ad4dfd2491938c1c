//! `GET /v1/hosting/game` and `/{server_id}`: game servers.

use std::sync::Arc;

use innkeeper_rest::{Rejection, Request, Unnegotiated, resource};
use schemars::JsonSchema;
use serde::Serialize;

use super::context::Control;
use super::given_id::GivenId;
use super::lists::{self, ListParameters};
use crate::machines::GameRecord;
use crate::machines::key::VerifiedKey;
use crate::model::MachineKind;

pub(crate) struct Game {
    pub(crate) control: Arc<Control>,
}

/// A page of a list of game servers.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GameList {
    items: Vec<GameRecord>,
    /// The `cursor` of the next page; null on the last page.
    next_cursor: Option<String>,
}

#[resource("/game")]
#[security(api_key("game:read"))]
#[filter(self.control.credentials.clone())]
#[filter(self.control.limits.key.clone())]
impl Game {
    /// Returns a page of game servers, by their ids.
    #[get]
    #[responds(200, GameList, "a page of the list")]
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
        let kind = MachineKind::Game;
        let page = lists::machines(&self.control, &key, request, kind, parameters).await?;
        let record = |view: &_| self.control.game_record(view, None);
        Ok(page.respond(|views, next_cursor| GameList {
            items: views.iter().map(record).collect(),
            next_cursor,
        }))
    }

    /// Returns a game server, with how much it uses.
    #[get("/{server_id}")]
    #[responds(200, GameRecord, "the server")]
    async fn show(
        &self,
        /// The id of the server.
        server_id: GivenId<'_>,
        #[value] key: Arc<VerifiedKey>,
    ) -> Result<Unnegotiated, Rejection> {
        let view = lists::machine(&self.control, &key, MachineKind::Game, server_id.0).await?;
        let stats = self.control.stats(&view.machine).await;
        Ok(lists::uncached(self.control.game_record(&view, stats)))
    }
}
