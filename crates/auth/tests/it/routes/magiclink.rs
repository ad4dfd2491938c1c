//! `POST /magiclink`, which `/otp` has superseded.

use serde_json::json;

use crate::support::log::Log;
use crate::support::mail_flows::without_pauses;
use crate::support::{Answer, TestApp};

#[tokio::test]
async fn it_does_what_otp_does_with_an_address() {
    let app = TestApp::with(without_pauses).await;
    app.confirmed("ada@example.com").await;
    let mail = app.mail_of("/magiclink", "ada@example.com").await;
    assert_eq!(mail.subject(), "Your Magic Link");
    assert_eq!(app.follow(&mail).await.said("type"), "magiclink");
    let mail = app.mail_of("/otp", "ada@example.com").await;
    assert_eq!(mail.subject(), "Your Magic Link");
}

#[tokio::test]
async fn an_unknown_user_is_always_created() {
    let app = TestApp::start().await;
    let body =
        json!({ "email": "ada@example.com", "create_user": true, "data": { "name": "Ada" } });
    assert_eq!(app.post("/magiclink", body).await.ok(), json!({}));
    let mail = app.mailbox.next_to("ada@example.com").await;
    let session = app.verify_link("signup", &mail.token()).await.ok();
    assert_eq!(session["user"]["user_metadata"]["name"], "Ada");
    let body = json!({ "email": "bob@example.com", "create_user": false });
    assert_eq!(app.post_versioned("/magiclink", body).await.ok(), json!({}));
    app.mailbox.next_to("bob@example.com").await;
}

#[tokio::test]
async fn use_of_it_is_noted_in_the_log() {
    let log = Log::capture();
    let app = TestApp::start().await;
    app.mail_of("/otp", "bob@example.com").await;
    assert!(!log.text().contains("/magiclink"), "{}", log.text());
    app.mail_of("/magiclink", "ada@example.com").await;
    let text = log.text();
    let notice = text.lines().find(|line| line.contains("/magiclink"));
    let notice = notice.unwrap_or_else(|| panic!("no notice in {text}"));
    assert!(
        notice.contains("WARN") && notice.contains("use POST /otp"),
        "{notice}"
    );
}

#[tokio::test]
async fn without_an_address_it_is_unprocessable() {
    let app = TestApp::start().await;
    for body in [
        json!({}),
        json!(null),
        json!({ "email": null }),
        json!({ "email": "", "phone": "4930123456" }),
    ] {
        let plain = app.post("/magiclink", body.clone()).await;
        assert_eq!(plain.refused(422, "validation_failed")["code"], 422);
        app.post_versioned("/magiclink", body)
            .await
            .refused(422, "validation_failed");
    }
    let body = json!({ "email": "xx:;x@x.x" });
    app.post("/magiclink", body)
        .await
        .refused(400, "validation_failed");
    app.post("/magiclink", json!({ "email": 7 }))
        .await
        .refused(400, "bad_json");
    let broken = app.client.post("/magiclink").body("{").send().await;
    Answer::new(broken).refused(400, "bad_json");
}
