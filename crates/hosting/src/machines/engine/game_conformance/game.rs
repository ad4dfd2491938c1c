//! Checks of power and data.

use super::TestMachine;
use crate::machines::engine::{EngineError, GameEngine, RunState};
use crate::model::{Exit, ObservedState};

const STOPPED: EngineError = EngineError::WrongState(ObservedState::Stopped);
const RUNNING: EngineError = EngineError::WrongState(ObservedState::Running);

pub(super) async fn a_machine_that_was_never_created_is_absent(engine: &dyn GameEngine) {
    let machine = TestMachine::new(engine);
    let id = machine.id();
    assert_eq!(machine.state().await, RunState::Absent);
    let all = engine.observe_all().await.unwrap();
    assert!(all.iter().all(|observation| observation.machine != id));
    assert_eq!(engine.start(id).await, Err(EngineError::NotFound));
    assert_eq!(engine.signal(id, "SIGTERM").await, Err(STOPPED));
    assert!(matches!(
        engine.attach(id).await,
        Err(EngineError::NotFound)
    ));
    assert!(matches!(
        engine.log(id, 0).await,
        Err(EngineError::NotFound)
    ));
    assert_eq!(engine.disk_usage(id).await, Ok(0));
    assert_eq!(engine.kill(id).await, Ok(()));
    assert_eq!(engine.delete(id).await, Ok(()));
}

pub(super) async fn a_run_is_created_and_then_started(engine: &dyn GameEngine) {
    let machine = TestMachine::new(engine);
    engine.create(&machine.blueprint).await.unwrap();
    let created = engine.observe(machine.id()).await.unwrap();
    assert_eq!(
        (created.state, created.started_at),
        (RunState::Created, None)
    );
    assert!(created.run.is_some());

    engine.start(machine.id()).await.unwrap();
    let running = engine.observe(machine.id()).await.unwrap();
    assert_eq!(
        (running.state, &running.run),
        (RunState::Running, &created.run)
    );
    assert!(running.started_at.is_some());
    let all = engine.observe_all().await.unwrap();
    let listed = all
        .into_iter()
        .find(|observation| observation.machine == machine.id());
    assert_eq!(listed, Some(running));
    machine.delete().await;
}

pub(super) async fn calls_can_be_repeated(engine: &dyn GameEngine) {
    let machine = TestMachine::new(engine);
    engine.create(&machine.blueprint).await.unwrap();
    engine.create(&machine.blueprint).await.unwrap();
    engine.start(machine.id()).await.unwrap();
    let first = engine.observe(machine.id()).await.unwrap();
    engine.start(machine.id()).await.unwrap();
    assert_eq!(engine.observe(machine.id()).await.unwrap(), first);
    assert_eq!(engine.create(&machine.blueprint).await, Err(RUNNING));
    assert_eq!(engine.delete(machine.id()).await, Err(RUNNING));
    assert_eq!(engine.observe(machine.id()).await.unwrap(), first);

    engine.kill(machine.id()).await.unwrap();
    engine.kill(machine.id()).await.unwrap();
    engine.delete(machine.id()).await.unwrap();
    engine.delete(machine.id()).await.unwrap();
}

pub(super) async fn each_create_makes_a_fresh_run(engine: &dyn GameEngine) {
    let machine = TestMachine::new(engine);
    let mut runs = Vec::new();
    for _ in 0..2 {
        let mut console = machine.start().await;
        runs.push(engine.observe(machine.id()).await.unwrap().run);
        console.ask("stop", "Stopped").await;
        machine.exit().await;
    }
    engine.create(&machine.blueprint).await.unwrap();
    runs.push(engine.observe(machine.id()).await.unwrap().run);
    assert_eq!(machine.log(0).await, (0, Vec::new()));
    assert!(runs.iter().all(Option::is_some));
    assert!(runs[0] != runs[1] && runs[1] != runs[2], "{runs:?}");
    machine.delete().await;
}

pub(super) async fn data_survives_until_the_machine_is_deleted(engine: &dyn GameEngine) {
    let machine = TestMachine::new(engine);
    for number in 1..=2 {
        let console = machine.start().await;
        let shown = String::from_utf8(console.shown()).unwrap();
        assert!(
            shown.contains(&format!("start number {number}\r\n")),
            "{shown}"
        );
        engine.kill(machine.id()).await.unwrap();
    }
    assert!(engine.disk_usage(machine.id()).await.unwrap() > 0);
    engine.delete(machine.id()).await.unwrap();
    let console = machine.start().await;
    let shown = String::from_utf8(console.shown()).unwrap();
    assert!(shown.contains("start number 1\r\n"), "{shown}");
    machine.delete().await;
}

