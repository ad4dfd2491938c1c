//! `GET /v1/hosting/actions` and `/{id}`: actions on machines.

use std::sync::Arc;

use innkeeper_rest::{Rejection, Request, Unnegotiated, resource};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::context::Control;
use super::errors::not_found;
use super::given_id::GivenId;
use super::lists::{self, ListParameters};
use super::refusal::{insufficient_scope, unavailable};
use crate::machines::key::VerifiedKey;
use crate::machines::{ActionRecord, MachineAccess};
use crate::model::{ActionCommand, ActionStatus, MachineKind, PublicId, Scope};
use crate::store::actions::{ActionCursor, ActionFilter};

pub(crate) struct Actions {
    pub(crate) control: Arc<Control>,
}

/// A page of a list of actions.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ActionList {
    items: Vec<ActionRecord>,
    /// The `cursor` of the next page; null on the last page.
    next_cursor: Option<String>,
}

/// The place of an action in the list.
#[derive(Serialize, Deserialize)]
struct Position(Timestamp, String);

impl Position {
    /// Returns the cursor, unless the database cannot compare with it.
    fn checked(self) -> Result<ActionCursor, Rejection> {
        let Self(queued_at, id) = self;
        if queued_at < Timestamp::UNIX_EPOCH || PublicId::parse(&id).is_none() {
            return Err(lists::forged_cursor());
        }
        Ok(ActionCursor { queued_at, id })
    }
}

/// The scopes that allow to see actions, and on which machines.
const SCOPES: [(Scope, MachineKind); 5] = [
    (Scope::VpsRead, MachineKind::Vps),
    (Scope::VpsPower, MachineKind::Vps),
    (Scope::GameRead, MachineKind::Game),
    (Scope::GamePower, MachineKind::Game),
    (Scope::GameKill, MachineKind::Game),
];

#[resource("/actions")]
#[security(api_key)]
#[filter(self.control.credentials.clone())]
#[filter(self.control.limits.key.clone())]
impl Actions {
    /// Returns a page of actions, newest first. Actions are kept for 90 days. A key sees the actions on
    /// virtual private servers if it has a `vps:` scope, and those on game servers if it has `game:read`,
    /// `game:power` or `game:kill`.
    #[get]
    #[responds(200, ActionList, "a page of the list")]
    #[expect(
        clippy::too_many_arguments,
        reason = "one for each parameter of the list"
    )]
    async fn list(
        &self,
        #[value] key: Arc<VerifiedKey>,
        /// Only actions on the server with this id.
        server: Option<&str>,
        /// Only actions on servers of this type.
        #[param("type")]
        kind: Option<MachineKind>,
        /// Only actions with this status.
        status: Option<ActionStatus>,
        /// Only actions with this command.
        command: Option<ActionCommand>,
        /// The number of actions per page.
        limit: Option<u64>,
        /// The `nextCursor` of the previous page.
        cursor: Option<String>,
        #[request] request: &Request,
    ) -> Result<Unnegotiated, Rejection> {
        let mut kinds = visible_kinds(&key)?;
        kinds.retain(|visible| kind.is_none_or(|kind| kind == *visible));
        let page = lists::page(request, ListParameters { limit, cursor })?;
        let after = page
            .after::<Position>()?
            .map(Position::checked)
            .transpose()?;
        let access = MachineAccess::of(&key.key);
        let connection = self.control.connection().await?;
        let filter = ActionFilter {
            kinds,
            status,
            command,
            server: server.map(str::to_owned),
            machines: access.machines.map(<[_]>::to_vec),
        };
        let limit = lists::one_more(&page);
        let found = access.actions(&connection, &filter, after.as_ref(), limit);
        let found = found.await;
        let found = found.map_err(|error| unavailable(error.to_string()))?;
        let page = lists::ItemPage::new(&page, found, |(action, _)| {
            Position(action.queued_at, action.id.clone())
        })?;
        Ok(page.respond(|found, next_cursor| ActionList {
            items: found.into_iter().map(|(_, record)| record).collect(),
            next_cursor,
        }))
    }

    /// Returns an action, with the state that its server is in now.
    #[get("/{id}")]
    #[responds(200, ActionRecord, "the action")]
    async fn show(
        &self,
        /// The id of the action.
        id: GivenId<'_>,
        #[value] key: Arc<VerifiedKey>,
    ) -> Result<Unnegotiated, Rejection> {
        let kinds = visible_kinds(&key)?;
        let connection = self.control.connection().await?;
        let access = MachineAccess::of(&key.key);
        let found = access.action(&connection, id.0, &kinds).await;
        let found = found.map_err(|error| unavailable(error.to_string()))?;
        Ok(lists::uncached(found.ok_or_else(not_found)?))
    }
}

/// Returns the kinds of machines whose actions a key may see.
fn visible_kinds(key: &VerifiedKey) -> Result<Vec<MachineKind>, Rejection> {
    let allowed = SCOPES.iter().filter(|(scope, _)| key.allows(*scope));
    let mut kinds: Vec<MachineKind> = allowed.map(|(_, kind)| *kind).collect();
    kinds.dedup();
    if kinds.is_empty() {
        return Err(insufficient_scope(Scope::VpsRead.word()));
    }
    Ok(kinds)
}
