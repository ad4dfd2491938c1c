//! The machines and actions that a customer may see.

use std::collections::HashMap;

use innkeeper_service::database::Executor;
use uuid::Uuid;

use crate::machines::ActionRecord;
use crate::machines::MachineView;
use crate::model::{Action, ApiKey, Machine, MachineKind, PublicId};
use crate::store;
use crate::store::actions::{ActionCursor, ActionFilter};

/// The machines that a key may use: those of its customer, or some of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MachineAccess<'k> {
    pub(crate) customer_id: &'k str,
    /// `None` means all of the customer.
    pub(crate) machines: Option<&'k [Uuid]>,
}

impl<'k> MachineAccess<'k> {
    /// Returns the access of a key.
    pub(crate) fn of(key: &'k ApiKey) -> Self {
        Self {
            customer_id: &key.customer_id,
            machines: key.machines.as_deref(),
        }
    }

    fn covers(&self, owner: &str, machine: Uuid) -> bool {
        owner == self.customer_id && self.machines.is_none_or(|all| all.contains(&machine))
    }

    /// Returns the machine with an id of the API. Ids that no machine can have are looked up like others, so
    /// that the time does not tell them apart from those of other customers.
    pub(crate) async fn find(
        &self,
        conn: &dyn Executor,
        kind: MachineKind,
        id: &str,
    ) -> store::Result<Option<Machine>> {
        let found = store::machines::by_public_id(conn, kind, id).await?;
        Ok(found.filter(|machine| self.covers(&machine.customer_id, machine.id)))
    }

    /// Returns machines by their ids in the API, after an id.
    pub(crate) async fn list(
        &self,
        conn: &dyn Executor,
        kind: MachineKind,
        after: Option<&PublicId>,
        limit: i64,
    ) -> store::Result<Vec<MachineView>> {
        let machines = store::machines::list_of_customer(
            conn,
            self.customer_id,
            kind,
            self.machines,
            after,
            limit,
        );
        MachineView::of_all(conn, machines.await?).await
    }

    /// Returns the action with an id, on a machine of these kinds.
    pub(crate) async fn action(
        &self,
        conn: &dyn Executor,
        id: &str,
        kinds: &[MachineKind],
    ) -> store::Result<Option<ActionRecord>> {
        let found = store::actions::by_id(conn, id).await?;
        let found = found.filter(|action| self.covers(&action.customer_id, action.machine_id));
        let Some(action) = found else {
            return Ok(None);
        };
        let view = MachineView::load(conn, action.machine_id).await?;
        let view = view.filter(|view| kinds.contains(&view.machine.kind));
        Ok(view.map(|view| ActionRecord::of(&action, &view)))
    }

    /// Returns actions, newest first, after a place in the list.
    pub(crate) async fn actions(
        &self,
        conn: &dyn Executor,
        filter: &ActionFilter,
        after: Option<&ActionCursor>,
        limit: i64,
    ) -> store::Result<Vec<(Action, ActionRecord)>> {
        let actions = store::actions::list(conn, self.customer_id, filter, after, limit).await?;
        let mut ids: Vec<Uuid> = actions.iter().map(|action| action.machine_id).collect();
        ids.sort_unstable();
        ids.dedup();
        let machines = store::machines::list_by_ids(conn, &ids).await?;
        let views = MachineView::of_all(conn, machines).await?.into_iter();
        let views: HashMap<Uuid, MachineView> = views.map(|view| (view.machine.id, view)).collect();
        let records = actions.into_iter().filter_map(|action| {
            let view = views.get(&action.machine_id)?;
            let record = ActionRecord::of(&action, view);
            Some((action, record))
        });
        Ok(records.collect())
    }
}
