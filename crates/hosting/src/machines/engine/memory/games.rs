//! Game servers in memory.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::stream;
use tokio::io::AsyncWrite;
use uuid::Uuid;

use super::demo_guest::DemoGuest;
use super::faults::EngineCall;
use super::host::{MemoryHost, World};
use crate::machines::demo_game;
use crate::machines::engine::{
    Attachment, EngineError, EngineFuture, EngineLog, GameBlueprint, GameEngine, Observation,
    RunState, Usage,
};
use crate::model::{Exit, ObservedState, StopMethod};

/// The exit code and the signal of a process that was killed.
const KILLED: Exit = Exit {
    code: Some(137),
    signal: Some(9),
    out_of_memory: false,
    by_guest: false,
};

/// The engine for game servers.
#[derive(Debug)]
pub(super) struct MemoryGames(pub(super) MemoryHost);

/// What is typed on the console of a run.
struct MemoryInput {
    host: MemoryHost,
    machine: Uuid,
    run: String,
}

impl GameEngine for MemoryGames {
    fn observe(&self, machine: Uuid) -> EngineFuture<'_, Observation> {
        let observe = move |world: &mut World| Ok(world.observe(machine));
        self.0.call(EngineCall::Observe, machine, observe)
    }

    fn observe_all(&self) -> EngineFuture<'_, Vec<Observation>> {
        let observe = |world: &mut World| Ok(world.observe_all(true));
        self.0.call(EngineCall::ObserveAll, Uuid::nil(), observe)
    }

    fn create<'a>(&'a self, blueprint: &'a GameBlueprint) -> EngineFuture<'a, ()> {
        let id = blueprint.machine;
        self.0.call(EngineCall::Create, id, move |world| {
            world.check_image(&blueprint.profile.image)?;
            let machine = world.machine(id);
            if machine.state() == RunState::Running {
                return Err(EngineError::WrongState(ObservedState::Running));
            }
            machine.is_game = true;
            if blueprint.profile.image == demo_game::IMAGE && machine.demo.is_none() {
                machine.demo = Some(DemoGuest::default());
            }
            machine.stop_command = match &blueprint.profile.stop {
                StopMethod::Command(command) => Some(command.clone()),
                StopMethod::Signal(_) => None,
            };
            world.create_run(id);
            Ok(())
        })
    }

    fn start(&self, machine: Uuid) -> EngineFuture<'_, ()> {
        self.0.call(EngineCall::Start, machine, move |world| {
            let machine = world.machine(machine);
            match machine.state() {
                RunState::Running => Ok(()),
                RunState::Created => {
                    machine.begin();
                    Ok(())
                }
                RunState::Exited(_) => Err(EngineError::WrongState(ObservedState::Stopped)),
                RunState::Absent => Err(EngineError::NotFound),
            }
        })
    }

    fn signal<'a>(&'a self, machine: Uuid, signal: &'a str) -> EngineFuture<'a, ()> {
        self.0.call(EngineCall::Signal, machine, move |world| {
            let machine = world.machine(machine);
            if machine.state() != RunState::Running {
                return Err(EngineError::WrongState(ObservedState::Stopped));
            }
            if !signal.starts_with("SIG") {
                return Err(EngineError::Refused(format!("no signal is named {signal}")));
            }
            machine.ask_to_end(false);
            Ok(())
        })
    }

    fn kill(&self, machine: Uuid) -> EngineFuture<'_, ()> {
        self.0.call(EngineCall::TurnOff, machine, move |world| {
            world.machine(machine).end(KILLED);
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

    fn attach(&self, machine: Uuid) -> EngineFuture<'_, Attachment> {
        let host = self.0.clone();
        self.0.call(EngineCall::Attach, machine, move |world| {
            let attached = world.machine(machine);
            if attached.state() == RunState::Absent {
                return Err(EngineError::NotFound);
            }
            let Some((position, mut output)) = attached.listen() else {
                return Err(EngineError::WrongState(ObservedState::Stopped));
            };
            let run = attached.run_id().unwrap_or_default();
            let output = stream::poll_fn(move |context| {
                let received = output.poll_recv(context);
                received.map(|bytes| bytes.map(Ok))
            });
            Ok(Attachment {
                position,
                output: Box::pin(output),
                input: Box::pin(MemoryInput { host, machine, run }),
            })
        })
    }

    fn log(&self, machine: Uuid, offset: u64) -> EngineFuture<'_, EngineLog> {
        self.0.call(EngineCall::Log, machine, move |world| {
            let log = world.machine(machine).log_from(offset);
            let (lost_bytes, bytes) = log.ok_or(EngineError::NotFound)?;
            let output = stream::iter([Ok(bytes)]);
            Ok(EngineLog {
                lost_bytes,
                output: Box::pin(output),
            })
        })
    }

    fn usage(&self, machine: Uuid) -> EngineFuture<'_, Usage> {
        self.0.call(EngineCall::Usage, machine, move |world| {
            match world.machine(machine).state() {
                RunState::Running => Ok(Usage {
                    memory_bytes: 1 << 20,
                    ..Usage::default()
                }),
                _ => Err(EngineError::WrongState(ObservedState::Stopped)),
            }
        })
    }

    fn disk_usage(&self, machine: Uuid) -> EngineFuture<'_, u64> {
        self.0.call(EngineCall::DiskUsage, machine, move |world| {
            Ok(world.machine(machine).disk_bytes)
        })
    }
}

impl AsyncWrite for MemoryInput {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut world = self.host.world();
        let is_on = world.machine(self.machine).type_bytes(&self.run, bytes);
        Poll::Ready(if is_on {
            Ok(bytes.len())
        } else {
            Err(io::ErrorKind::BrokenPipe.into())
        })
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
