//! `GET /reauthenticate`. The use of the nonce is tested in `stories/password_change`.

use innkeeper_auth::config::Profile;
use serde_json::json;

use crate::support::TestApp;

const PASSWORD: &str = "correct horse";

/// Signs a user up and returns the access token.
async fn signed_in(app: &TestApp) -> String {
    let session = app.signed_up("ada@example.com", PASSWORD).await;
    session["access_token"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_code_without_a_link_is_sent_to_the_address() {
    let app = TestApp::start().await;
    let token = signed_in(&app).await;
    let answer = app.get_as(&token, "/reauthenticate").await;
    assert_eq!(answer.ok(), json!({}));
    let mail = app.mailbox.next_to("ada@example.com").await;
    assert_eq!(mail.code().len(), 6);
    assert!((*mail).link().is_none());
    let me = app.get_as(&token, "/user").await.ok();
    assert!(me["reauthentication_sent_at"].is_string());
}

#[tokio::test]
async fn a_nonce_signs_nobody_in() {
    let app = TestApp::start().await;
    let token = signed_in(&app).await;
    app.get_as(&token, "/reauthenticate").await.ok();
    let code = app.mailbox.next_to("ada@example.com").await.code();
    for kind in ["email", "recovery", "magiclink", "signup", "email_change"] {
        let body = json!({ "type": kind, "email": "ada@example.com", "token": code });
        app.post("/verify", body).await.refused(403, "otp_expired");
    }
}

#[tokio::test]
async fn a_token_of_a_user_is_needed() {
    let app = TestApp::start().await;
    app.get("/reauthenticate")
        .await
        .refused(401, "no_authorization");
    app.get_as("nonsense", "/reauthenticate")
        .await
        .refused(403, "bad_jwt");
    app.get_as(&app.service_key(), "/reauthenticate")
        .await
        .refused(403, "bad_jwt");
}

#[tokio::test]
async fn an_address_is_written_to_once_a_minute() {
    for (profile, frequency, pause) in [
        (Profile::Std, None, 60),
        (Profile::Gotrue, Some(60), 60),
        (Profile::Std, Some(5), 5),
    ] {
        let app = TestApp::with(|config| {
            config.profile = profile;
            config.smtp.max_frequency = frequency.map(jiff::SignedDuration::from_secs);
        })
        .await;
        let token = signed_in(&app).await;
        app.get_as(&token, "/reauthenticate").await.ok();
        let early = app.get_as(&token, "/reauthenticate").await;
        let wait: i64 = early.header("retry-after").unwrap().parse().unwrap();
        early.refused(429, "over_email_send_rate_limit");
        assert!((1..=pause).contains(&wait), "{wait}");
        app.advance(wait);
        app.get_as(&token, "/reauthenticate").await.ok();
    }
}

#[tokio::test]
async fn an_address_that_is_not_confirmed_gets_nothing() {
    let app = TestApp::with(|config| config.mailer.allow_unverified_email_sign_ins = true).await;
    let body = json!({ "email": "ada@example.com", "password": PASSWORD });
    app.post("/signup", body).await.ok();
    let session = app.sign_in("ada@example.com", PASSWORD).await.ok();
    let token = session["access_token"].as_str().unwrap();
    app.get_as(token, "/reauthenticate")
        .await
        .refused(422, "email_not_confirmed");
}

#[tokio::test]
async fn a_user_without_address_and_number_cannot_be_asked() {
    let app = TestApp::start().await;
    let token = signed_in(&app).await;
    let sql = app.sql().await;
    sql.batch_execute("update users set email = null")
        .await
        .unwrap();
    let refused = app.get_as(&token, "/reauthenticate").await;
    let refused = refused.refused(400, "validation_failed");
    assert_eq!(
        refused["msg"],
        "Reauthentication requires the user to have an email or a phone number"
    );
    let number = "update users set phone = '49301234567', phone_confirmed_at = now()";
    sql.batch_execute(number).await.unwrap();
    app.get_as(&token, "/reauthenticate")
        .await
        .refused(400, "phone_provider_disabled");
}
