//! Requests while another action has not ended.

use std::time::Duration;

use innkeeper_hosting::testing::{EngineCall, Guest, Moment, PowerCall};
use uuid::Uuid;

use super::lab::{ActionResult, ActionStatus, Command, Lab};
use crate::support::eventually;

/// A guest that does not stop when it is asked to.
fn deaf() -> Guest {
    Guest {
        is_deaf: true,
        ..Guest::default()
    }
}

/// Asks for an action whose machine then is held in a call, kills the machine, and lets the call go on once
/// the worker knows about the kill.
async fn kill_during(lab: &Lab, machine: Uuid, command: Command, call: EngineCall, at: Moment) {
    let stall = lab.host.stall(call, at);
    let first = lab.accepted(machine, command).await;
    lab.process().begin_tick();
    stall.reached().await;
    let kill = lab.ask(machine, Command::Kill).await.unwrap();
    let second = lab.ask(machine, Command::Kill).await.unwrap();
    assert_eq!(second.action.id, kill.action.id, "a kill joins a kill");
    lab.process().begin_tick();
    eventually("the kill is carried out", async || {
        lab.action(&kill.action.id).await.status != ActionStatus::Queued
    })
    .await;
    stall.release();
    lab.settle(machine).await;
    let first = lab.action(&first).await;
    assert_eq!(first.status, ActionStatus::Cancelled, "{command} {call:?}");
    assert_eq!(first.superseded_by, Some(kill.action.id.clone()));
    let kill = lab.action(&kill.action.id).await;
    assert_eq!(kill.result, Some(ActionResult::Done));
    assert_eq!(
        (lab.state(machine).await, lab.host.is_running(machine)),
        ("stopped", false),
        "{command} {call:?} {at:?}"
    );
    // Nothing starts it later, and nothing had to be put right.
    lab.pass(301).await;
    assert!(!lab.host.is_running(machine), "{command} {call:?}");
    let history = lab.history(machine).await;
    assert!(history.iter().all(|action| action.actor != "system"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_was_cancelled_between_two_calls_makes_no_other_call() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    let stall = lab.host.stall(EngineCall::DiskUsage, Moment::After);
    lab.accepted(game, Command::Start).await;
    lab.process().begin_tick();
    stall.reached().await;
    let kill = lab.accepted(game, Command::Kill).await;
    lab.process().begin_tick();
    eventually("the kill is done", async || {
        !lab.action(&kill).await.status.is_active()
    })
    .await;
    stall.release();
    lab.settle(game).await;
    assert_eq!(lab.host.changes_of(game), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_pre_empts_a_start_at_every_call() {
    let lab = Lab::start().await;
    let machines = [lab.game("mc").await, lab.vps("web").await];
    for machine in machines {
        for call in [EngineCall::Create, EngineCall::Start] {
            for moment in [Moment::Before, Moment::After] {
                kill_during(&lab, machine, Command::Start, call, moment).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_pre_empts_a_stop_and_a_restart_at_every_call() {
    let lab = Lab::start().await;
    let (game, vps) = (lab.game("mc").await, lab.vps("web").await);
    let cases = [
        (game, Command::Stop, EngineCall::Signal),
        (game, Command::Restart, EngineCall::Signal),
        (game, Command::Restart, EngineCall::Create),
        (game, Command::Restart, EngineCall::Start),
        (vps, Command::Stop, EngineCall::PressPowerButton),
        (vps, Command::Reset, EngineCall::Reset),
    ];
    for (machine, command, call) in cases {
        for moment in [Moment::Before, Moment::After] {
            lab.done(machine, Command::Start).await;
            kill_during(&lab, machine, command, call, moment).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_ends_a_stop_that_waits_at_once() {
    let lab = Lab::start().await;
    lab.process().serve();
    for machine in [lab.game("mc").await, lab.vps("web").await] {
        lab.host.set_guest(machine, deaf());
        let start = lab.accepted(machine, Command::Start).await;
        lab.process().wait(&start).await;
        let stop = lab.accepted(machine, Command::Stop).await;
        eventually("the machine was asked to stop", async || {
            let changes = lab.host.changes_of(machine);
            changes.len() > 2
        })
        .await;
        let force = PowerCall {
            force: true,
            ..PowerCall::new(machine, Command::Stop)
        };
        let kill = lab.process().power(force).await.unwrap().action;
        assert_eq!(kill.command, Command::Kill);
        let killed = lab.process().wait(&kill.id).await;
        assert_eq!(killed.action.result, Some(ActionResult::Done));
        assert!(!lab.host.is_running(machine));
        assert_eq!(lab.action(&stop).await.superseded_by, Some(kill.id));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_cancels_a_start() {
    let lab = Lab::start().await;
    let silent = Guest {
        banner: Vec::new(),
        ..Guest::default()
    };
    let game = lab.game("mc").await;
    lab.host.set_guest(game, silent);
    let start = lab.accepted(game, Command::Start).await;
    lab.tick().await;
    assert_eq!(
        lab.refused(game, Command::Restart).await,
        "action_in_progress"
    );
    let stop = lab.ask(game, Command::Stop).await.unwrap();
    assert_eq!(stop.state.word(), "stopping");
    let refusal = lab.ask(game, Command::Start).await.unwrap_err();
    assert_eq!(refusal.code, "action_in_progress");
    assert_eq!(refusal.action_id.as_ref(), Some(&stop.action.id));
    lab.settle(game).await;
    assert_eq!(
        (lab.state(game).await, lab.host.is_running(game)),
        ("stopped", false)
    );
    assert_eq!(lab.action(&start).await.status, ActionStatus::Cancelled);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_was_not_begun_is_cancelled_without_a_trace() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    lab.accepted(game, Command::Start).await;
    lab.done(game, Command::Stop).await;
    assert_eq!(lab.state(game).await, "stopped");
    assert_eq!(lab.host.changes_of(game), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_during_a_restart_changes_its_goal_and_gives_no_more_time() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    lab.host.set_guest(game, deaf());
    lab.done(game, Command::Start).await;
    let restart = lab.accepted(game, Command::Restart).await;
    let joined = lab.accepted(game, Command::Restart).await;
    assert_eq!(restart, joined);
    lab.tick().await;
    lab.pass(20).await;
    assert_eq!(lab.state(game).await, "restarting");
    assert_eq!(
        lab.refused(game, Command::Start).await,
        "action_in_progress"
    );
    let stop = lab.accepted(game, Command::Stop).await;
    lab.tick().await;
    assert_eq!(
        (lab.state(game).await, lab.host.is_running(game)),
        ("stopping", true)
    );
    lab.pass(10).await;
    assert_eq!(
        (lab.state(game).await, lab.host.is_running(game)),
        ("stopped", false)
    );
    assert_eq!(lab.action(&stop).await.result, Some(ActionResult::Forced));
    assert_eq!(lab.action(&restart).await.superseded_by, Some(stop));
    let signals = lab.host.changes_of(game);
    let signals = signals.iter().filter(|call| **call == EngineCall::Signal);
    assert_eq!(signals.count(), 1, "the server was asked twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn actions_of_other_machines_do_not_wait_for_one_that_hangs() {
    let lab = Lab::start_with(|config| {
        config.machines.engine_timeout = jiff::SignedDuration::from_secs(600);
    })
    .await;
    lab.process().serve();
    let (slow, quick) = (lab.vps("slow").await, lab.game("quick").await);
    // Only virtual private servers are reset.
    let start = lab.accepted(slow, Command::Start).await;
    lab.process().wait(&start).await;
    let stall = lab.host.stall(EngineCall::Reset, Moment::Before);
    let reset = lab.accepted(slow, Command::Reset).await;
    stall.reached().await;
    let start = lab.accepted(quick, Command::Start).await;
    let waited = tokio::time::timeout(Duration::from_mins(3), lab.process().wait(&start));
    assert_eq!(waited.await.unwrap().state.word(), "running");
    stall.release();
    lab.process().wait(&reset).await;
}
