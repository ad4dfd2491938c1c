//! Engines that are away or hang, and a database that is away.

use innkeeper_hosting::testing::{EngineCall, EngineError};
use jiff::SignedDuration;

use super::lab::{ActionStatus, Command, Lab};

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_is_away_is_shown_and_comes_back_without_a_restart() {
    let lab = Lab::start().await;
    let (game, vps) = (lab.game("mc").await, lab.vps("web").await);
    for machine in [game, vps] {
        lab.done(machine, Command::Start).await;
    }
    lab.host.set_away(true);
    lab.pass(5).await;
    for machine in [game, vps] {
        assert_eq!(lab.state(machine).await, "unknown");
        let since = lab.machine(machine).await.unreachable_since;
        assert!(since.is_some());
        for command in [Command::Start, Command::Stop, Command::Kill] {
            assert_eq!(lab.refused(machine, command).await, "host_unreachable");
        }
    }
    lab.host.set_away(false);
    lab.pass(5).await;
    for machine in [game, vps] {
        assert_eq!(
            (lab.state(machine).await, lab.host.is_running(machine)),
            ("running", true)
        );
        assert_eq!(lab.machine(machine).await.crashes, []);
        lab.done(machine, Command::Stop).await;
        assert_eq!(lab.state(machine).await, "stopped");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_action_waits_for_an_engine_that_is_away_for_a_moment() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    lab.host.set_away(true);
    let start = lab.accepted(game, Command::Start).await;
    lab.tick().await;
    lab.pass(30).await;
    assert!(lab.action(&start).await.status.is_active());
    lab.host.set_away(false);
    lab.settle(game).await;
    assert_eq!(lab.action(&start).await.status, ActionStatus::Success);
    assert_eq!(lab.state(game).await, "running");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_action_fails_when_the_engine_stays_away_and_is_not_done_later() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    lab.host.set_away(true);
    let start = lab.accepted(game, Command::Start).await;
    for _ in 0..14 {
        lab.pass(5).await;
    }
    let start = lab.action(&start).await;
    assert_eq!(start.failure.unwrap().code, "host_unreachable");
    assert_eq!(lab.state(game).await, "unknown");
    lab.host.set_away(false);
    for _ in 0..30 {
        lab.pass(5).await;
    }
    assert_eq!(
        (lab.state(game).await, lab.host.is_running(game)),
        ("stopped", false)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_that_failed_is_done_when_the_engine_is_back() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    lab.done(game, Command::Start).await;
    let stop = lab.accepted(game, Command::Stop).await;
    lab.host.set_away(true);
    for _ in 0..14 {
        lab.pass(5).await;
    }
    assert_eq!(lab.action(&stop).await.status, ActionStatus::Error);
    assert!(lab.host.is_running(game));
    lab.host.set_away(false);
    lab.pass(5).await;
    lab.settle(game).await;
    assert_eq!(
        (lab.state(game).await, lab.host.is_running(game)),
        ("stopped", false)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_that_failed_leaves_a_running_server_on() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    lab.done(game, Command::Start).await;
    let restart = lab.accepted(game, Command::Restart).await;
    lab.host.set_away(true);
    for _ in 0..14 {
        lab.pass(5).await;
    }
    assert_eq!(lab.action(&restart).await.status, ActionStatus::Error);
    lab.host.set_away(false);
    for _ in 0..30 {
        lab.pass(5).await;
    }
    assert_eq!(
        (lab.state(game).await, lab.host.is_running(game)),
        ("running", true)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_hangs_is_given_up_in_time() {
    let lab = Lab::start_with(|config| {
        config.machines.engine_timeout = SignedDuration::from_millis(20);
    })
    .await;
    let game = lab.game("mc").await;
    lab.done(game, Command::Start).await;
    let stop = lab.accepted(game, Command::Stop).await;
    lab.host.set_hanging(true);
    for _ in 0..14 {
        lab.pass(5).await;
    }
    let stop = lab.action(&stop).await;
    assert_eq!(stop.failure.unwrap().code, "host_timeout");
    assert_eq!(lab.state(game).await, "unknown");
    assert_eq!(lab.refused(game, Command::Kill).await, "host_unreachable");
    lab.host.set_hanging(false);
    lab.pass(5).await;
    lab.settle(game).await;
    assert_eq!(
        (lab.state(game).await, lab.host.is_running(game)),
        ("stopped", false)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn single_failures_of_an_engine_are_tried_again() {
    let lab = Lab::start().await;
    let errors = [
        EngineError::Busy,
        EngineError::Timeout,
        EngineError::NotFound,
        EngineError::Internal("out of luck".to_owned()),
        EngineError::Unreachable("reset by peer".to_owned()),
    ];
    for (number, error) in errors.into_iter().enumerate() {
        let game = lab.game(&format!("g{number}")).await;
        let calls = [
            EngineCall::Create,
            EngineCall::Start,
            EngineCall::Attach,
            EngineCall::Observe,
            EngineCall::Signal,
        ];
        for call in calls {
            lab.host.fail(call, error.clone(), 2);
        }
        let start = lab.done(game, Command::Start).await;
        assert_eq!(start.status, ActionStatus::Success, "{error}");
        let stop = lab.done(game, Command::Stop).await;
        assert_eq!(stop.status, ActionStatus::Success, "{error}");
        assert!(!lab.host.is_running(game));
    }
}
