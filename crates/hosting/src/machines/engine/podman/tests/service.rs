//! The service: games outlive it and us.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use innkeeper_service::testing::eventually;
use rustix::process::{Pid, Signal, kill_process};

use super::{TestEngine, open};
use crate::machines::engine::game_conformance::TestMachine;
use crate::machines::engine::podman::erase::is_used;
use crate::machines::engine::podman::{DeferredPodman, PodmanEngine, PodmanOptions, end};
use crate::machines::engine::{EngineError, GameEngine, RunState};

fn service_pid(store: &Path) -> i32 {
    let record = fs::read(store.join("service.json")).unwrap();
    let record: serde_json::Value = serde_json::from_slice(&record).unwrap();
    record["pid"].as_i64().unwrap().try_into().unwrap()
}

fn kill_service(store: &Path) -> i32 {
    let pid = service_pid(store);
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    pid
}

/// Waits until another service answers.
async fn wait_for_service(engine: &TestEngine, store: &Path, former: i32) {
    eventually("another service answers", async || {
        service_pid(store) != former && engine.podman.socket.ping().await.is_ok()
    })
    .await;
}

pub(super) async fn a_game_outlives_the_service(store: &Path) {
    let engine = open(store).await;
    let (machine, mut console) = TestMachine::running(&engine.games).await;
    let run = engine.games.observe(machine.id()).await.unwrap();
    let former = kill_service(store);
    let before = console.wait_for_end().await;
    wait_for_service(&engine, store, former).await;
    assert_eq!(engine.games.observe(machine.id()).await.unwrap(), run);
    console = machine.attach().await;
    assert_eq!(console.position, before.len() as u64);
    console.ask("say still here", "[Server] still here").await;
    assert_eq!(machine.state().await, RunState::Running);
    machine.delete().await;
    engine.games.close().await;
    // The process has ended; whoever started it reaps it a moment later.
    let process = format!("/proc/{}", service_pid(store));
    let has_ended = async || !Path::new(&process).exists();
    eventually("the service has ended", has_ended).await;
}

pub(super) async fn a_restart_finds_the_service_and_the_game(store: &Path) {
    let engine = open(store).await;
    let (machine, console) = TestMachine::running(&engine.games).await;
    let run = engine.games.observe(machine.id()).await.unwrap();
    let blueprint = machine.blueprint.clone();
    drop((machine, console));
    let former = service_pid(store);
    drop(engine);

    let engine = open(store).await;
    assert_eq!(service_pid(store), former, "a second service was started");
    assert_eq!(engine.games.observe(blueprint.machine).await.unwrap(), run);
    drop(engine);

    // And without the service, which may have ended while nobody looked.
    kill_service(store);
    let engine = open(store).await;
    assert_ne!(service_pid(store), former);
    assert_eq!(engine.games.observe(blueprint.machine).await.unwrap(), run);
    let machine = TestMachine {
        engine: &engine.games,
        blueprint,
    };
    let mut console = machine.attach().await;
    console.ask("stop", "Stopped").await;
    machine.exit().await;
    machine.delete().await;
}

pub(super) async fn nothing_uses_a_store_that_has_ended(store: &Path) {
    let engine = open(store).await;
    let (machine, console) = TestMachine::running(&engine.games).await;
    let blueprint = machine.blueprint.clone();
    drop((machine, console));
    drop(engine);
    let slow = ["-c", "sleep 3; true", "tidies-up"];
    let mut slow = Command::new("sh").args(slow).arg(store).spawn().unwrap();
    let neighbour = format!("{}2/root", store.display());
    let neighbour = ["-c", "read line", "tidies-up", &neighbour];
    let mut neighbour = Command::new("sh")
        .args(neighbour)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    end(store).await.unwrap();
    assert!(!is_used(store), "Podman still tidies up");
    neighbour.kill().unwrap();
    neighbour.wait().unwrap();
    slow.wait().unwrap();
    let engine = open(store).await;
    let machine = TestMachine {
        engine: &engine.games,
        blueprint,
    };
    assert_eq!(machine.exit().await.signal, Some(9));
}

/// The service of the first engine is an existing one for the second, which reads logs through the API.
pub(super) async fn an_engine_is_used_by_its_socket(store: &Path) {
    let owner = open(store).await;
    let options = PodmanOptions {
        socket: Some(store.join("podman.sock")),
        ..super::options(store)
    };
    let mut podman = PodmanEngine::open(options.clone()).await.unwrap();
    assert!(podman.reads_files && podman.maps_users == owner.podman.maps_users);
    podman.reads_files = false;
    let engine = TestEngine::new(podman, options.clone());
    let (machine, mut console) = TestMachine::running(&engine.games).await;
    console.ask("count 3000", "\n3000\r\n").await;
    let mut again = machine.attach().await;
    again.wait_for("\n3000\r\n").await;
    console.ask("stop", "Stopped").await;
    let shown = console.wait_for_end().await;
    machine.exit().await;
    assert!(
        machine.log(0).await == (0, shown.clone()),
        "the log differs from the output"
    );
    assert_eq!(machine.log(100).await, (0, shown[100..].to_vec()));
    machine.delete().await;

    let missing = PodmanOptions {
        socket: Some(store.join("missing.sock")),
        ..options
    };
    let away = DeferredPodman::with_options(missing);
    assert_eq!(away.problems().await.len(), 1);
    let error = away.observe_all().await.unwrap_err();
    assert!(
        matches!(&error, EngineError::Unreachable(text) if text.contains("missing.sock")),
        "{error}"
    );
}
