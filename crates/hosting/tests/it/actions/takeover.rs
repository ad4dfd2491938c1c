//! The process is killed in the middle of an action: the next one finishes it.

use innkeeper_hosting::testing::{EngineCall, Guest, Moment, PowerCall};
use jiff::SignedDuration;
use uuid::Uuid;

use super::lab::{ActionStatus, ActionStep, Command, Lab};
use crate::support::eventually;

/// A kind of machine, an action on it, and the call in which it is held.
struct Case {
    is_vps: bool,
    is_deaf: bool,
    command: Command,
    call: EngineCall,
    /// Whether the machine is on in the end.
    ends_on: bool,
}

const fn game(command: Command, call: EngineCall, ends_on: bool) -> Case {
    Case {
        is_vps: false,
        is_deaf: false,
        command,
        call,
        ends_on,
    }
}

const fn vps(command: Command, call: EngineCall, ends_on: bool) -> Case {
    Case {
        is_vps: true,
        ..game(command, call, ends_on)
    }
}

const fn deaf_game(command: Command, call: EngineCall, ends_on: bool) -> Case {
    Case {
        is_deaf: true,
        ..game(command, call, ends_on)
    }
}

/// Every step of every action, for both kinds.
const CASES: &[Case] = &[
    game(Command::Start, EngineCall::Create, true),
    game(Command::Start, EngineCall::Attach, true),
    game(Command::Start, EngineCall::Start, true),
    game(Command::Stop, EngineCall::Signal, false),
    deaf_game(Command::Stop, EngineCall::TurnOff, false),
    game(Command::Restart, EngineCall::Signal, true),
    deaf_game(Command::Restart, EngineCall::TurnOff, true),
    game(Command::Restart, EngineCall::Create, true),
    game(Command::Restart, EngineCall::Start, true),
    game(Command::Kill, EngineCall::TurnOff, false),
    game(Command::Suspend, EngineCall::Signal, false),
    game(Command::Remove, EngineCall::Signal, false),
    game(Command::Remove, EngineCall::Delete, false),
    vps(Command::Start, EngineCall::Create, true),
    vps(Command::Start, EngineCall::Start, true),
    vps(Command::Stop, EngineCall::PressPowerButton, false),
    Case {
        is_vps: true,
        ..deaf_game(Command::Stop, EngineCall::TurnOff, false)
    },
    vps(Command::Reset, EngineCall::Reset, true),
    vps(Command::Kill, EngineCall::TurnOff, false),
    vps(Command::Remove, EngineCall::Delete, false),
];

async fn prepare(lab: &Lab, case: &Case, id: &str) -> Uuid {
    let machine = if case.is_vps {
        lab.vps(id).await
    } else {
        lab.game(id).await
    };
    let guest = Guest {
        is_deaf: case.is_deaf,
        ..Guest::default()
    };
    lab.host.set_guest(machine, guest);
    if case.command != Command::Start {
        lab.done(machine, Command::Start).await;
    }
    machine
}

/// Asks for the action of a case, without time to stop.
async fn begin(lab: &Lab, case: &Case, machine: Uuid) -> String {
    let call = PowerCall {
        stop_seconds: case.is_deaf.then_some(0),
        ..PowerCall::new(machine, case.command)
    };
    lab.process().power(call).await.unwrap().action.id
}

async fn check(lab: &Lab, case: &Case, machine: Uuid, action: &str, name: &str) {
    assert_eq!(lab.host.is_running(machine), case.ends_on, "{name}");
    if case.command == Command::Remove {
        assert!(!lab.exists(machine).await, "{name}");
        assert!(!lab.host.has_data(machine), "{name}");
        return;
    }
    let action = lab.action(action).await;
    assert_eq!(action.status, ActionStatus::Success, "{name}: {action:?}");
    let expected = match (case.command, case.ends_on) {
        (Command::Suspend, _) => "suspended",
        (_, true) => "running",
        (_, false) => "stopped",
    };
    assert_eq!(lab.state(machine).await, expected, "{name}");
    let machine = lab.machine(machine).await;
    assert_eq!(machine.crashes, [], "{name}");
}

async fn kill_at_each_step(moment: Moment) {
    let mut lab = Lab::start().await;
    // This one is on all the time, and nothing happens to it.
    let bystander = lab.game("bystander").await;
    lab.done(bystander, Command::Start).await;
    let untouched = lab.host.changes_of(bystander);
    for (number, case) in CASES.iter().enumerate() {
        let name = format!("{number}: {} {:?} {moment:?}", case.command, case.call);
        let machine = prepare(&lab, case, &format!("m{number}")).await;
        let starts = count(&lab, machine, EngineCall::Start);
        let stall = lab.host.stall(case.call, moment);
        let action = begin(&lab, case, machine).await;
        lab.process().begin_tick();
        stall.reached().await;
        lab.kill_and_restart().await;
        stall.release();
        lab.settle(machine).await;
        check(&lab, case, machine, &action, &name).await;
        if case.ends_on && case.command != Command::Reset {
            let started = count(&lab, machine, EngineCall::Start) - starts;
            assert_eq!(started, 1, "{name}: started again although it was on");
        }
    }
    assert_eq!(lab.host.changes_of(bystander), untouched);
    assert_eq!(lab.state(bystander).await, "running");
}

