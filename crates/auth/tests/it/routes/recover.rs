//! `POST /recover`.

use serde_json::json;

use crate::support::mail_flows::without_pauses;
use crate::support::{Answer, TestApp};

#[tokio::test]
async fn a_forgotten_password_is_replaced_through_the_mail() {
    let app = TestApp::with(without_pauses).await;
    app.confirmed("ada@example.com").await;
    let mail = app.mail_of("/recover", "ada@example.com").await;
    assert_eq!(mail.subject(), "Reset Your Password");
    let session = app
        .verify_code("recovery", "ada@example.com", &mail.code())
        .await
        .ok();
    let access_token = session["access_token"].as_str().unwrap();
    let body = json!({ "password": "battery staple" });
    app.put_as(access_token, "/user", body).await.ok();
    app.sign_in("ada@example.com", "battery staple").await.ok();
    app.sign_in("ada@example.com", "correct horse")
        .await
        .refused(400, "invalid_credentials");
}

#[tokio::test]
async fn an_unknown_address_is_answered_alike_and_gets_no_mail() {
    let app = TestApp::start().await;
    for answer in [
        app.post("/recover", json!({ "email": "nobody@example.com" }))
            .await,
        app.post_versioned("/recover", json!({ "email": "noone@example.com" }))
            .await,
    ] {
        assert_eq!((answer.status, answer.text.as_str()), (200, "{}"));
    }
    app.assert_no_mail("nobody@example.com").await;
    assert_eq!(app.accounts("nobody@example.com").await, 0);
}

#[tokio::test]
async fn an_unconfirmed_user_is_confirmed_by_it() {
    let app = TestApp::with(without_pauses).await;
    app.mail_of_signup("ada@example.com").await;
    let mail = app.mail_of("/recover", "ada@example.com").await;
    let session = app.verify_link("recovery", &mail.token()).await.ok();
    assert!(session["user"]["email_confirmed_at"].is_string());
    // The password is removed: somebody else may have signed up with this address.
    app.sign_in("ada@example.com", "correct horse")
        .await
        .refused(400, "invalid_credentials");
}

#[tokio::test]
async fn an_address_is_needed_and_must_be_one() {
    let app = TestApp::start().await;
    for body in [
        json!({}),
        json!(null),
        json!({ "email": null }),
        json!({ "email": "" }),
        json!({ "email": "xx:;x@x.x" }),
        json!({ "email": "ada\r\n@example.com" }),
        json!({ "email": "ada@example.com", "code_challenge": "x" }),
    ] {
        let plain = app.post("/recover", body.clone()).await;
        assert_eq!(
            plain.refused(400, "validation_failed")["code"],
            400,
            "{body}"
        );
        app.post_versioned("/recover", body)
            .await
            .refused(400, "validation_failed");
    }
    for email in [json!({}), json!(1), json!("ada\u{0}@example.com")] {
        let body = json!({ "email": email });
        app.post("/recover", body).await.refused(400, "bad_json");
    }
    let broken = app.client.post("/recover").body("{\"email\"").send().await;
    Answer::new(broken).refused(400, "bad_json");
}

#[tokio::test]
async fn it_is_refused_when_email_is_off() {
    let app = TestApp::with(|config| config.external.email_enabled = false).await;
    app.post("/recover", json!({ "email": "ada@example.com" }))
        .await
        .refused(400, "email_provider_disabled");
}

#[tokio::test]
async fn without_a_mail_server_the_error_says_so() {
    let app = TestApp::with(|config| config.smtp.host.clear()).await;
    for (target, body) in [
        ("/recover", json!({ "email": "ada@example.com" })),
        ("/otp", json!({ "email": "ada@example.com" })),
        ("/magiclink", json!({ "email": "ada@example.com" })),
        (
            "/resend",
            json!({ "email": "ada@example.com", "type": "signup" }),
        ),
        (
            "/resend",
            json!({ "email": "ada@example.com", "type": "email_change" }),
        ),
        (
            "/signup",
            json!({ "email": "ada@example.com", "password": "correct horse" }),
        ),
    ] {
        let answer = app.post(target, body).await;
        let body = answer.refused(422, "email_provider_disabled");
        assert_eq!(body["msg"], "This server is not set up to send email");
    }
    assert_eq!(app.accounts("ada@example.com").await, 0);
}
