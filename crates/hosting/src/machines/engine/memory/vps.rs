//! Virtual private servers in memory.

use uuid::Uuid;

use super::faults::EngineCall;
use super::host::{MemoryHost, World};
use super::machine::MemoryMachine;
use crate::machines::engine::{
    EngineError, EngineFuture, Observation, RunState, VpsBlueprint, VpsEngine,
};
use crate::model::{Exit, ObservedState};

/// The engine for virtual private servers.
#[derive(Debug)]
pub(super) struct MemoryVps(pub(super) MemoryHost);

impl VpsEngine for MemoryVps {
    fn observe(&self, machine: Uuid) -> EngineFuture<'_, Observation> {
        let observe = move |world: &mut World| Ok(world.observe(machine));
        self.0.call(EngineCall::Observe, machine, observe)
    }

    fn observe_all(&self) -> EngineFuture<'_, Vec<Observation>> {
        let observe = |world: &mut World| Ok(world.observe_all(false));
        self.0.call(EngineCall::ObserveAll, Uuid::nil(), observe)
    }

    fn create<'a>(&'a self, blueprint: &'a VpsBlueprint) -> EngineFuture<'a, ()> {
        let id = blueprint.machine;
        self.0.call(EngineCall::Create, id, move |world| {
            if world.machine(id).state() == RunState::Running {
                return Err(EngineError::WrongState(ObservedState::Running));
            }
            if !world.machine(id).has_data {
                world.check_image(&blueprint.spec.image)?;
            }
            let machine = world.machine(id);
            machine.has_data = true;
            machine.run = None;
            Ok(())
        })
    }

    fn start<'a>(&'a self, blueprint: &'a VpsBlueprint) -> EngineFuture<'a, ()> {
        let id = blueprint.machine;
        self.0.call(EngineCall::Start, id, move |world| {
            if !world.machine(id).has_data {
                return Err(EngineError::NotFound);
            }
            if world.machine(id).state() == RunState::Running {
                return Ok(());
            }
            world.check_image(&blueprint.spec.image)?;
            world.check_ports(&blueprint.ports)?;
            world.create_run(id);
            world.machine(id).begin();
            Ok(())
        })
    }

    fn press_power_button(&self, machine: Uuid) -> EngineFuture<'_, ()> {
        self.0
            .call(EngineCall::PressPowerButton, machine, move |world| {
                let machine = world.on(machine)?;
                machine.ask_to_end(true);
                Ok(())
            })
    }

    fn reset(&self, machine: Uuid) -> EngineFuture<'_, ()> {
        self.0.call(EngineCall::Reset, machine, move |world| {
            world.on(machine)?.boot();
            Ok(())
        })
    }

    fn power_off(&self, machine: Uuid) -> EngineFuture<'_, ()> {
        self.0.call(EngineCall::TurnOff, machine, move |world| {
            world.machine(machine).end(Exit::default());
            Ok(())
        })
    }

    fn delete(&self, machine: Uuid) -> EngineFuture<'_, ()> {
        self.0.call(EngineCall::Delete, machine, move |world| {
            if world.machine(machine).state() == RunState::Running {
                return Err(EngineError::WrongState(ObservedState::Running));
            }
            world.machines.remove(&machine);
            Ok(())
        })
    }
}

impl World {
    /// Returns a machine that is on.
    fn on(&mut self, id: Uuid) -> Result<&mut MemoryMachine, EngineError> {
        let machine = self.machine(id);
        match machine.state() {
            RunState::Running => Ok(machine),
            RunState::Absent => Err(EngineError::NotFound),
            RunState::Created | RunState::Exited(_) => {
                Err(EngineError::WrongState(ObservedState::Stopped))
            }
        }
    }
}