fn count(lab: &Lab, machine: Uuid, call: EngineCall) -> usize {
    let changes = lab.host.changes_of(machine);
    changes.into_iter().filter(|change| *change == call).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_before_the_effect_of_each_call_loses_nothing() {
    kill_at_each_step(Moment::Before).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_after_the_effect_of_each_call_loses_and_repeats_nothing() {
    kill_at_each_step(Moment::After).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_while_a_machine_is_waited_for_does_not_give_it_more_time() {
    let mut lab = Lab::start().await;
    let game = lab.game("mc").await;
    let guest = Guest {
        is_deaf: true,
        banner: Vec::new(),
        ..Guest::default()
    };
    lab.host.set_guest(game, guest);
    let start = lab.accepted(game, Command::Start).await;
    lab.tick().await;
    lab.clock.advance(SignedDuration::from_secs(30));
    lab.kill_and_restart().await;
    lab.tick().await;
    assert_eq!(lab.active(game).await.unwrap().step, ActionStep::AwaitReady);
    lab.pass(29).await;
    assert_eq!(lab.state(game).await, "starting");
    lab.pass(1).await;
    assert_eq!(lab.state(game).await, "running");
    assert_eq!(lab.action(&start).await.status, ActionStatus::Success);

    lab.accepted(game, Command::Stop).await;
    lab.tick().await;
    lab.clock.advance(SignedDuration::from_secs(20));
    lab.kill_and_restart().await;
    lab.tick().await;
    assert_eq!(lab.active(game).await.unwrap().step, ActionStep::AwaitStop);
    lab.pass(10).await;
    assert_eq!(
        (lab.state(game).await, lab.host.is_running(game)),
        ("stopped", false)
    );
    assert_eq!(count(&lab, game, EngineCall::Signal), 1, "asked twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_became_ready_while_nobody_looked_is_running() {
    let mut lab = Lab::start().await;
    let game = lab.game("mc").await;
    let silent = Guest {
        banner: Vec::new(),
        ..Guest::default()
    };
    lab.host.set_guest(game, silent);
    lab.accepted(game, Command::Start).await;
    lab.tick().await;
    lab.kill_and_restart().await;
    lab.host.print(game, "Ready");
    lab.settle(game).await;
    assert_eq!(lab.state(game).await, "running");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_accepted_before_a_kill_is_done_after_it() {
    let mut lab = Lab::start().await;
    let (game, vps) = (lab.game("mc").await, lab.vps("web").await);
    let actions = [
        lab.accepted(game, Command::Start).await,
        lab.accepted(vps, Command::Start).await,
    ];
    lab.kill_and_restart().await;
    lab.settle(game).await;
    lab.settle(vps).await;
    for action in actions {
        assert_eq!(lab.action(&action).await.status, ActionStatus::Success);
    }
    assert!(lab.host.is_running(game) && lab.host.is_running(vps));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_set_neither_lengthens_a_lease_nor_takes_it_away_at_once() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    let stall = lab.host.stall(EngineCall::Create, Moment::Before);
    let start = lab.accepted(game, Command::Start).await;
    lab.process().begin_tick();
    stall.reached().await;
    let holder = async || -> uuid::Uuid {
        let query = "select holder from hosting.actions where status = 'running'";
        lab.sql.query_one(query, &[]).await.unwrap().get(0)
    };
    let first = holder().await;
    let second = lab.second_process(|_| {}).await;
    // The clocks of two hosts differ a little.
    for seconds in [-20, 40] {
        lab.clock.advance(SignedDuration::from_secs(seconds));
        second.tick().await;
        assert_eq!(holder().await, first, "{seconds}");
    }
    // The lease would last for more than an hour.
    let held = lab.host.stall(EngineCall::Start, Moment::Before);
    lab.clock.advance(SignedDuration::from_hours(-1));
    second.begin_tick();
    eventually("the second worker has the action", async || {
        holder().await != first
    })
    .await;
    stall.release();
    held.reached().await;
    held.release();
    for _ in 0..3 {
        second.tick().await;
        lab.tick().await;
    }
    assert_eq!(lab.action(&start).await.status, ActionStatus::Success);
    assert_eq!(count(&lab, game, EngineCall::Start), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_worker_takes_over_when_a_lease_ends_and_the_first_one_stops() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    let stall = lab.host.stall(EngineCall::Create, Moment::Before);
    let start = lab.accepted(game, Command::Start).await;
    lab.process().begin_tick();
    stall.reached().await;
    let second = lab.second_process(|_| {}).await;
    second.tick().await;
    lab.clock.advance(SignedDuration::from_secs(29));
    second.tick().await;
    assert_eq!(lab.active(game).await.unwrap().step, ActionStep::Create);
    // The second one would be held in the same call.
    let held = lab.host.stall(EngineCall::Start, Moment::Before);
    lab.clock.advance(SignedDuration::from_secs(2));
    second.begin_tick();
    eventually("the second worker has the action", async || {
        let query = "select count(distinct holder) from hosting.actions where lease_until > $1";
        let now = lab.clock.now();
        let count: i64 = lab.sql.query_one(query, &[&now]).await.unwrap().get(0);
        count == 1
    })
    .await;
    stall.release();
    held.reached().await;
    held.release();
    for _ in 0..3 {
        second.tick().await;
        lab.tick().await;
    }
    assert_eq!(lab.action(&start).await.status, ActionStatus::Success);
    assert_eq!(lab.state(game).await, "running");
    assert_eq!(count(&lab, game, EngineCall::Start), 1);
}
