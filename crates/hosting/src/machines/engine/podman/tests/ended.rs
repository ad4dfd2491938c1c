//! Games that have ended: to attach to one would prepare it again, with a process that waits for ever.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use innkeeper_service::testing::eventually;
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{UnixListener, UnixStream};
use uuid::Uuid;

use super::TestEngine;
use crate::machines::engine::game_conformance::TestMachine;
use crate::machines::engine::podman::{PodmanEngine, PodmanOptions};
use crate::machines::engine::{EngineError, GameBlueprint, GameEngine, RunState};
use crate::model::ObservedState;

const OFF: EngineError = EngineError::WrongState(ObservedState::Stopped);

fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

fn parent(pid: u32) -> u32 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
    parent.unwrap().trim().parse().unwrap()
}

/// Tells whether a process is left that belongs to a container.
fn has_process(container: &str) -> bool {
    let mut processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    processes.any(|process| {
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(container)
    })
}

/// Waits until no process is left that belongs to the container of a machine.
async fn until_nothing_is_left(engine: &PodmanEngine, machine: Uuid) {
    let container = engine.container(machine).await.unwrap().unwrap().id;
    // The closure owns the id: a future with a closure that borrows could not be spawned.
    let is_over = async move || !has_process(&container);
    eventually("no process of the container is left", is_over).await;
}

pub(super) async fn a_console_knows_the_end_before_the_engine(engine: &TestEngine) {
    let (machine, console) = TestMachine::running(&engine.games).await;
    let process = engine.process_of(&machine).await;
    let conmon = parent(process);
    signal(conmon, Signal::STOP);
    signal(process, Signal::KILL);
    // Nobody has told the engine.
    assert_eq!(machine.state().await, RunState::Running);
    let refused = engine.games.attach(machine.id()).await.map(drop);
    signal(conmon, Signal::CONT);
    assert_eq!(refused, Err(OFF));
    console.wait_for_end().await;
    assert_eq!(machine.exit().await.signal, Some(9));
    until_nothing_is_left(&engine.podman, machine.id()).await;
    machine.delete().await;
}

/// What an engine does that is asked to attach to a game that has just ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LateAttach {
    /// It prepares the game again.
    Prepares,
    /// It notices the end in the middle of the request.
    Refuses,
    /// It has forgotten the run, because another one is on.
    Forgot,
}

/// How Podman refuses.
const REFUSAL: &str = "HTTP/1.1 500 Internal Server Error\r\nConnection: close\r\n\r\n\
    {\"message\":\"can only attach to created or running containers: container state improper\"}";

/// Passes requests on to the engine, and ends a game when it is asked to attach to it.
async fn kill_before_attach(
    socket: PathBuf,
    listener: UnixListener,
    engine: Arc<PodmanEngine>,
    blueprint: GameBlueprint,
    attach: LateAttach,
) {
    let machine = blueprint.machine;
    while let Ok((mut client, _)) = listener.accept().await {
        let (socket, engine) = (socket.clone(), Arc::clone(&engine));
        let blueprint = blueprint.clone();
        tokio::spawn(async move {
            let mut head = vec![0; 4096];
            let length = client.read(&mut head).await.unwrap();
            let head = &head[..length];
            if String::from_utf8_lossy(head).contains("/attach?") {
                engine.kill_run(machine).await.unwrap();
                // What tidies up after a game would also end it if it is prepared again.
                until_nothing_is_left(&engine, machine).await;
                if attach == LateAttach::Refuses {
                    client.write_all(REFUSAL.as_bytes()).await.unwrap();
                    return;
                }
                if attach == LateAttach::Forgot {
                    engine.create_run(&blueprint).await.unwrap();
                    engine.start_run(machine).await.unwrap();
                }
            }
            let mut server = UnixStream::connect(socket).await.unwrap();
            server.write_all(head).await.unwrap();
            let _ = copy_bidirectional(&mut client, &mut server).await;
        });
    }
}

pub(super) async fn a_game_that_ends_while_a_console_is_attached_is_not_prepared(
    engine: &TestEngine,
    store: &Path,
) {
    for attach in [LateAttach::Prepares, LateAttach::Refuses] {
        let machine = attach_too_late(engine, store, attach).await;
        until_nothing_is_left(&engine.podman, machine.id()).await;
        assert!(matches!(machine.state().await, RunState::Exited(_)));
        machine.delete().await;
    }
    let machine = attach_too_late(engine, store, LateAttach::Forgot).await;
    assert_eq!(machine.state().await, RunState::Running);
    engine.games.kill(machine.id()).await.unwrap();
    machine.exit().await;
    machine.delete().await;
}

async fn attach_too_late<'e>(
    engine: &'e TestEngine,
    store: &Path,
    attach: LateAttach,
) -> TestMachine<'e> {
    let (machine, _console) = TestMachine::running(&engine.games).await;
    let proxy = store.join(format!("{}.sock", machine.id()));
    let proxying = tokio::spawn(kill_before_attach(
        store.join("podman.sock"),
        UnixListener::bind(&proxy).unwrap(),
        Arc::clone(&engine.podman),
        machine.blueprint.clone(),
        attach,
    ));
    let options = PodmanOptions {
        socket: Some(proxy),
        ..super::options(store)
    };
    let late = PodmanEngine::open(options).await.unwrap();
    let refused = late.attach_console(machine.id()).await.map(drop);
    assert_eq!(refused, Err(OFF));
    proxying.abort();
    machine
}

pub(super) async fn a_prepared_game_can_be_killed(engine: &TestEngine) {
    let machine = TestMachine::new(&engine.games);
    engine.games.create(&machine.blueprint).await.unwrap();
    // Nothing is prepared yet.
    engine.games.kill(machine.id()).await.unwrap();
    assert_eq!(machine.state().await, RunState::Created);
    let _console = machine.attach().await;
    assert_eq!(machine.state().await, RunState::Created);
    engine.games.kill(machine.id()).await.unwrap();
    until_nothing_is_left(&engine.podman, machine.id()).await;
    machine.delete().await;
}
