//! Starting, stopping, restarting, resetting and killing machines.

use innkeeper_hosting::model::{Exit, StopMethod};
use innkeeper_hosting::testing::{EngineCall, EngineError, Guest, PowerCall};

use super::lab::{ActionResult, ActionStatus, Command, Lab, StopReason};

#[tokio::test(flavor = "multi_thread")]
async fn a_game_server_goes_through_its_whole_power_cycle() {
    let lab = Lab::start().await;
    let stop = StopMethod::Command("stop".to_owned());
    let game = lab.game_with("mc", stop, Some("Ready")).await;
    assert_eq!(lab.state(game).await, "stopped");

    let asked = lab.ask(game, Command::Start).await.unwrap();
    assert_eq!((asked.state.word(), asked.was_noop), ("starting", false));
    assert_eq!(asked.action.status, ActionStatus::Queued);
    lab.settle(game).await;
    assert_eq!(
        lab.action(&asked.action.id).await.result,
        Some(ActionResult::Done)
    );
    assert_eq!(
        (lab.state(game).await, lab.host.is_running(game)),
        ("running", true)
    );

    let again = lab.ask(game, Command::Start).await.unwrap();
    assert_eq!((again.state.word(), again.was_noop), ("running", true));
    assert_eq!(again.action.result, Some(ActionResult::Noop));

    let restart = lab.done(game, Command::Restart).await;
    assert_eq!(restart.result, Some(ActionResult::Done));
    assert_eq!(
        (lab.state(game).await, lab.host.is_running(game)),
        ("running", true)
    );
    let changes = lab.host.changes_of(game);
    let expected = [EngineCall::Create, EngineCall::Start];
    assert_eq!(changes, [expected, expected].concat(), "{changes:?}");

    let stopped = lab.done(game, Command::Stop).await;
    assert_eq!(stopped.result, Some(ActionResult::Done));
    assert_eq!(lab.host.typed(game), ["stop"]);
    let machine = lab.machine(game).await;
    assert_eq!(machine.stop_reason, Some(StopReason::Requested));
    assert_eq!((machine.exit_code, machine.crashes.len()), (Some(0), 0));
    assert_eq!(
        (lab.state(game).await, lab.host.is_running(game)),
        ("stopped", false)
    );

    for command in [Command::Stop, Command::Kill] {
        assert!(lab.ask(game, command).await.unwrap().was_noop);
    }
    // A restart of a server that is off is a start.
    lab.done(game, Command::Restart).await;
    assert_eq!(lab.state(game).await, "running");
    let killed = lab.done(game, Command::Kill).await;
    assert_eq!(killed.result, Some(ActionResult::Done));
    assert_eq!(
        lab.machine(game).await.stop_reason,
        Some(StopReason::Forced)
    );

    let history = lab.history(game).await;
    let commands: Vec<&str> = history.iter().map(|action| action.command.word()).collect();
    let expected = [
        "start", "start", "restart", "stop", "stop", "kill", "restart", "kill",
    ];
    assert_eq!(commands, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vps_goes_through_its_whole_power_cycle() {
    let lab = Lab::start().await;
    let vps = lab.vps("web").await;
    assert_eq!(lab.refused(vps, Command::Reset).await, "invalid_state");
    lab.done(vps, Command::Start).await;
    assert_eq!(
        (lab.state(vps).await, lab.host.is_running(vps)),
        ("running", true)
    );
    let reset = lab.ask(vps, Command::Reset).await.unwrap();
    assert_eq!(reset.state.word(), "resetting");
    lab.settle(vps).await;
    assert_eq!(lab.state(vps).await, "running");
    lab.done(vps, Command::Stop).await;
    assert_eq!(
        (lab.state(vps).await, lab.host.is_running(vps)),
        ("stopped", false)
    );
    assert_eq!(
        lab.machine(vps).await.stop_reason,
        Some(StopReason::Requested)
    );
    lab.done(vps, Command::Start).await;
    let force = PowerCall {
        force: true,
        ..PowerCall::new(vps, Command::Stop)
    };
    let forced = lab.process().power(force).await.unwrap();
    assert_eq!(forced.state.word(), "stopping");
    lab.settle(vps).await;
    assert_eq!(lab.machine(vps).await.stop_reason, Some(StopReason::Forced));
    let expected = [
        EngineCall::Create,
        EngineCall::Start,
        EngineCall::Reset,
        EngineCall::PressPowerButton,
        EngineCall::Create,
        EngineCall::Start,
        EngineCall::TurnOff,
    ];
    assert_eq!(lab.host.changes_of(vps), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_that_does_not_listen_is_turned_off_when_its_time_is_over() {
    let lab = Lab::start().await;
    let machines = [lab.game("mc").await, lab.vps("web").await];
    for machine in machines {
        let is_deaf = true;
        lab.host.set_guest(
            machine,
            Guest {
                is_deaf,
                ..Guest::default()
            },
        );
        lab.done(machine, Command::Start).await;
        let stop = PowerCall {
            stop_seconds: Some(20),
            ..PowerCall::new(machine, Command::Stop)
        };
        let stop = lab.process().power(stop).await.unwrap().action.id;
        lab.tick().await;
        lab.pass(19).await;
        assert_eq!(
            (lab.state(machine).await, lab.host.is_running(machine)),
            ("stopping", true)
        );
        lab.pass(1).await;
        assert_eq!(
            (lab.state(machine).await, lab.host.is_running(machine)),
            ("stopped", false)
        );
        let stop = lab.action(&stop).await;
        assert_eq!(stop.result, Some(ActionResult::Forced));
        assert_eq!(
            lab.machine(machine).await.stop_reason,
            Some(StopReason::Forced)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_power_button_is_pressed_again_while_a_guest_does_not_react() {
    let lab = Lab::start().await;
    let vps = lab.vps("web").await;
    let guest = Guest {
        misses: 2,
        ..Guest::default()
    };
    lab.host.set_guest(vps, guest);
    lab.done(vps, Command::Start).await;
    let stop = lab.accepted(vps, Command::Stop).await;
    let presses = || {
        let changes = lab.host.changes_of(vps);
        let presses = changes.iter();
        presses
            .filter(|call| **call == EngineCall::PressPowerButton)
            .count()
    };
    lab.tick().await;
    lab.pass(4).await;
    assert_eq!(presses(), 1);
    lab.pass(1).await;
    lab.pass(1).await;
    assert_eq!(presses(), 2);
    lab.pass(4).await;
    lab.settle(vps).await;
    assert_eq!(presses(), 3);
    assert_eq!(lab.action(&stop).await.result, Some(ActionResult::Done));
    assert_eq!(lab.state(vps).await, "stopped");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_set_does_not_shorten_or_lengthen_the_time_to_stop() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    lab.host.set_guest(
        game,
        Guest {
            is_deaf: true,
            ..Guest::default()
        },
    );
    lab.done(game, Command::Start).await;
    lab.accepted(game, Command::Stop).await;
    lab.tick().await;
    // The step seems to begin in the future, as after the clock was set back.
    let back = "update hosting.actions set step_at = step_at + interval '1 hour'";
    lab.sql.execute(back, &[]).await.unwrap();
    lab.pass(31).await;
    assert_eq!(
        (lab.state(game).await, lab.host.is_running(game)),
        ("stopped", false)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_server_is_running_when_it_says_so_or_its_time_is_over() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    let silent = Guest {
        banner: vec!["Loading".to_owned()],
        ..Guest::default()
    };
    lab.host.set_guest(game, silent);
    let start = lab.accepted(game, Command::Start).await;
    lab.tick().await;
    assert_eq!(
        (lab.state(game).await, lab.host.is_running(game)),
        ("starting", true)
    );
    let second = lab.ask(game, Command::Start).await.unwrap();
    assert_eq!((&second.action.id, second.was_noop), (&start, false));
    lab.host.print(game, "Server Ready.");
    lab.settle(game).await;
    assert_eq!(lab.action(&start).await.result, Some(ActionResult::Done));
    lab.done(game, Command::Stop).await;

    let start = lab.accepted(game, Command::Start).await;
    lab.tick().await;
    lab.pass(59).await;
    assert_eq!(lab.state(game).await, "starting");
    lab.pass(1).await;
    assert_eq!(lab.state(game).await, "running");
    assert_eq!(
        lab.action(&start).await.result,
        Some(ActionResult::NotReady)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_that_ends_while_it_starts_is_a_crash_and_starts_again() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    let broken = Guest {
        exits_at_start: Some(Exit {
            code: Some(3),
            ..Exit::default()
        }),
        banner: Vec::new(),
        ..Guest::default()
    };
    lab.host.set_guest(game, broken);
    let start = lab.done(game, Command::Start).await;
    assert_eq!(start.status, ActionStatus::Error);
    assert_eq!(start.failure.unwrap().code, "crashed");
    let machine = lab.machine(game).await;
    assert_eq!((machine.exit_code, machine.crashes.len()), (Some(3), 1));
    assert_eq!(lab.state(game).await, "crashed");
    lab.host.set_guest(game, Guest::default());
    lab.pass(5).await;
    lab.settle(game).await;
    assert_eq!(lab.state(game).await, "running");
    // A start that somebody asks for does not count as a restart.
    lab.done(game, Command::Stop).await;
    lab.done(game, Command::Start).await;
    assert_eq!(lab.machine(game).await.crashes, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_that_its_host_refuses_has_failed_until_it_is_started_again() {
    let lab = Lab::start().await;
    for machine in [lab.game("mc").await, lab.vps("web").await] {
        let refused = EngineError::Refused("port 25565 is in use".to_owned());
        lab.host.fail(EngineCall::Start, refused, 1);
        let start = lab.done(machine, Command::Start).await;
        assert_eq!(start.failure.unwrap().code, "host_unreachable");
        assert_eq!(lab.state(machine).await, "failed");
        let failure = lab.machine(machine).await.failure.unwrap();
        assert!(failure.contains("port 25565"), "{failure}");
        // Nothing starts it later.
        lab.pass(600).await;
        assert!(!lab.host.is_running(machine));
        lab.done(machine, Command::Start).await;
        assert_eq!(lab.state(machine).await, "running");
        assert_eq!(lab.machine(machine).await.failure, None);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_serves_works_by_itself_and_answers_those_who_wait() {
    let lab = Lab::start().await;
    lab.process().serve();
    let (game, vps) = (lab.game("mc").await, lab.vps("web").await);
    for machine in [game, vps] {
        for command in [Command::Start, Command::Stop] {
            let id = lab.accepted(machine, command).await;
            let waited = lab.process().wait(&id).await;
            assert_eq!(waited.action.result, Some(ActionResult::Done));
        }
        assert_eq!(lab.state(machine).await, "stopped");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_machines_stores_requests_for_the_one_that_has_them() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    let api = lab
        .second_process(|config| config.machines.dir = None)
        .await;
    let start = api.power(PowerCall::new(game, Command::Start)).await;
    let start = start.unwrap().action.id;
    api.tick().await;
    assert_eq!(
        (lab.state(game).await, lab.host.is_running(game)),
        ("starting", false)
    );
    lab.process().serve();
    let waited = api.wait(&start).await;
    assert_eq!(waited.action.result, Some(ActionResult::Done));
    assert_eq!(waited.state.word(), "running");
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_suspend_and_remove_machines() {
    let lab = Lab::start().await;
    let (game, vps) = (lab.game("mc").await, lab.vps("web").await);
    for machine in [game, vps] {
        lab.done(machine, Command::Start).await;
        lab.done(machine, Command::Suspend).await;
        assert_eq!(
            (lab.state(machine).await, lab.host.is_running(machine)),
            ("suspended", false)
        );
        assert_eq!(
            lab.machine(machine).await.stop_reason,
            Some(StopReason::Suspended)
        );
        for command in [Command::Start, Command::Stop, Command::Kill] {
            assert_eq!(lab.refused(machine, command).await, "server_suspended");
        }
        // Also if somebody starts it on the host.
        lab.host.start_behind(machine);
        lab.pass(61).await;
        lab.settle(machine).await;
        assert!(!lab.host.is_running(machine));
        lab.accepted(machine, Command::Remove).await;
        assert_eq!(lab.state(machine).await, "deleting");
        assert_eq!(lab.refused(machine, Command::Start).await, "invalid_state");
        lab.settle(machine).await;
        assert!(!lab.exists(machine).await && !lab.host.has_data(machine));
    }
}
