//! A host in memory: everything that exists on it, and what tests do to it.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use uuid::Uuid;

use super::demo_guest::DemoGuest;
use super::faults::{EngineCall, Faults, Moment, Stall};
use super::machine::{Guest, MemoryMachine};
use crate::machines::engine::{EngineError, EngineFuture, Observation, RunState};
use crate::model::{Exit, MachinePort, Protocol};

/// A host with an engine of each kind. Clones are the same host, as seen by another process.
#[derive(Debug, Clone, Default)]
pub struct MemoryHost {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    world: Mutex<World>,
    faults: Faults,
}

/// Everything that exists on the host.
#[derive(Default)]
pub(super) struct World {
    pub(super) machines: HashMap<Uuid, MemoryMachine>,
    /// The calls that changed something, in order.
    changes: Vec<(EngineCall, Uuid)>,
    /// How many runs there were.
    runs: u64,
    /// How often the host was restarted.
    boots: u64,
    /// The images that somebody has deleted.
    lost_images: HashSet<String>,
    /// The ports that another program uses.
    used_ports: HashSet<(Protocol, u16)>,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World")
            .field("machines", &self.machines.len())
            .finish_non_exhaustive()
    }
}

impl MemoryHost {
    /// Returns what identifies the current boot of the host.
    pub fn boot_id(&self) -> String {
        format!("boot-{}", self.world().boots)
    }

    /// Restarts the host: everything that is on ends.
    pub fn reboot(&self) {
        let mut world = self.world();
        world.boots += 1;
        for machine in world.machines.values_mut() {
            machine.end(Exit::default());
        }
    }

    /// Chooses how the guest of a machine behaves.
    pub fn set_guest(&self, machine: Uuid, guest: Guest) {
        self.world().machine(machine).guest = guest;
    }

    /// Ends a machine, as by itself.
    pub fn exit(&self, machine: Uuid, exit: Exit) {
        self.world().machine(machine).end(exit);
    }

    /// Deletes the run of a machine, as by another program. Its data stays.
    pub fn lose_run(&self, machine: Uuid) {
        let mut world = self.world();
        let machine = world.machine(machine);
        machine.end(Exit::default());
        machine.run = None;
    }

    /// Turns a machine on that has a run, as by another program.
    pub fn start_behind(&self, machine: Uuid) {
        let mut world = self.world();
        world.ensure_run(machine);
        world.machine(machine).begin();
    }

    /// Writes a line on the console of a game server.
    pub fn print(&self, machine: Uuid, line: &str) {
        self.world().machine(machine).print(line);
    }

    /// Ends all attachments of a game server that stays on.
    pub fn cut_consoles(&self, machine: Uuid) {
        self.world().machine(machine).cut_consoles();
    }

    /// Forgets the first bytes of the engine's log of a run.
    pub fn forget_log(&self, machine: Uuid, bytes: usize) {
        self.world().machine(machine).forget_log(bytes);
    }

    /// Sets how many bytes the volume of a game server has.
    pub fn set_disk_usage(&self, machine: Uuid, bytes: u64) {
        self.world().machine(machine).disk_bytes = bytes;
    }

    /// Deletes an image of virtual private servers.
    pub fn lose_image(&self, image: &str) {
        self.world().lost_images.insert(image.to_owned());
    }

    /// Takes a port, as another program does, or gives it back.
    pub fn set_port_in_use(&self, protocol: Protocol, port: u16, is_in_use: bool) {
        let used = &mut self.world().used_ports;
        if is_in_use {
            used.insert((protocol, port));
        } else {
            used.remove(&(protocol, port));
        }
    }

    /// Returns how often the guest of a machine has booted in its current run.
    pub fn boots(&self, machine: Uuid) -> usize {
        self.world().machine(machine).boots()
    }

    /// Tells whether a machine is on.
    pub fn is_running(&self, machine: Uuid) -> bool {
        self.world().machine(machine).state() == RunState::Running
    }

    /// Tells whether a machine has data.
    pub fn has_data(&self, machine: Uuid) -> bool {
        self.world().machine(machine).has_data
    }

    /// Returns what was typed on the console of a game server in its current run, line by line.
    pub fn typed(&self, machine: Uuid) -> Vec<String> {
        self.world().machine(machine).typed()
    }

