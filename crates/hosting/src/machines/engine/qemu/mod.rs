//! Virtual private servers as processes of QEMU, driven through its monitor.
//!
//! Each machine has a folder with its disk, the sockets of its emulator and a record of its last run. The
//! emulator is no child of ours: it goes on when we end, and we find it again by the file with its number, its
//! start time and the UUID that its monitor reports. When a guest powers off, its emulator stays until it was
//! seen, so that the reason is known; then it is ended.

mod command_line;
mod disk;
mod emulator;
mod launch;
mod machine_folder;
mod network;
mod process;
mod qmp;
mod requirements;
mod serial_log;
#[cfg(test)]
mod tests;
mod tiny_guest;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::{BoxFuture, join_all};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use uuid::Uuid;

use super::{EngineError, EngineFuture, Observation, RunState, VpsBlueprint, VpsEngine};
use crate::config::VpsConfig;
use crate::model::{Exit, ObservedState};

use disk::DiskTool;
use emulator::{Emulator, MonitorSession};
use machine_folder::{MachineFolder, RunRecord};
use qmp::GuestStatus;

pub use tiny_guest::{DEMO_IMAGE, write_demo_image};

/// The engine for virtual private servers on this host.
#[derive(Debug)]
pub(crate) struct QemuEngine {
    machines_dir: PathBuf,
    images_dir: PathBuf,
    config: VpsConfig,
    disk_tool: DiskTool,
    /// One call at a time for each machine: a monitor serves one client.
    locks: Mutex<HashMap<Uuid, Arc<AsyncMutex<()>>>>,
}

impl QemuEngine {
    /// Creates the engine. Nothing is started or checked.
    pub(crate) fn new(config: &VpsConfig, machines_dir: &Path) -> Self {
        // The emulator leaves our working directory.
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let images_dir = match &config.images_dir {
            Some(folder) => absolute(folder),
            None => absolute(machines_dir).join("images"),
        };
        Self {
            machines_dir: absolute(machines_dir),
            images_dir,
            config: config.clone(),
            disk_tool: DiskTool::beside(&config.qemu_binary),
            locks: Mutex::default(),
        }
    }

    fn folder(&self, machine: Uuid) -> MachineFolder {
        MachineFolder::new(&self.machines_dir, machine)
    }

    async fn lock(&self, machine: Uuid) -> OwnedMutexGuard<()> {
        let lock = {
            let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(locks.entry(machine).or_default())
        };
        lock.lock_owned().await
    }

    async fn observation(&self, machine: Uuid) -> Result<Observation, EngineError> {
        let _lock = self.lock(machine).await;
        let folder = self.folder(machine);
        let Some(emulator) = Emulator::find(machine, &folder).await? else {
            return observation_of_off(machine, &folder).await;
        };
        if let Err(error) = serial_log::cut(&folder.serial_log()).await {
            tracing::warn!(%machine, %error, "cannot cut the log of a serial console");
        }
        observation_of_on(machine, emulator).await
    }

    /// Observes a machine that has a folder; `None` if the folder is not one of a virtual private server. A
    /// machine that is on is one without its disk, too, which somebody may have deleted.
    async fn observation_in_list(&self, machine: Uuid) -> Result<Option<Observation>, EngineError> {
        let folder = self.folder(machine);
        let is_ours = folder.has_disk().await? || folder.emulator_process(machine).await.is_some();
        if !is_ours {
            return Ok(None);
        }
        self.observation(machine).await.map(Some)
    }

    async fn prepare(&self, blueprint: &VpsBlueprint) -> Result<(), EngineError> {
        let machine = blueprint.machine;
        let _lock = self.lock(machine).await;
        let folder = self.folder(machine);
        end_unless_running(machine, &folder).await?;
        folder.make().await?;
        folder.remove_run().await?;
        folder.delete_disk_attempts().await?;
        if folder.has_disk().await? {
            return Ok(());
        }
        let made = self.make_disk(blueprint, &folder).await;
        if made.is_err() {
            folder.delete_if_empty().await;
        }
        made
    }

