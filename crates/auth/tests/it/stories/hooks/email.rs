//! `send-email`: the application sends the mails.

use std::sync::atomic::{AtomicUsize, Ordering};

use innkeeper_auth::config::{Config, HookKind, MessageKind};
use serde_json::{Value, json};

use crate::support::hook::{Receiver, Reply, Seen};
use crate::support::log::Log;
use crate::support::mail_flows::without_pauses;
use crate::support::profile::gotrue;
use crate::support::tokens::text;
use crate::support::{API_VERSION_2024, TestApp, redacted};

const KIND: HookKind = HookKind::SendEmail;

/// Configures a server without SMTP.
fn without_smtp(config: &mut Config) {
    config.smtp.host = String::new();
    without_pauses(config);
}

async fn start(receiver: &Receiver, change: impl FnOnce(&mut Config)) -> TestApp {
    TestApp::with(|config| {
        receiver.configure(config, KIND);
        without_smtp(config);
        change(config);
    })
    .await
}

/// Returns a member of the call's `email_data`.
fn data(call: &Seen, name: &str) -> String {
    text(&call.body["email_data"], name)
}

#[tokio::test]
async fn the_hook_is_given_all_that_a_mail_needs() {
    let receiver = Receiver::content().await;
    let app = start(&receiver, |_| {}).await;
    let body = json!({ "email": "ada@example.com", "password": "correct horse" });
    app.post("/signup", body).await.ok();

    let call = receiver.next().await;
    assert_eq!(call.id, text(&call.body["metadata"], "uuid"));
    let mut expected = redacted(&call.body);
    for secret in ["token", "token_hash"] {
        assert!(data(&call, secret).len() >= 6);
        expected["email_data"][secret] = "[secret]".into();
    }
    assert_eq!(expected["user"]["email"], "ada@example.com");
    assert_eq!(call.body["user"]["id"], app.only_user().await["id"]);
    expected["user"] = "[user]".into();
    assert_eq!(
        expected,
        json!({
            "metadata": {
                "uuid": "[uuid]",
                "time": "[time]",
                "name": "send-email",
                "ip_address": "127.0.0.1",
            },
            "user": "[user]",
            "email_data": {
                "token": "[secret]",
                "token_hash": "[secret]",
                "redirect_to": "http://localhost:3000",
                "email_action_type": "signup",
                "site_url": "http://localhost:8081/",
                "token_new": "",
                "token_hash_new": "",
                "old_email": "",
                "old_phone": "",
                "provider": "",
                "factor_type": "",
            },
        })
    );
    let code = data(&call, "token");
    app.verify_code("signup", "ada@example.com", &code)
        .await
        .ok();
}

#[tokio::test]
async fn every_kind_of_mail_goes_through_the_hook_and_its_link_works() {
    let receiver = Receiver::content().await;
    let app = start(&receiver, |_| {}).await;
    app.confirmed("ada@example.com").await;
    for (target, kind) in [("/recover", "recovery"), ("/magiclink", "magiclink")] {
        app.post(target, json!({ "email": "ada@example.com" }))
            .await
            .ok();
        let call = receiver.next().await;
        assert_eq!(data(&call, "email_action_type"), kind);
        let secret = data(&call, "token_hash");
        app.verify_link(kind, &secret).await.ok();
    }
    let body = json!({ "email": "ben@example.com" });
    app.operator().post("/invite", body).await.ok();
    let call = receiver.next().await;
    assert_eq!(data(&call, "email_action_type"), "invite");
    app.verify_link("invite", &data(&call, "token_hash"))
        .await
        .ok();

    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let token = text(&session, "access_token");
    app.get_as(&token, "/reauthenticate").await.ok();
    let call = receiver.next().await;
    assert_eq!(data(&call, "email_action_type"), "reauthentication");
    assert_eq!(data(&call, "token").len(), 6);
    assert_eq!(receiver.count(), 4);
}

#[tokio::test]
async fn a_change_of_address_is_one_call_with_crossed_names() {
    let receiver = Receiver::content().await;
    let app = start(&receiver, |_| {}).await;
    app.confirmed("ada@example.com").await;
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let token = text(&session, "access_token");
    let body = json!({ "email": "ada@example.org" });
    app.put_as(&token, "/user", body).await.ok();
    let call = receiver.next().await;
    assert_eq!(data(&call, "email_action_type"), "email_change");
    assert_eq!(call.body["user"]["email"], "ada@example.com");
    assert_eq!(call.body["user"]["new_email"], "ada@example.org");
    // The code of the current address, and the link of the new one.
    let half = app
        .verify_code("email_change", "ada@example.com", &data(&call, "token"))
        .await;
    assert_eq!(half.ok()["code"], "200");
    let changed = app
        .verify_link("email_change", &data(&call, "token_hash"))
        .await;
    assert_eq!(changed.ok()["user"]["email"], "ada@example.org");

    // The link of the current address, and the code of the new one.
    let session = app.sign_in("ada@example.org", "correct horse").await.ok();
    let token = text(&session, "access_token");
    let body = json!({ "email": "ada@example.net" });
    app.put_as(&token, "/user", body).await.ok();
    let call = receiver.next().await;
    let half = app
        .verify_link("email_change", &data(&call, "token_hash_new"))
        .await;
    assert_eq!(half.ok()["code"], "200");
    let code = data(&call, "token_new");
    let changed = app
        .verify_code("email_change", "ada@example.net", &code)
        .await;
    assert_eq!(changed.ok()["user"]["email"], "ada@example.net");
    assert_eq!(receiver.count(), 2);
}

