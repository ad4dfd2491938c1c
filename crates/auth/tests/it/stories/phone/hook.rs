//! The `send-sms` hook, which takes the place of a provider.

use innkeeper_auth::config::{Config, HookKind};
use serde_json::json;

use super::{PASSWORD, PHONE, count, verify};
use crate::support::hook::{Receiver, Reply, use_function};
use crate::support::profile::gotrue;
use crate::support::{TestApp, eventually};

fn with_hook(config: &mut Config, receiver: &Receiver) {
    config.external.phone_enabled = true;
    receiver.configure(config, HookKind::SendSms);
}

#[tokio::test]
async fn the_hook_is_given_the_user_the_number_and_the_code() {
    for is_gotrue in [false, true] {
        let receiver = Receiver::content().await;
        let app = TestApp::with(|config| {
            if is_gotrue {
                gotrue(config);
            }
            with_hook(config, &receiver);
        })
        .await;
        let body = json!({ "phone": PHONE, "password": PASSWORD, "data": { "name": "Ada" } });
        app.post("/signup", body).await.ok();
        let seen = receiver.next().await;
        assert_eq!(seen.path, "/hooks/send-sms");
        assert_eq!(seen.body["metadata"]["name"], "send-sms");
        assert_eq!(seen.body["user"]["phone"], PHONE);
        let sms = &seen.body["sms"];
        let code = sms["otp"].as_str().unwrap();
        assert_eq!(*sms, json!({ "otp": code, "phone": PHONE }));
        let session = verify(&app, "sms", PHONE, code).await.ok();
        assert_eq!(seen.body["user"]["id"], session["user"]["id"]);
        app.advance(61);
        let body = json!({ "phone": PHONE, "channel": "whatsapp" });
        app.post("/otp", body).await.ok();
        let seen = receiver.next().await;
        assert_eq!(seen.body["sms"]["channel"], "whatsapp");
        assert_eq!(seen.body["user"]["id"], session["user"]["id"]);
    }
}

#[tokio::test]
async fn in_gotrue_the_hook_can_reject_the_request() {
    let refusal = json!({ "error": { "http_code": 403, "message": "no numbers from there" } });
    let receiver = Receiver::start(move |_| Reply::Json(refusal.clone())).await;
    let app = TestApp::with(|config| {
        gotrue(config);
        with_hook(config, &receiver);
    })
    .await;
    let answer = app.post("/otp", json!({ "phone": PHONE })).await;
    let body = answer.failed(403);
    assert_eq!(body["msg"], "no numbers from there");
    assert_eq!(count(&app, "select count(*) from users").await, 0);
    // Nor does the number wait.
    receiver.answer(|_| Reply::Json(json!({})));
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
}

#[tokio::test]
async fn in_std_the_hook_is_called_again_while_the_code_lives() {
    let receiver = Receiver::start(|_| Reply::status(500)).await;
    let app = TestApp::with(|config| with_hook(config, &receiver)).await;
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
    let first = receiver.next().await;
    receiver.answer(|_| Reply::Json(json!({})));
    let waiting = "select count(*) from innkeeper_outbox where state = 'waiting'";
    eventually("the message waits", async || {
        count(&app, waiting).await == 1
    })
    .await;
    app.advance(10);
    let second = receiver.next().await;
    assert_eq!(first.id, second.id);
    assert_eq!(first.body["sms"], second.body["sms"]);
}

#[tokio::test]
async fn a_function_of_the_database_can_be_the_hook() {
    let app = TestApp::with(|config| {
        config.external.phone_enabled = true;
        use_function(config, HookKind::SendSms, "send_sms");
    })
    .await;
    let function = "create table public.messages (payload jsonb);
        create function public.send_sms(event jsonb) returns jsonb language plpgsql as $$
        begin insert into public.messages values (event); return '{}'; end $$";
    app.sql().await.batch_execute(function).await.unwrap();
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
    let query = "select payload->'sms'->>'otp' from public.messages";
    let sql = app.sql().await;
    let message = async || sql.query_opt(query, &[]).await.unwrap();
    let message = eventually("the function has the message", message).await;
    let code: String = message.get(0);
    verify(&app, "sms", PHONE, &code).await.ok();
}
