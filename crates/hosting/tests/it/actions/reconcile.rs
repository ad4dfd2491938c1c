//! Machines that end, start or vanish although nobody asked for it.

use innkeeper_hosting::model::{Exit, StopMethod};
use innkeeper_hosting::testing::{EngineCall, EngineError, Guest, Moment};
use uuid::Uuid;

use super::lab::{ActionStatus, Command, Lab, StopReason};

const CRASH: Exit = Exit {
    code: Some(1),
    signal: None,
    out_of_memory: false,
    by_guest: false,
};

/// Lets time pass in steps of the reconcile loop until the machine is on, and returns how many seconds it
/// took.
async fn seconds_until_on(lab: &Lab, machine: Uuid) -> i64 {
    for round in 0..=200 {
        if lab.host.is_running(machine) {
            lab.settle(machine).await;
            return round * 5;
        }
        lab.pass(5).await;
    }
    panic!("it stays off");
}

#[tokio::test(flavor = "multi_thread")]
async fn crashes_are_answered_with_restarts_that_come_later_and_later() {
    let lab = Lab::start().await;
    for machine in [lab.game("mc").await, lab.vps("web").await] {
        lab.done(machine, Command::Start).await;
        let mut pauses = Vec::new();
        for _ in 0..5 {
            lab.host.exit(machine, CRASH);
            lab.pass(5).await;
            assert_eq!(lab.state(machine).await, "crashed");
            assert_eq!(lab.machine(machine).await.exit_code, Some(1));
            pauses.push(seconds_until_on(&lab, machine).await);
        }
        assert_eq!(pauses, [5, 15, 60, 300, 300]);
        lab.host.exit(machine, CRASH);
        for _ in 0..10 {
            lab.pass(100).await;
        }
        assert_eq!(
            (lab.state(machine).await, lab.host.is_running(machine)),
            ("crashed", false)
        );
        let history = lab.history(machine).await;
        let restarts = history.iter().filter(|action| action.actor == "system");
        assert_eq!(restarts.count(), 5);
        // Somebody who starts it begins anew.
        lab.done(machine, Command::Start).await;
        lab.host.exit(machine, CRASH);
        lab.pass(5).await;
        let pause = seconds_until_on(&lab, machine).await;
        assert_eq!(pause, 5);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn crashes_that_are_half_an_hour_apart_are_always_answered() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    lab.done(game, Command::Start).await;
    for _ in 0..8 {
        lab.host.exit(game, CRASH);
        lab.pass(5).await;
        let pause = seconds_until_on(&lab, game).await;
        assert_eq!(pause, 5);
        lab.pass(1_801).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_ends_the_restarts_of_a_crashed_machine() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    lab.done(game, Command::Start).await;
    lab.host.exit(game, CRASH);
    lab.pass(5).await;
    assert_eq!(lab.state(game).await, "crashed");
    assert!(lab.ask(game, Command::Stop).await.unwrap().was_noop);
    lab.pass(600).await;
    assert_eq!(
        (lab.state(game).await, lab.host.is_running(game)),
        ("stopped", false)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_that_used_too_much_memory_says_so() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    lab.done(game, Command::Start).await;
    let exit = Exit {
        code: Some(137),
        signal: Some(9),
        out_of_memory: true,
        by_guest: false,
    };
    lab.host.exit(game, exit);
    lab.pass(5).await;
    let machine = lab.machine(game).await;
    assert_eq!(machine.stop_reason, Some(StopReason::OutOfMemory));
    assert_eq!(lab.state(game).await, "crashed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_that_powers_off_and_a_typed_stop_command_are_respected() {
    let lab = Lab::start().await;
    let stop = StopMethod::Command("stop".to_owned());
    let game = lab.game_with("mc", stop, None).await;
    let vps = lab.vps("web").await;
    lab.done(game, Command::Start).await;
    lab.done(vps, Command::Start).await;
    lab.type_line(game, "stop").await;
    let exit = Exit {
        by_guest: true,
        ..Exit::default()
    };
    lab.host.exit(vps, exit);
    lab.pass(5).await;
    for (machine, reason) in [(game, StopReason::Requested), (vps, StopReason::Guest)] {
        assert_eq!(lab.state(machine).await, "stopped");
        assert_eq!(lab.machine(machine).await.stop_reason, Some(reason));
    }
    lab.pass(600).await;
    assert!(!lab.host.is_running(game) && !lab.host.is_running(vps));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_was_deleted_behind_our_back_is_a_crash() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    lab.done(game, Command::Start).await;
    lab.host.lose_run(game);
    lab.pass(5).await;
    assert_eq!(lab.state(game).await, "crashed");
    seconds_until_on(&lab, game).await;
    assert_eq!(lab.state(game).await, "running");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_that_was_started_behind_our_back_is_stopped_again() {
    let lab = Lab::start().await;
    for machine in [lab.game("mc").await, lab.vps("web").await] {
        lab.done(machine, Command::Start).await;
        lab.done(machine, Command::Stop).await;
        lab.host.start_behind(machine);
        lab.pass(5).await;
        lab.settle(machine).await;
        assert_eq!(
            (lab.state(machine).await, lab.host.is_running(machine)),
            ("stopped", false)
        );
        let last = lab.history(machine).await.pop().unwrap();
        assert_eq!(
            (last.actor.as_str(), last.command),
            ("system", Command::Stop)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_prepared_for_a_start_that_failed_is_ended() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    let refused = EngineError::Refused("the port is in use".to_owned());
    lab.host.fail(EngineCall::Start, refused, 1);
    lab.done(game, Command::Start).await;
    let before = lab.host.changes_of(game);
    lab.pass(5).await;
    lab.pass(5).await;
    let after = lab.host.changes_of(game);
    assert_eq!(after[before.len()..], [EngineCall::TurnOff]);
    lab.done(game, Command::Start).await;
    assert_eq!(lab.state(game).await, "running");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_engine_reported_before_an_action_is_not_held_against_the_machine() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    lab.done(game, Command::Start).await;
    lab.host.exit(game, CRASH);
    let stall = lab.host.stall(EngineCall::ObserveAll, Moment::After);
    lab.clock.advance(jiff::SignedDuration::from_secs(5));
    lab.process().begin_tick();
    stall.reached().await;
    // Meanwhile the server is started again by somebody.
    let second = lab.second_process(|_| {}).await;
    second.serve();
    let restart = lab.accepted(game, Command::Restart).await;
    second.wait(&restart).await;
    stall.release();
    lab.tick().await;
    lab.pass(5).await;
    assert_eq!(
        (lab.state(game).await, lab.host.is_running(game)),
        ("running", true)
    );
    assert_eq!(lab.machine(game).await.crashes, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restart_of_the_host_machines_start_again_four_at_once() {
    let mut lab = Lab::start().await;
    let mut on = Vec::new();
    for number in 0..4 {
        on.push(lab.game(&format!("g{number}")).await);
        on.push(lab.vps(&format!("v{number}")).await);
    }
    let off = lab.game("off").await;
    for machine in on.iter().chain([&off]) {
        lab.done(*machine, Command::Start).await;
    }
    lab.done(off, Command::Stop).await;
    lab.host.reboot();
    lab.kill_and_restart().await;

    // Starts take time.
    let stall = lab.host.stall(EngineCall::Create, Moment::Before);
    lab.process().begin_tick();
    stall.reached().await;
    let count = "select count(*) from hosting.actions where status in ('queued', 'running')";
    let active: i64 = lab.sql.query_one(count, &[]).await.unwrap().get(0);
    assert_eq!(active, 4);
    stall.release();
    for _ in 0..10 {
        lab.pass(5).await;
    }
    for machine in on {
        lab.settle(machine).await;
        assert_eq!(
            (lab.state(machine).await, lab.host.is_running(machine)),
            ("running", true)
        );
        assert_eq!(lab.machine(machine).await.crashes, []);
        let last = lab.history(machine).await.pop().unwrap();
        assert_eq!(last.reason, Some(StopReason::HostLost));
        assert_eq!(last.status, ActionStatus::Success);
    }
    assert_eq!(
        (lab.state(off).await, lab.host.is_running(off)),
        ("stopped", false)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_a_restart_of_the_host_interrupted_is_continued() {
    let mut lab = Lab::start().await;
    let game = lab.game("mc").await;
    let silent = Guest {
        banner: Vec::new(),
        ..Guest::default()
    };
    lab.host.set_guest(game, silent);
    let start = lab.accepted(game, Command::Start).await;
    lab.tick().await;
    lab.host.reboot();
    lab.host.set_guest(game, Guest::default());
    lab.kill_and_restart().await;
    lab.settle(game).await;
    assert_eq!(
        (lab.state(game).await, lab.host.is_running(game)),
        ("running", true)
    );
    assert_eq!(lab.action(&start).await.status, ActionStatus::Success);
    assert_eq!(lab.machine(game).await.crashes, []);
}