#[tokio::test]
async fn a_change_to_an_address_of_somebody_else_has_secrets_for_the_current_one_only() {
    let receiver = Receiver::content().await;
    let app = start(&receiver, |_| {}).await;
    app.confirmed("ada@example.com").await;
    app.confirmed("ben@example.com").await;
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let token = text(&session, "access_token");
    let body = json!({ "email": "ben@example.com" });
    app.put_as(&token, "/user", body).await.ok();
    let mut calls = [receiver.next().await, receiver.next().await];
    calls.sort_by_key(|call| data(call, "email_action_type"));
    let [change, told] = &calls;
    assert_eq!(data(change, "email_action_type"), "email_change");
    assert_eq!(change.body["user"]["email"], "ada@example.com");
    for name in ["token_new", "token_hash"] {
        assert_eq!(data(change, name), "", "{name}");
    }
    let half = app
        .verify_link("email_change", &data(change, "token_hash_new"))
        .await;
    assert_eq!(half.ok()["code"], "200");
    assert_eq!(data(told, "email_action_type"), "email_taken");
    assert_eq!(told.body["user"]["email"], "ben@example.com");
    for name in ["token", "token_hash", "token_new", "token_hash_new"] {
        assert_eq!(data(told, name), "", "{name}");
    }
    assert_eq!(receiver.count(), 2);
}

#[tokio::test]
async fn a_change_that_only_the_new_address_confirms_has_plain_names() {
    let receiver = Receiver::content().await;
    let app = start(&receiver, |config| {
        config.mailer.secure_email_change_enabled = false;
    })
    .await;
    app.confirmed("ada@example.com").await;
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let token = text(&session, "access_token");
    let body = json!({ "email": "ada@example.org" });
    app.put_as(&token, "/user", body).await.ok();
    let call = receiver.next().await;
    assert_eq!(data(&call, "token_new"), "");
    assert_eq!(data(&call, "token_hash_new"), "");
    let code = data(&call, "token");
    let changed = app
        .verify_code("email_change", "ada@example.org", &code)
        .await;
    assert_eq!(changed.ok()["user"]["email"], "ada@example.org");
}

#[tokio::test]
async fn with_a_hook_no_mail_goes_to_the_mail_server() {
    let receiver = Receiver::content().await;
    let app = TestApp::with(|config| receiver.configure(config, KIND)).await;
    let body = json!({ "email": "ada@example.com", "password": "correct horse" });
    app.post("/signup", body).await.ok();
    receiver.next().await;
    assert_eq!(app.mailbox.count_to("ada@example.com"), 0);
    assert_eq!(app.mailbox.sink().mails().len(), 0);
}

#[tokio::test]
async fn std_answers_at_once_and_tries_a_hook_that_fails_again_with_the_same_id() {
    let log = Log::capture();
    let failures = AtomicUsize::new(0);
    let receiver = Receiver::start(move |_| {
        if failures.fetch_add(1, Ordering::Relaxed) == 0 {
            return Reply::status(500);
        }
        Reply::status(204)
    })
    .await;
    let app = start(&receiver, |_| {}).await;
    let body = json!({ "email": "ada@example.com", "password": "correct horse" });
    app.post("/signup", body).await.ok();
    let first = receiver.next().await;
    let mail = app.mails_until("waiting", |mail| mail["tries"] == 1).await;
    assert_eq!(mail["id"], first.id);
    assert_eq!(
        mail["last_error"],
        "Unexpected status code returned from hook: 500"
    );
    app.advance(6);
    let second = receiver.next().await;
    app.mail_becomes("delivered", "ada@example.com").await;
    assert_eq!(first.id, second.id);
    assert_eq!(first.body, second.body);
    let code = data(&second, "token");
    assert!(!log.text().contains(&code));
    app.verify_code("signup", "ada@example.com", &code)
        .await
        .ok();
}

