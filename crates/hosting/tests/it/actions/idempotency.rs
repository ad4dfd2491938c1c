//! Requests with an `Idempotency-Key`.

use innkeeper_hosting::testing::PowerCall;
use jiff::SignedDuration;
use uuid::Uuid;

use super::lab::{Command, Lab};

fn keyed(machine: Uuid, command: Command, key: &str) -> PowerCall {
    PowerCall {
        idempotency_key: Some(key.to_owned()),
        ..PowerCall::new(machine, command)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_request_is_answered_with_the_same_action() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    let process = lab.process();
    let first = process
        .power(keyed(game, Command::Start, "a"))
        .await
        .unwrap();
    lab.settle(game).await;
    lab.done(game, Command::Stop).await;
    // It does not start the server again.
    let again = process
        .power(keyed(game, Command::Start, "a"))
        .await
        .unwrap();
    assert_eq!(again.action.id, first.action.id);
    assert_eq!(again.state.word(), "stopped");
    let other = process
        .power(keyed(game, Command::Start, "b"))
        .await
        .unwrap();
    assert_ne!(other.action.id, first.action.id);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_without_effect_is_remembered_too() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    let stop = keyed(game, Command::Stop, "a");
    let first = lab.process().power(stop.clone()).await.unwrap();
    let again = lab.process().power(stop).await.unwrap();
    assert!(first.was_noop && again.was_noop);
    assert_eq!(again.action.id, first.action.id);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_cannot_be_used_for_another_request() {
    let lab = Lab::start().await;
    let (game, other) = (lab.game("mc").await, lab.game("other").await);
    let process = lab.process();
    process
        .power(keyed(game, Command::Start, "a"))
        .await
        .unwrap();
    let forced = PowerCall {
        force: true,
        ..keyed(game, Command::Stop, "a")
    };
    let others = [
        keyed(game, Command::Stop, "a"),
        forced,
        keyed(other, Command::Start, "a"),
    ];
    for call in others {
        let refusal = process.power(call).await.unwrap_err();
        assert!(refusal.code.contains("idempotency"), "{refusal:?}");
    }
    assert_eq!(lab.state(other).await, "stopped");
    assert_eq!(lab.history(game).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn duplicates_at_the_same_time_are_one_action() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    let calls = (0..8).map(|_| lab.process().power(keyed(game, Command::Start, "a")));
    let answers = futures_util::future::join_all(calls).await;
    let first = answers[0].as_ref().unwrap().action.id.clone();
    for answer in answers {
        assert_eq!(answer.unwrap().action.id, first);
    }
    assert_eq!(lab.history(game).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_key_for_two_machines_at_the_same_time_is_accepted_once() {
    let lab = Lab::start().await;
    for round in 0..5 {
        let one = lab.game(&format!("a{round}")).await;
        let two = lab.game(&format!("b{round}")).await;
        let key = format!("key-{round}");
        let (first, second) = tokio::join!(
            lab.process().power(keyed(one, Command::Start, &key)),
            lab.process().power(keyed(two, Command::Start, &key)),
        );
        assert!(first.is_ok() != second.is_ok(), "{first:?} {second:?}");
        let actions = lab.history(one).await.len() + lab.history(two).await.len();
        assert_eq!(actions, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_forgotten_after_a_day() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    let stop = keyed(game, Command::Stop, "a");
    let first = lab.process().power(stop.clone()).await.unwrap();
    lab.clock.advance(SignedDuration::from_hours(23));
    let again = lab.process().power(stop.clone()).await.unwrap();
    assert_eq!(again.action.id, first.action.id);
    lab.clock.advance(SignedDuration::from_hours(2));
    let later = lab.process().power(stop).await.unwrap();
    assert_ne!(later.action.id, first.action.id);
}
