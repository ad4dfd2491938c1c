//! Old actions are deleted.

use jiff::SignedDuration;

use super::lab::{Command, Lab};

#[tokio::test(flavor = "multi_thread")]
async fn actions_are_kept_for_ninety_days_and_keys_for_a_day() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    let call = innkeeper_hosting::testing::PowerCall {
        idempotency_key: Some("a".to_owned()),
        ..innkeeper_hosting::testing::PowerCall::new(game, Command::Start)
    };
    lab.process().power(call).await.unwrap();
    lab.settle(game).await;
    lab.clock.advance(SignedDuration::from_hours(24 * 89));
    lab.done(game, Command::Stop).await;
    lab.tick().await;
    assert_eq!(lab.history(game).await.len(), 2);
    let keys = "select count(*) from hosting.idempotency_keys";
    let keys: i64 = lab.sql.query_one(keys, &[]).await.unwrap().get(0);
    assert_eq!(keys, 0);
    lab.pass(3_600 * 25).await;
    let history = lab.history(game).await;
    let commands: Vec<&str> = history.iter().map(|action| action.command.word()).collect();
    assert_eq!(commands, ["stop"]);
}