#[tokio::test]
async fn gotrue_waits_for_the_hook_and_tells_what_it_says() {
    let receiver = Receiver::content().await;
    let app = TestApp::with(|config| {
        gotrue(config);
        receiver.configure(config, KIND);
        without_smtp(config);
    })
    .await;
    let body = json!({ "email": "ada@example.com", "password": "correct horse" });
    let error = json!({ "http_code": 429, "message": "Out of stamps" });
    receiver.answer(move |_| Reply::Json(json!({ "error": error })));
    let refused = app.post("/signup", body.clone()).await;
    assert_eq!(
        refused.refused(429, "unknown"),
        json!({ "code": 429, "error_code": "unknown", "msg": "Out of stamps" })
    );
    let refused = app.post_versioned("/signup", body.clone()).await;
    assert_eq!(refused.header(API_VERSION_2024.0), Some(API_VERSION_2024.1));
    refused.refused(429, "unknown");
    receiver.answer(|_| Reply::Json(Value::Null));
    app.post("/signup", body).await.ok();
    assert_eq!(receiver.count(), 3);
}

#[tokio::test]
async fn a_hook_that_refuses_for_good_is_not_asked_again_and_its_words_hold_no_code() {
    let receiver = Receiver::start(|body| {
        let code = text(&body["email_data"], "token");
        let message = format!("ada@example.com may not have {code}");
        Reply::Json(json!({ "error": { "http_code": 403, "message": message } }))
    })
    .await;
    let app = start(&receiver, |_| {}).await;
    app.invite("ada@example.com").await;
    let mail = app.mail_becomes("failed", "ada@example.com").await;
    assert_eq!(
        (&mail["tries"], &mail["last_error"]),
        (&json!(1), &json!("refused"))
    );
    receiver.answer(|_| {
        let message = "ada@example.com is unknown";
        Reply::Json(json!({ "error": { "http_code": 404, "message": message } }))
    });
    let target = format!("/admin/mail/{}/retry", text(&mail, "id"));
    app.operator().post(&target, json!({})).await.ok();
    let is_told = |mail: &Value| mail["last_error"] == "… is unknown";
    app.mails_until("failed", is_told).await;
}

#[tokio::test]
async fn a_mail_whose_hook_was_switched_off_goes_to_the_mail_server() {
    let receiver = Receiver::start(|_| Reply::status(500)).await;
    let app = TestApp::with(|config| receiver.configure(config, KIND)).await;
    app.invite("ada@example.com").await;
    app.mails_until("waiting", |mail| mail["tries"] == 1).await;
    app.auth.stop_mail().await;
    let (_other, _) = app
        .replica_with(|config| config.hooks.targets.clear())
        .await;
    app.advance(6);
    let mail = app.mailbox.next_to("ada@example.com").await;
    app.verify_link("invite", &mail.token()).await.ok();
}

/// Turns on all notifications.
fn with_notifications(config: &mut Config) {
    config.mailer.notifications = MessageKind::ALL
        .into_iter()
        .filter(|kind| kind.is_notification())
        .collect();
}

#[tokio::test]
async fn notifications_go_through_the_hook_by_their_own_names() {
    let receiver = Receiver::content().await;
    let app = start(&receiver, with_notifications).await;
    app.confirmed("ada@example.com").await;
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let token = text(&session, "access_token");
    let change = json!({ "password": "battery staple" });
    app.put_as(&token, "/user", change).await.ok();
    let call = receiver.next().await;
    assert_eq!(
        data(&call, "email_action_type"),
        "password_changed_notification"
    );
    assert_eq!(call.body["user"]["email"], "ada@example.com");
    assert_eq!(data(&call, "token"), "");

    let change = json!({ "email": "new@example.com" });
    app.put_as(&token, "/user", change).await.ok();
    let call = receiver.next().await;
    for (address, code) in [
        ("ada@example.com", data(&call, "token")),
        ("new@example.com", data(&call, "token_new")),
    ] {
        app.verify_code("email_change", address, &code).await.ok();
    }
    let call = receiver.next().await;
    assert_eq!(
        data(&call, "email_action_type"),
        "email_changed_notification"
    );
    assert_eq!(data(&call, "old_email"), "ada@example.com");
    assert_eq!(call.body["user"]["email"], "new@example.com");
}

#[tokio::test]
async fn gotrue_does_not_wait_for_the_hook_of_a_notification() {
    let receiver = Receiver::start(|_| Reply::status(500)).await;
    let app = TestApp::with(|config| {
        gotrue(config);
        receiver.configure(config, KIND);
        without_smtp(config);
        with_notifications(config);
    })
    .await;
    app.confirmed("ada@example.com").await;
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let change = json!({ "password": "battery staple" });
    app.put_as(&text(&session, "access_token"), "/user", change)
        .await
        .ok();
    app.mails_until("waiting", |mail| mail["tries"] == 1).await;
}