    /// Returns the calls that changed a machine, in order.
    pub fn changes_of(&self, machine: Uuid) -> Vec<EngineCall> {
        let world = self.world();
        let changes = world.changes.iter().filter(|(_, id)| *id == machine);
        changes.map(|(call, _)| *call).collect()
    }

    /// Lets the next calls of this kind fail.
    pub fn fail(&self, call: EngineCall, error: EngineError, times: usize) {
        self.shared.faults.fail(call, error, times);
    }

    /// Lets all calls fail because the engine is away, or ends that.
    pub fn set_away(&self, is_away: bool) {
        self.shared.faults.set_away(is_away);
    }

    /// Lets all calls hang, or ends that.
    pub fn set_hanging(&self, is_hanging: bool) {
        self.shared.faults.set_hanging(is_hanging);
    }

    /// Delays all calls.
    pub fn set_delay(&self, delay: Duration) {
        self.shared.faults.set_delay(delay);
    }

    /// Holds all calls of this kind before or after their effect, until they are released.
    pub fn stall(&self, call: EngineCall, moment: Moment) -> Stall {
        self.shared.faults.stall(call, moment)
    }

    /// Does a call: the faults that were asked for, and its effect.
    pub(super) fn call<'a, T: Send + 'a>(
        &'a self,
        call: EngineCall,
        machine: Uuid,
        effect: impl FnOnce(&mut World) -> Result<T, EngineError> + Send + 'a,
    ) -> EngineFuture<'a, T> {
        Box::pin(async move {
            self.shared.faults.before(call).await?;
            let done = {
                let mut world = self.world();
                if call.is_change() {
                    world.changes.push((call, machine));
                }
                effect(&mut world)
            };
            self.shared.faults.after(call).await;
            done
        })
    }

    pub(super) fn world(&self) -> MutexGuard<'_, World> {
        let world = self.shared.world.lock();
        world.unwrap_or_else(PoisonError::into_inner)
    }
}

impl World {
    pub(super) fn machine(&mut self, id: Uuid) -> &mut MemoryMachine {
        self.machines.entry(id).or_default()
    }

    /// Makes a fresh run.
    pub(super) fn create_run(&mut self, id: Uuid) {
        self.runs += 1;
        let run = format!("run-{}", self.runs);
        self.machine(id).create(run);
    }

    fn ensure_run(&mut self, id: Uuid) {
        if self.machine(id).state() != RunState::Created {
            self.create_run(id);
        }
    }

    /// Fails if somebody has deleted an image.
    pub(super) fn check_image(&self, image: &str) -> Result<(), EngineError> {
        if self.lost_images.contains(image) {
            let reason = format!("the image {image} does not exist");
            return Err(EngineError::Refused(reason));
        }
        Ok(())
    }

    /// Fails if another program uses one of the ports.
    pub(super) fn check_ports(&self, ports: &[MachinePort]) -> Result<(), EngineError> {
        let is_used =
            |port: &&MachinePort| self.used_ports.contains(&(port.protocol, port.host_port));
        match ports.iter().find(is_used) {
            Some(port) => {
                let reason = format!("the {} port {} is in use", port.protocol, port.host_port);
                Err(EngineError::Refused(reason))
            }
            None => Ok(()),
        }
    }

    pub(super) fn observe(&mut self, id: Uuid) -> Observation {
        let machine = self.machine(id);
        let state = machine.state();
        let has_begun = matches!(state, RunState::Running | RunState::Exited(_));
        Observation {
            machine: id,
            run: machine.run_id(),
            state,
            // The clock of a test is not the one of its guests, so those of other tests have no time.
            started_at: (machine.demo.as_ref())
                .filter(|_| has_begun)
                .map(DemoGuest::started_at),
        }
    }

    pub(super) fn observe_all(&mut self, is_game: bool) -> Vec<Observation> {
        let ids: Vec<Uuid> = (self.machines.iter())
            .filter(|(_, machine)| machine.is_game == is_game)
            .filter(|(_, machine)| machine.state() != RunState::Absent)
            .map(|(id, _)| *id)
            .collect();
        ids.into_iter().map(|id| self.observe(id)).collect()
    }
}