    async fn make_disk(
        &self,
        blueprint: &VpsBlueprint,
        folder: &MachineFolder,
    ) -> Result<(), EngineError> {
        let spec = &blueprint.spec;
        let image = disk::find_image(&self.images_dir, &spec.image).await?;
        let disk = folder.disk();
        let made = self.disk_tool.make_overlay(&image, &disk, spec.disk_bytes);
        made.await
    }

    async fn turn_on(&self, blueprint: &VpsBlueprint) -> Result<(), EngineError> {
        let machine = blueprint.machine;
        let _lock = self.lock(machine).await;
        let folder = self.folder(machine);
        if let Some(mut emulator) = Emulator::find(machine, &folder).await? {
            let mut session = emulator.monitor().await?;
            match session.exit() {
                // The guest has ended, and its emulator is still there.
                Some(exit) => drop(emulator.end(Some(session), exit).await?),
                None if session.status == GuestStatus::Prelaunch => {
                    network::connect(blueprint).await?;
                    return emulator.begin(&mut session).await;
                }
                None => return session.resume_after_disk_error().await,
            }
        }
        if !folder.has_disk().await? {
            return Err(EngineError::NotFound);
        }
        self.launch(blueprint, &folder).await?;
        let emulator = Emulator::find(machine, &folder).await?;
        let ended = || EngineError::Internal("the emulator ended as soon as it began".to_owned());
        let mut emulator = emulator.ok_or_else(ended)?;
        let mut session = emulator.monitor().await?;
        network::connect(blueprint).await?;
        emulator.begin(&mut session).await
    }

    /// Starts an emulator whose guest has not begun.
    async fn launch(
        &self,
        blueprint: &VpsBlueprint,
        folder: &MachineFolder,
    ) -> Result<(), EngineError> {
        let image = disk::find_image(&self.images_dir, &blueprint.spec.image).await?;
        network::check(blueprint, self.config.listen_address).await?;
        folder.rotate_serial_log().await?;
        let is_root = rustix::process::geteuid().is_root();
        let arguments = command_line::arguments(blueprint, folder, &image, &self.config, is_root)?;
        launch::launch(&self.config.qemu_binary, &arguments).await
    }

    /// Executes a command on the monitor of a machine that is on.
    async fn press(&self, machine: Uuid, command: &'static str) -> Result<(), EngineError> {
        let _lock = self.lock(machine).await;
        let folder = self.folder(machine);
        let mut session = running_session(machine, &folder).await?;
        session.execute(command).await?;
        session.resume_after_disk_error().await
    }

    async fn turn_off(&self, machine: Uuid) -> Result<(), EngineError> {
        let _lock = self.lock(machine).await;
        let folder = self.folder(machine);
        let Some(mut emulator) = Emulator::find(machine, &folder).await? else {
            return Ok(());
        };
        let session = emulator.monitor().await.ok();
        let ended_before = session.as_ref().and_then(MonitorSession::exit);
        let exit = ended_before.unwrap_or(Exit {
            code: Some(0),
            ..Exit::default()
        });
        emulator.end(session, exit).await.map(drop)
    }

    async fn forget(&self, machine: Uuid) -> Result<(), EngineError> {
        let _lock = self.lock(machine).await;
        let folder = self.folder(machine);
        end_unless_running(machine, &folder).await?;
        folder.delete().await?;
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        locks.remove(&machine);
        Ok(())
    }
}

impl VpsEngine for QemuEngine {
    fn problems(&self) -> BoxFuture<'_, Vec<String>> {
        let binary = &self.config.qemu_binary;
        Box::pin(requirements::problems(binary, self.disk_tool.program()))
    }

    fn observe(&self, machine: Uuid) -> EngineFuture<'_, Observation> {
        Box::pin(self.observation(machine))
    }

    fn observe_all(&self) -> EngineFuture<'_, Vec<Observation>> {
        Box::pin(async {
            let machines = machine_folder::machines_in(&self.machines_dir).await?;
            let machines = machines.into_iter();
            let observations = machines.map(|machine| self.observation_in_list(machine));
            let observations = join_all(observations).await.into_iter();
            observations.filter_map(Result::transpose).collect()
        })
    }

    fn create<'a>(&'a self, blueprint: &'a VpsBlueprint) -> EngineFuture<'a, ()> {
        Box::pin(self.prepare(blueprint))
    }

    fn start<'a>(&'a self, blueprint: &'a VpsBlueprint) -> EngineFuture<'a, ()> {
        Box::pin(self.turn_on(blueprint))
    }

    fn press_power_button(&self, machine: Uuid) -> EngineFuture<'_, ()> {
        Box::pin(self.press(machine, "system_powerdown"))
    }

    fn reset(&self, machine: Uuid) -> EngineFuture<'_, ()> {
        Box::pin(self.press(machine, "system_reset"))
    }

    fn power_off(&self, machine: Uuid) -> EngineFuture<'_, ()> {
        Box::pin(self.turn_off(machine))
    }

    fn delete(&self, machine: Uuid) -> EngineFuture<'_, ()> {
        Box::pin(self.forget(machine))
    }
}

