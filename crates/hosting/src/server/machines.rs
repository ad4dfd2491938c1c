//! The machines of a running server, for the program that runs it: `innkeeper up` shows them, stops them when
//! it ends, and starts them again.

use std::time::Duration;

use futures_util::future::join_all;
use uuid::Uuid;

use crate::config::Config;
use crate::machines::engine::VpsEngine as _;
use crate::machines::engine::podman::DeferredPodman;
use crate::machines::engine::qemu::QemuEngine;
use crate::machines::power::{PowerControl, PowerError, PowerRequest};
use crate::model::{
    ActionCommand, Actor, Administrative, DesiredState, Machine, MachineKind, PublicState,
};
use crate::operate::OperateError;
use crate::server::Hosting;
use crate::store;

/// How long a machine may take to be turned off by force, after the time that it has to stop.
const FORCE_TIME: Duration = Duration::from_secs(30);

/// A machine, in few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineSummary {
    /// Our own id.
    pub machine_id: Uuid,
    /// Virtual private server or game server.
    pub kind: MachineKind,
    /// The id in the API.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// The state.
    pub state: PublicState,
    /// Whether it should be on.
    pub is_wanted: bool,
    /// Why the host refused the last start.
    pub failure: Option<String>,
}

/// Returns what this host lacks to run machines of a kind, one sentence each; `None` if the settings name no folder
/// for machines. Nothing is started or changed.
pub async fn missing_for_machines(config: &Config, kind: MachineKind) -> Option<Vec<String>> {
    let folder = config.machines.dir.as_deref()?;
    Some(match kind {
        MachineKind::Game => {
            let engine = DeferredPodman::new(&config.containers, folder);
            engine.missing().await
        }
        MachineKind::Vps => QemuEngine::new(&config.vps, folder).problems().await,
    })
}

impl Hosting {
    /// Returns what is missing to run machines of a kind on this host, one sentence each. Waits until the
    /// engine was tried.
    pub async fn engine_problems(&self, kind: MachineKind) -> Vec<String> {
        let Some(node) = &self.app().node else {
            return vec!["no folder for machines is set".to_owned()];
        };
        let engines = node.engines();
        match (kind, &engines.game, &engines.vps) {
            (MachineKind::Game, Some(engine), _) => engine.problems().await,
            (MachineKind::Vps, _, Some(engine)) => engine.problems().await,
            (MachineKind::Game, None, _) | (MachineKind::Vps, _, None) => {
                vec![format!(
                    "there is no engine for machines of the kind {kind}"
                )]
            }
        }
    }

    /// Ends what the engines of this host have started beside machines, which go on. The server must have
    /// ended.
    pub async fn close_engines(&self) {
        let node = self.app().node.as_ref();
        if let Some(engine) = node.and_then(|node| node.engines().game.as_ref()) {
            engine.close().await;
        }
    }

    /// Returns all machines, those of one kind after the other. There are none without a database.
    pub async fn machines(&self) -> Result<Vec<MachineSummary>, OperateError> {
        let Some(database) = &self.app().database else {
            return Ok(Vec::new());
        };
        database.make_ready().await?;
        let connection = database.connection().await?;
        let mut machines = Vec::new();
        for kind in MachineKind::ALL {
            machines.extend(store::machines::list(&connection, *kind).await?);
        }
        let ids: Vec<Uuid> = machines.iter().map(|machine| machine.id).collect();
        let active = store::actions::active_of_all(&connection, &ids).await?;
        let summary = |machine: &Machine| {
            let mut active = active.iter();
            let active = active.find(|action| action.machine_id == machine.id);
            MachineSummary {
                machine_id: machine.id,
                kind: machine.kind,
                id: machine.public_id.to_string(),
                name: machine.name.clone(),
                state: PublicState::of(machine, active),
                is_wanted: machine.administrative == Administrative::Active
                    && machine.desired == DesiredState::Running,
                failure: machine.failure.clone(),
            }
        };
        Ok(machines.iter().map(summary).collect())
    }

    /// Asks for the start of a machine, which happens while the server serves. A machine that was removed or
    /// cannot be started now is left alone.
    pub async fn start_machine(&self, machine: Uuid) -> Result<(), OperateError> {
        let Some(power) = &self.app().power else {
            return Ok(());
        };
        let request = PowerRequest::new(machine, ActionCommand::Start, Actor::Operator);
        match power.request(&request).await {
            Ok(_) | Err(PowerError::NotFound) => Ok(()),
            Err(PowerError::Database(error)) => Err(error.into()),
            Err(error) => {
                tracing::warn!(%machine, %error, "the machine cannot be started");
                Ok(())
            }
        }
    }

    /// Stops machines as their owners would, all at once, and waits until they are off. The server must be
    /// serving. Machines that cannot be stopped are left alone.
    pub async fn stop_machines(&self, machines: &[Uuid]) {
        let (Some(power), Some(_)) = (&self.app().power, &self.app().node) else {
            return;
        };
        let stopping = machines.iter().map(|machine| async move {
            if let Err(error) = stop(power, *machine).await {
                tracing::warn!(%machine, %error, "the machine cannot be stopped");
            }
        });
        join_all(stopping).await;
    }
}

async fn stop(power: &PowerControl, machine: Uuid) -> Result<(), PowerError> {
    let request = PowerRequest::new(machine, ActionCommand::Stop, Actor::Operator);
    let answer = power.request(&request).await?;
    let seconds = u64::from(answer.action.stop_seconds);
    let most = Duration::from_secs(seconds) + FORCE_TIME;
    power.wait(&answer.action.id, most).await?;
    Ok(())
}
