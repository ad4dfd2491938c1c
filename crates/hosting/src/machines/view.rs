//! A machine with what is needed to show it.

use std::collections::HashMap;

use innkeeper_service::database::Executor;
use uuid::Uuid;

use crate::model::{Action, Machine, PublicState};
use crate::store;

/// A machine and the action that has not ended.
#[derive(Debug, Clone)]
pub(crate) struct MachineView {
    pub(crate) machine: Machine,
    pub(crate) active: Option<Action>,
    /// The version of the game, from the profile.
    pub(crate) game_version: Option<String>,
}

impl MachineView {
    /// Returns the machine with our own id.
    pub(crate) async fn load(conn: &dyn Executor, id: Uuid) -> store::Result<Option<Self>> {
        match store::machines::by_id(conn, id).await? {
            Some(machine) => Self::of(conn, machine).await.map(Some),
            None => Ok(None),
        }
    }

    /// Adds to a machine what is needed to show it.
    pub(crate) async fn of(conn: &dyn Executor, machine: Machine) -> store::Result<Self> {
        let active = store::actions::active_of(conn, machine.id).await?;
        Self::with_action(conn, machine, active).await
    }

    /// Adds to a machine with an action what is needed to show it.
    pub(crate) async fn with_action(
        conn: &dyn Executor,
        machine: Machine,
        active: Option<Action>,
    ) -> store::Result<Self> {
        let profile = match &machine.profile {
            Some(name) => store::game_profiles::by_name(conn, name).await?,
            None => None,
        };
        Ok(Self {
            machine,
            active,
            game_version: profile.and_then(|profile| profile.version),
        })
    }

    /// Adds to machines what is needed to show them.
    pub(crate) async fn of_all(
        conn: &dyn Executor,
        machines: Vec<Machine>,
    ) -> store::Result<Vec<Self>> {
        let ids: Vec<Uuid> = machines.iter().map(|machine| machine.id).collect();
        let active = store::actions::active_of_all(conn, &ids).await?.into_iter();
        let mut active: HashMap<Uuid, Action> =
            active.map(|action| (action.machine_id, action)).collect();
        let mut versions = HashMap::new();
        if machines.iter().any(|machine| machine.profile.is_some()) {
            let profiles = store::game_profiles::list(conn).await?.into_iter();
            versions.extend(profiles.map(|profile| (profile.name, profile.version)));
        }
        let views = machines.into_iter().map(|machine| Self {
            active: active.remove(&machine.id),
            game_version: machine
                .profile
                .as_ref()
                .and_then(|name| versions.get(name).cloned().flatten()),
            machine,
        });
        Ok(views.collect())
    }

    /// Returns the state, as customers see it.
    pub(crate) fn state(&self) -> PublicState {
        PublicState::of(&self.machine, self.active.as_ref())
    }
}
