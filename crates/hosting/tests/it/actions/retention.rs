//! Old actions and entries of the audit log are deleted.

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

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_log_is_kept_for_ninety_days_and_actions_until_they_end() {
    let lab = Lab::start().await;
    let game = lab.game("mc").await;
    lab.accepted(game, Command::Start).await;
    let insert =
        "insert into hosting.audit_log (at, actor, event, outcome) values ($1, 'system', $2, 'ok')";
    let now = lab.clock.now();
    for (days, event) in [(0, "new"), (89, "kept"), (91, "old")] {
        let at = now - SignedDuration::from_hours(24 * days);
        lab.sql.execute(insert, &[&at, &event]).await.unwrap();
    }
    let events = async || -> Vec<String> {
        let query = "select event from hosting.audit_log where actor = 'system' and outcome = 'ok' order by at";
        let rows = lab.sql.query(query, &[]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    };
    lab.pass(3_601).await;
    assert_eq!(events().await, ["kept", "new"]);
    let age = "update hosting.actions set queued_at = queued_at - interval '100 days', finished_at = null, \
               status = 'queued', holder = null where status in ('queued', 'running', 'success')";
    let aged = lab.sql.execute(age, &[]).await.unwrap();
    assert_eq!(aged, 1);
    lab.pass(3_601).await;
    assert_eq!(lab.history(game).await.len(), 1);
    lab.pass(24 * 3_600 * 2).await;
    assert_eq!(events().await, ["new"]);
}