pub(super) async fn exit_codes_and_signals_are_reported(engine: &dyn GameEngine) {
    let machine = TestMachine::new(engine);
    for (line, code) in [("stop", 0), ("crash", 1), ("crash 77", 77)] {
        let mut console = machine.start().await;
        console.type_line(line).await;
        let expected = Exit {
            code: Some(code),
            ..Exit::default()
        };
        assert_eq!(machine.exit().await, expected, "after {line}");
    }
    let _console = machine.start().await;
    engine.kill(machine.id()).await.unwrap();
    assert!(
        matches!(machine.state().await, RunState::Exited(_)),
        "kill does not wait"
    );
    let killed = Exit {
        code: Some(137),
        signal: Some(9),
        ..Exit::default()
    };
    assert_eq!(machine.exit().await, killed);
    let all = engine.observe_all().await.unwrap();
    let listed = all
        .into_iter()
        .find(|observation| observation.machine == machine.id());
    assert_eq!(
        listed.map(|observation| observation.state),
        Some(RunState::Exited(killed))
    );
    machine.delete().await;
}

pub(super) async fn sigterm_reaches_the_game(engine: &dyn GameEngine) {
    let (machine, mut console) = TestMachine::running(engine).await;
    let refused = engine.signal(machine.id(), "TERM; true").await;
    assert!(
        matches!(refused, Err(EngineError::Refused(_))),
        "{refused:?}"
    );
    engine.signal(machine.id(), "SIGTERM").await.unwrap();
    console.wait_for("Stopped").await;
    assert_eq!(machine.exit().await.code, Some(0));
    assert_eq!(engine.signal(machine.id(), "SIGTERM").await, Err(STOPPED));
    machine.delete().await;
}

pub(super) async fn a_deaf_game_can_be_killed(engine: &dyn GameEngine) {
    let (machine, mut console) = TestMachine::running(engine).await;
    console.ask("hang", "Ignoring everything").await;
    console.type_line("stop").await;
    engine.signal(machine.id(), "SIGTERM").await.unwrap();
    assert_eq!(machine.state().await, RunState::Running);
    engine.kill(machine.id()).await.unwrap();
    assert_eq!(machine.exit().await.signal, Some(9));
    machine.delete().await;
}

pub(super) async fn a_run_is_started_once(engine: &dyn GameEngine) {
    let (machine, mut console) = TestMachine::running(engine).await;
    console.type_line("crash 5").await;
    let exit = machine.exit().await;
    assert_eq!(engine.start(machine.id()).await, Err(STOPPED));
    assert!(engine.attach(machine.id()).await.is_err());
    assert_eq!(
        machine.exit().await,
        exit,
        "to attach has erased the exit code"
    );
    assert_eq!(exit.code, Some(5));
    machine.delete().await;
}

pub(super) async fn a_prepared_run_can_be_killed(engine: &dyn GameEngine) {
    let machine = TestMachine::new(engine);
    engine.create(&machine.blueprint).await.unwrap();
    engine.kill(machine.id()).await.unwrap();
    assert_eq!(
        machine.state().await,
        RunState::Created,
        "nothing is prepared"
    );
    let console = machine.attach().await;
    assert_eq!(machine.state().await, RunState::Created);
    engine.kill(machine.id()).await.unwrap();
    console.wait_for_end().await;
    machine.exit().await;
    assert_eq!(engine.start(machine.id()).await, Err(STOPPED));
    machine.delete().await;
}

pub(super) async fn a_missing_image_is_refused(engine: &dyn GameEngine) {
    let mut machine = TestMachine::new(engine);
    "localhost/innkeeper/missing:latest".clone_into(&mut machine.blueprint.profile.image);
    let refused = engine.create(&machine.blueprint).await;
    assert!(
        matches!(refused, Err(EngineError::Refused(_))),
        "{refused:?}"
    );
    machine.delete().await;
}

pub(super) async fn usage_is_of_a_running_machine(engine: &dyn GameEngine) {
    let (machine, mut console) = TestMachine::running(engine).await;
    let first = engine.usage(machine.id()).await.unwrap();
    assert!(
        first.memory_bytes > 0 && first.memory_bytes < 64 * 1024 * 1024,
        "{first:?}"
    );
    console.ask("count 1000", "\n1000\r").await;
    let second = engine.usage(machine.id()).await.unwrap();
    assert!(
        second.cpu_percent >= 0.0 && second.cpu_percent.is_finite(),
        "{second:?}"
    );
    engine.kill(machine.id()).await.unwrap();
    assert_eq!(engine.usage(machine.id()).await, Err(STOPPED));
    machine.delete().await;
}
