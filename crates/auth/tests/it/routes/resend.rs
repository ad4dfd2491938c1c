//! `POST /resend`.

use innkeeper_auth::config::Profile;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::TestApp;
use crate::support::mail_flows::without_pauses;

fn body(kind: &str, email: &str) -> Value {
    json!({ "type": kind, "email": email })
}

#[tokio::test]
async fn the_confirmation_of_a_sign_up_is_sent_again() {
    let app = TestApp::with(without_pauses).await;
    let first = app.mail_of_signup("ada@example.com").await;
    app.post("/resend", body("signup", "Ada@example.com"))
        .await
        .ok();
    let second = app.mailbox.next_to("ada@example.com").await;
    assert_eq!(second.subject(), "Confirm Your Signup");
    // Either link works, and once one was used, neither does.
    app.verify_link("signup", &first.token()).await.ok();
    app.verify_link("signup", &second.token())
        .await
        .refused(403, "otp_expired");
    // The mail still confirms the sign-up, so its password is kept.
    app.sign_in("ada@example.com", "correct horse").await.ok();
}

#[tokio::test]
async fn resending_does_not_make_a_doubtful_password_good() {
    let app = TestApp::with(without_pauses).await;
    app.mail_of_signup("ada@example.com").await;
    app.mail_of("/otp", "ada@example.com").await;
    app.post("/resend", body("signup", "ada@example.com"))
        .await
        .ok();
    let mail = app.mailbox.next_to("ada@example.com").await;
    app.verify_link("signup", &mail.token()).await.ok();
    app.sign_in("ada@example.com", "correct horse")
        .await
        .refused(400, "invalid_credentials");
}

#[tokio::test]
async fn both_addresses_of_a_change_are_asked_again() {
    let app = TestApp::with(without_pauses).await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let access_token = session["access_token"].as_str().unwrap();
    let change = json!({ "email": "lovelace@example.com" });
    app.put_as(access_token, "/user", change).await.ok();
    let former = app.mailbox.next_to("ada@example.com").await;
    app.mailbox.next_to("lovelace@example.com").await;
    app.post("/resend", body("email_change", "ada@example.com"))
        .await
        .ok();
    let to_old = app.mailbox.next_to("ada@example.com").await;
    let to_new = app.mailbox.next_to("lovelace@example.com").await;
    app.verify_link("email_change", &former.token())
        .await
        .refused(403, "otp_expired");
    app.verify_link("email_change", &to_old.token()).await.ok();
    let whole = app.verify_link("email_change", &to_new.token()).await.ok();
    assert_eq!(whole["user"]["email"], "lovelace@example.com");
}

#[tokio::test]
async fn nobody_learns_whether_there_was_something_to_send() {
    let app = TestApp::with(without_pauses).await;
    app.confirmed("ada@example.com").await;
    app.mail_of_signup("bob@example.com").await;
    for kind in ["signup", "email_change"] {
        for email in ["ada@example.com", "bob@example.com", "nobody@example.com"] {
            let plain = app.post("/resend", body(kind, email)).await.ok();
            let members = plain.as_object().unwrap();
            assert_eq!(members.len(), 1, "{plain}");
            let id: Uuid = plain["message_id"].as_str().unwrap().parse().unwrap();
            assert_eq!(id.get_version_num(), 4);
            let again = app.post("/resend", body(kind, email)).await.ok();
            assert_ne!(again, plain);
            let dated = app.post_versioned("/resend", body(kind, email)).await;
            assert_eq!((dated.status, dated.text.as_str()), (200, "{}"));
        }
    }
    app.assert_no_mail("ada@example.com").await;
    app.assert_no_mail("nobody@example.com").await;
    assert_eq!(app.accounts("nobody@example.com").await, 0);
}

#[tokio::test]
async fn in_gotrue_there_is_no_message_id() {
    let app = TestApp::with(|config| {
        without_pauses(config);
        config.profile = Profile::Gotrue;
    })
    .await;
    app.mail_of_signup("ada@example.com").await;
    for email in ["ada@example.com", "nobody@example.com"] {
        let answer = app.post("/resend", body("signup", email)).await;
        assert_eq!((answer.status, answer.text.as_str()), (200, "{}"));
    }
    app.mailbox.next_to("ada@example.com").await;
}

#[tokio::test]
async fn the_type_must_be_one_of_four_and_fit_the_rest() {
    let app = TestApp::start().await;
    for kind in [
        json!(null),
        json!(""),
        json!("recovery"),
        json!("magiclink"),
        json!("SIGNUP"),
    ] {
        let body = json!({ "type": kind, "email": "ada@example.com" });
        let answer = app
            .post("/resend", body.clone())
            .await
            .refused(400, "validation_failed");
        assert_eq!(
            answer["msg"],
            "Missing one of these types: signup, email_change, sms, phone_change"
        );
        app.post_versioned("/resend", body)
            .await
            .refused(400, "validation_failed");
    }
    for body in [
        json!({ "type": "signup" }),
        json!({ "type": "email_change", "phone": "4930123456" }),
        json!({ "type": "signup", "email": "ada@example.com", "phone": "4930123456" }),
        json!({ "type": "sms" }),
        json!({ "type": "sms", "email": "ada@example.com" }),
        json!({ "type": "phone_change", "email": "ada@example.com", "phone": "4930123456" }),
        json!({ "type": "signup", "email": "xx:;x@x.x" }),
        json!({ "type": "sms", "phone": "invalid" }),
    ] {
        app.post("/resend", body.clone())
            .await
            .refused(400, "validation_failed");
    }
    for body in [
        json!({ "type": 1 }),
        json!({ "type": "signup", "email": [] }),
        json!([]),
    ] {
        app.post("/resend", body).await.refused(400, "bad_json");
    }
}

#[tokio::test]
async fn text_messages_are_refused_while_there_is_no_provider() {
    let app = TestApp::start().await;
    for kind in ["sms", "phone_change"] {
        let body = json!({ "type": kind, "phone": "+49 30 123456" });
        app.post("/resend", body)
            .await
            .refused(400, "phone_provider_disabled");
    }
}

#[tokio::test]
async fn it_is_refused_when_email_is_off() {
    let app = TestApp::with(|config| config.external.email_enabled = false).await;
    app.post("/resend", body("signup", "ada@example.com"))
        .await
        .refused(400, "email_provider_disabled");
}