/// Observes a machine without an emulator.
async fn observation_of_off(
    machine: Uuid,
    folder: &MachineFolder,
) -> Result<Observation, EngineError> {
    if let Some(record) = folder.run().await? {
        return Ok(exited(machine, &record));
    }
    let has_disk = folder.has_disk().await?;
    Ok(Observation {
        machine,
        run: None,
        state: if has_disk {
            RunState::Created
        } else {
            RunState::Absent
        },
        started_at: None,
    })
}

/// Observes a machine with an emulator. If the guest has ended, the emulator is ended too.
async fn observation_of_on(
    machine: Uuid,
    mut emulator: Emulator,
) -> Result<Observation, EngineError> {
    let state = match emulator.monitor().await {
        Ok(mut session) => {
            if let Some(exit) = session.exit() {
                let record = emulator.end(Some(session), exit).await?;
                return Ok(exited(machine, &record));
            }
            session.resume_after_disk_error().await?;
            match session.status {
                GuestStatus::Prelaunch => RunState::Created,
                _ => RunState::Running,
            }
        }
        Err(_) if !emulator.is_alive() => return Ok(exited(machine, emulator.record())),
        // Its process lives, so that it is on, although its monitor does not answer.
        Err(error) => {
            tracing::warn!(%machine, %error, "the monitor of a machine does not answer");
            if emulator.record().has_begun {
                RunState::Running
            } else {
                RunState::Created
            }
        }
    };
    let record = emulator.record();
    Ok(Observation {
        machine,
        run: Some(record.process.run_id()),
        state,
        started_at: Some(record.started_at),
    })
}

/// Returns the observation of a run whose emulator has ended. If nobody told it to end, nothing is known about
/// the reason: the exit status of a process goes to its parent.
fn exited(machine: Uuid, record: &RunRecord) -> Observation {
    Observation {
        machine,
        run: Some(record.process.run_id()),
        state: RunState::Exited(record.exit.unwrap_or_default()),
        started_at: Some(record.started_at),
    }
}

/// Ends an emulator whose guest has ended or has not begun. Fails if the machine is on.
async fn end_unless_running(machine: Uuid, folder: &MachineFolder) -> Result<(), EngineError> {
    let Some(mut emulator) = Emulator::find(machine, folder).await? else {
        return Ok(());
    };
    let session = emulator.monitor().await?;
    let exit = match session.status {
        GuestStatus::Prelaunch => Some(Exit::default()),
        _ => session.exit(),
    };
    let Some(exit) = exit else {
        return Err(EngineError::WrongState(ObservedState::Running));
    };
    emulator.end(Some(session), exit).await.map(drop)
}

/// Opens a session with the monitor of a machine that is on.
async fn running_session(
    machine: Uuid,
    folder: &MachineFolder,
) -> Result<MonitorSession, EngineError> {
    let off = EngineError::WrongState(ObservedState::Stopped);
    let Some(mut emulator) = Emulator::find(machine, folder).await? else {
        let has_disk = folder.has_disk().await?;
        return Err(if has_disk { off } else { EngineError::NotFound });
    };
    let session = emulator.monitor().await?;
    if let Some(exit) = session.exit() {
        emulator.end(Some(session), exit).await?;
        return Err(off);
    }
    match session.status {
        GuestStatus::Prelaunch => Err(off),
        _ => Ok(session),
    }
}
