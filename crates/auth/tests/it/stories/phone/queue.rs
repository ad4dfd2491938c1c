//! Messages in the outbox, in the std profile.

use jiff::SignedDuration;
use serde_json::json;

use super::{PHONE, count, std_app, verify};
use crate::support::sms::{Behaviour, Protocol, SmsProvider};
use crate::support::{TestApp, eventually};

const WAITING: &str =
    "select count(*) from innkeeper_outbox where channel = 'sms' and state = 'waiting'";
const FAILED: &str =
    "select count(*) from innkeeper_outbox where channel = 'sms' and state = 'failed'";

async fn until(app: &TestApp, query: &str, expected: i64) {
    eventually(query, async || count(app, query).await == expected).await;
}

#[tokio::test]
async fn a_silent_provider_holds_nobody_up() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |config| {
        config.internal_http_timeout = SignedDuration::from_hours(1);
    })
    .await;
    provider.behave(Behaviour::Silence);
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
    provider.wait_for(1).await;
    // Mails have a worker of their own.
    app.signed_up("ada@example.com", "correct horse").await;
}

#[tokio::test]
async fn a_message_is_tried_again_while_its_code_lives() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |_| {}).await;
    provider.behave(Behaviour::Raw(503, "{}".to_owned()));
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
    let first = provider.next().await.code();
    until(&app, WAITING, 1).await;
    provider.behave(Behaviour::Accept);
    app.advance(10);
    let second = provider.next().await.code();
    assert_eq!(first, second);
    verify(&app, "sms", PHONE, &second).await.ok();
}

#[tokio::test]
async fn a_message_is_given_up_with_its_code() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |_| {}).await;
    provider.behave(Behaviour::Raw(503, "{}".to_owned()));
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
    provider.next().await;
    until(&app, WAITING, 1).await;
    app.advance(61);
    until(&app, FAILED, 1).await;
    // It was not sent after its end, and its content is gone.
    assert_eq!(provider.count(), 1);
    let sealed = "select count(*) from innkeeper_outbox where sealed is not null";
    assert_eq!(count(&app, sealed).await, 0);
}

#[tokio::test]
async fn a_message_that_is_refused_is_not_tried_again() {
    let provider = SmsProvider::start(Protocol::Vonage).await;
    let app = std_app(&provider, |_| {}).await;
    provider.behave(Behaviour::Refuse("no such number".to_owned()));
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
    until(&app, FAILED, 1).await;
    let sql = app.sql().await;
    let row = sql
        .query_one("select last_error, recipient from innkeeper_outbox", &[])
        .await
        .unwrap();
    assert_eq!(row.get::<_, String>(0), "no such number");
    assert!(!row.get::<_, String>(1).contains(PHONE));
    // Another message is sent later, from among all that are due.
    app.advance(20);
    app.post("/otp", json!({ "phone": "4917" })).await.ok();
    until(&app, FAILED, 2).await;
    assert_eq!(provider.count(), 2);
    let tried_again = "select count(*) from innkeeper_outbox where tries > 1";
    assert_eq!(count(&app, tried_again).await, 0);
}

#[tokio::test]
async fn messages_are_stored_sealed_and_are_not_mails() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |config| {
        config.sms.otp_exp = SignedDuration::from_hours(1);
    })
    .await;
    provider.behave(Behaviour::Raw(503, "{}".to_owned()));
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
    let code = provider.next().await.code();
    until(&app, WAITING, 1).await;
    let telling = format!(
        "select count(*) from innkeeper_outbox o where o::text like '%{PHONE}%' or o::text like '%{code}%'"
    );
    assert_eq!(count(&app, &telling).await, 0);
    let mails = app.get_as(&app.service_key(), "/admin/mail").await.ok();
    assert_eq!(mails["mails"], json!([]));
    let health = app.get("/health?deep=1").await.ok();
    assert_eq!(health["checks"]["mail"]["waiting"], 0, "{health}");
}

#[tokio::test]
async fn a_transaction_that_fails_sends_nothing() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |_| {}).await;
    let trigger = "create function full_up() returns trigger language plpgsql
            as $$ begin raise exception 'full up'; end $$;
        create trigger full_up before insert on innkeeper_outbox execute function full_up()";
    app.sql().await.batch_execute(trigger).await.unwrap();
    app.post("/otp", json!({ "phone": PHONE }))
        .await
        .failed(500);
    assert_eq!(count(&app, "select count(*) from users").await, 0);
    let sql = app.sql().await;
    sql.batch_execute("drop trigger full_up on innkeeper_outbox")
        .await
        .unwrap();
    // The number need not wait.
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
    provider.next().await;
}
