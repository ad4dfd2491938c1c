//! Mails that notify users of changes to their account.

use innkeeper_auth::config::{Config, MessageKind};
use serde_json::{Value, json};

use crate::support::TestApp;
use crate::support::mail_flows::without_pauses;
use crate::support::profile::gotrue;

const EMAIL: &str = "ada@example.com";
const NEW: &str = "countess@example.com";
const PASSWORD: &str = "correct horse";

fn with_notifications(config: &mut Config) {
    without_pauses(config);
    config.mailer.notifications = MessageKind::ALL
        .into_iter()
        .filter(|kind| kind.is_notification())
        .collect();
}

fn token(session: &Value) -> String {
    session["access_token"].as_str().unwrap().to_owned()
}

async fn change_password(app: &TestApp, token: &str, password: &str) {
    let body = json!({ "password": password });
    app.put_as(token, "/user", body).await.ok();
}

/// Changes the address, confirmed from both addresses.
async fn change_email(app: &TestApp, token: &str) {
    let body = json!({ "email": NEW });
    app.put_as(token, "/user", body).await.ok();
    for address in [NEW, EMAIL] {
        let code = app.mailbox.next_to(address).await.code();
        app.verify_code("email_change", address, &code).await.ok();
    }
}

#[tokio::test]
async fn a_new_password_is_told_when_that_is_switched_on() {
    for (change, subject) in [
        (
            with_notifications as fn(&mut Config),
            "Your password has been changed",
        ),
        (
            |config| {
                gotrue(config);
                with_notifications(config);
            },
            "Your password was changed",
        ),
    ] {
        let app = TestApp::with(change).await;
        let session = app.signed_up(EMAIL, PASSWORD).await;
        change_password(&app, &token(&session), "battery staple").await;
        let mail = app.mailbox.next_to(EMAIL).await;
        assert_eq!(mail.subject(), subject);
        assert!(mail.text.contains(EMAIL), "{}", mail.text);
        assert!(mail.html.contains(EMAIL), "{}", mail.html);
    }
}

#[tokio::test]
async fn a_password_that_was_forgotten_and_set_anew_is_told_too() {
    let app = TestApp::with(with_notifications).await;
    app.signed_up(EMAIL, PASSWORD).await;
    let code = app.mail_of("/recover", EMAIL).await.code();
    let session = app.verify_code("recovery", EMAIL, &code).await.ok();
    change_password(&app, &token(&session), "battery staple").await;
    let mail = app.mailbox.next_to(EMAIL).await;
    assert_eq!(mail.subject(), "Your password has been changed");
}

#[tokio::test]
async fn a_new_address_is_told_at_the_former_one() {
    let app = TestApp::with(with_notifications).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    change_email(&app, &token(&session)).await;
    let mail = app.mailbox.next_to(EMAIL).await;
    assert_eq!(mail.subject(), "Your email address has been changed");
    assert!(
        mail.text.contains(EMAIL) && mail.text.contains(NEW),
        "{}",
        mail.text
    );
    app.assert_no_mail(NEW).await;
}

#[tokio::test]
async fn nothing_is_told_unless_it_is_switched_on() {
    let app = TestApp::with(without_pauses).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    change_password(&app, &token(&session), "battery staple").await;
    change_email(&app, &token(&session)).await;
    app.assert_no_mail(EMAIL).await;
    app.assert_no_mail(NEW).await;
}

#[tokio::test]
async fn a_change_that_was_refused_and_one_by_an_operator_are_not_told() {
    let app = TestApp::with(with_notifications).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let body = json!({ "password": PASSWORD });
    app.put_as(&token(&session), "/user", body)
        .await
        .failed(422);
    let id = session["user"]["id"].as_str().unwrap();
    let body = json!({ "password": "battery staple", "email": NEW });
    let target = format!("/admin/users/{id}");
    app.put_as(&app.service_key(), &target, body).await.ok();
    app.assert_no_mail(EMAIL).await;
    app.assert_no_mail(NEW).await;
}

#[tokio::test]
async fn a_mail_server_that_refuses_a_notification_undoes_nothing() {
    let app = TestApp::with(with_notifications).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    app.mailbox
        .sink()
        .set_behaviour(innkeeper_service::smtp_sink::SinkBehaviour::Refuse {
            reply: "550 no".to_owned(),
            times: 1,
        });
    change_password(&app, &token(&session), "battery staple").await;
    app.sign_in(EMAIL, "battery staple").await.ok();
    let mail = app.mail_becomes("failed", EMAIL).await;
    assert_eq!(mail["kind"], "password_changed_notification");
}

#[tokio::test]
async fn nobody_changes_a_password_without_the_mail_that_tells_of_it() {
    let app = TestApp::with(with_notifications).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let sql = app.sql().await;
    let full = "create function full_up() returns trigger language plpgsql as
            $$ begin raise exception 'no room' using errcode = 'disk_full'; end $$;
        create trigger full_up before insert on innkeeper_outbox execute function full_up()";
    sql.batch_execute(full).await.unwrap();
    let body = json!({ "password": "battery staple" });
    let answer = app.put_as(&token(&session), "/user", body).await;
    assert!(answer.status >= 400, "{answer:?}");
    app.sign_in(EMAIL, PASSWORD).await.ok();
}

#[tokio::test]
async fn whoever_uses_up_the_mails_of_an_hour_keeps_nobody_from_being_told() {
    let app = TestApp::with(|config| {
        with_notifications(config);
        config.rate_limit.email_sent = innkeeper_auth::config::Rate::PerHour(1);
    })
    .await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    app.post("/recover", json!({ "email": EMAIL }))
        .await
        .refused(429, "over_email_send_rate_limit");
    change_password(&app, &token(&session), "battery staple").await;
    app.mailbox.next_to(EMAIL).await;
}
