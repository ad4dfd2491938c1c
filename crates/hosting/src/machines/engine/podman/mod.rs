//! Game servers in containers, through the Docker Engine API of Podman.
//!
//! Each start makes a fresh container; the data is in a volume that stays. Names come from our own id of the
//! machine. Every call looks at the state of the container and not at the error of the engine, because the
//! errors of engines differ.

mod api_version;
mod attach;
mod connect;
mod create;
mod decode;
mod deferred;
mod erase;
mod errors;
mod firewall;
mod host_facts;
mod image;
mod log;
mod log_file;
mod names;
mod network;
mod network_namespaces;
mod observe;
mod open;
mod requirements;
mod selftest;
mod service;
#[cfg(test)]
mod tests;
mod tools;
mod usage;
mod volume;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;
use uuid::Uuid;

use self::connect::EngineSocket;
use self::firewall::Firewall;
use self::names::resource_name;
use self::observe::{CachedObservation, Container};
use self::service::ServiceFolder;
use self::usage::CpuSample;
use super::{EngineError, RunState};
use crate::model::ObservedState;

pub use self::deferred::DEFAULT_STORE;
pub(crate) use self::deferred::DeferredPodman;
pub use self::erase::{end, erase};
pub(crate) use self::open::PodmanOptions;
pub use self::open::PodmanUnavailable;

/// The pause between two looks at a container that is being killed.
const KILL_INTERVAL: Duration = Duration::from_millis(20);

/// An engine for game servers: Podman, or another engine with the same API.
#[derive(Debug)]
pub(crate) struct PodmanEngine {
    socket: EngineSocket,
    is_podman: bool,
    /// Whether the engine's files can be read here.
    reads_files: bool,
    /// Whether containers have users of their own.
    maps_users: bool,
    /// Whether volumes may have a size; false once the engine has said no.
    has_project_quota: AtomicBool,
    /// The address of the host on which ports are published.
    publish_address: IpAddr,
    firewall: Firewall,
    /// What is known about containers, by their id.
    observed: Arc<Mutex<HashMap<String, CachedObservation>>>,
    cpu_samples: Mutex<HashMap<Uuid, CpuSample>>,
    /// The service, if it is our own.
    service: Option<ServiceFolder>,
    /// What runs beside; ends with the engine.
    tasks: Mutex<JoinSet<()>>,
}

impl PodmanEngine {
    async fn start_run(&self, machine: Uuid) -> Result<(), EngineError> {
        match self.observe_one(machine).await?.state {
            RunState::Running => return Ok(()),
            RunState::Absent => return Err(EngineError::NotFound),
            // A run is started once: to start it again would mix the output of two runs.
            RunState::Exited(_) => return Err(EngineError::WrongState(ObservedState::Stopped)),
            RunState::Created => {}
        }
        let path = format!("/containers/{}/start", resource_name(machine));
        if let Err(error) = self.socket.post(&path).await
            && !self.has_started(machine).await?
        {
            return Err(error);
        }
        if self.firewall.is_rootless() {
            // The namespace with the bridge may be a new one.
            self.firewall.ensure().await?;
        }
        Ok(())
    }

    /// Tells whether a container is on or has been, after a start that failed.
    async fn has_started(&self, machine: Uuid) -> Result<bool, EngineError> {
        let state = self.observe_one(machine).await?.state;
        Ok(matches!(state, RunState::Running | RunState::Exited(_)))
    }

    async fn send_signal(&self, machine: Uuid, signal: &str) -> Result<(), EngineError> {
        if !is_signal(signal) {
            return Err(EngineError::Refused(format!("{signal} is not a signal")));
        }
        let off = EngineError::WrongState(ObservedState::Stopped);
        if !self.is_running(machine).await? {
            return Err(off);
        }
        let name = resource_name(machine);
        let path = format!("/containers/{name}/kill?signal={signal}");
        match self.socket.post(&path).await {
            Ok(()) => Ok(()),
            // The container may have ended meanwhile.
            Err(_) if !self.is_running(machine).await? => Err(off),
            Err(error) => Err(error),
        }
    }

    /// Kills a container. The engine answers after its clean-up, which can take long if something is wrong;
    /// the container is off before that.
    async fn kill_run(&self, machine: Uuid) -> Result<(), EngineError> {
        let container = self.container(machine).await?;
        if let Some(container) = container.filter(|container| container.is_prepared) {
            return self.end_prepared(&container).await;
        }
        let is_off = async {
            loop {
                sleep(KILL_INTERVAL).await;
                if !self.is_running(machine).await? {
                    return Ok(());
                }
            }
        };
        tokio::select! {
            outcome = self.send_signal(machine, "SIGKILL") => match outcome {
                Ok(()) | Err(EngineError::WrongState(_)) => Ok(()),
                Err(error) => Err(error),
            },
            outcome = is_off => outcome,
        }
    }

    /// Ends the process that waits for the start of a container. Engines send signals to containers that are on only.
    async fn end_prepared(&self, container: &Container) -> Result<(), EngineError> {
        let path = format!("/containers/{}/stop?t=0", container.id);
        self.socket.post(&path).await
    }

    async fn delete_machine(&self, machine: Uuid) -> Result<(), EngineError> {
        if self.is_running(machine).await? {
            return Err(EngineError::WrongState(ObservedState::Running));
        }
        self.remove_container(machine).await?;
        self.remove_network(machine).await?;
        self.remove_volume(machine).await?;
        lock(&self.cpu_samples).remove(&machine);
        Ok(())
    }

    async fn is_running(&self, machine: Uuid) -> Result<bool, EngineError> {
        let container = self.container(machine).await?;
        Ok(container.is_some_and(|container| container.is_running()))
    }
}

/// Tells whether a text looks like the name of a signal.
fn is_signal(text: &str) -> bool {
    text.strip_prefix("SIG").is_some_and(|name| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    })
}

/// Locks a mutex. What it protects is valid even if somebody panicked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
