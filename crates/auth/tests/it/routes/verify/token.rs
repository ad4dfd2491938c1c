//! `POST /verify` with `type` and `token` alone: the token of a link.

use innkeeper_auth::config::Profile;
use serde_json::{Value, json};

use super::{FLOWS, TYPES};
use crate::support::mail_flows::without_pauses;
use crate::support::{Answer, TestApp};

const NO_ADDRESS: &str = "Only an email address or phone number should be provided on verify";

impl TestApp {
    /// Verifies with the token of a link, as the specification says.
    async fn verify_token(&self, kind: &str, token: &str) -> Answer {
        let body = json!({ "type": kind, "token": token });
        self.post("/verify", body).await
    }
}

#[tokio::test]
async fn the_token_of_a_link_needs_no_address() {
    let app = TestApp::with(without_pauses).await;
    for (number, flow) in FLOWS.iter().enumerate() {
        for (kind, resolved) in flow.good_for {
            let case = format!("{} as {kind}", flow.name);
            let email = format!("link-{number}-{kind}@example.com");
            let mail = flow.mail(&app, &email).await;
            for wrong in TYPES.into_iter().filter(|kind| !flow.is_good_for(kind)) {
                let answer = app.verify_token(wrong, &mail.token()).await;
                assert!([400, 403].contains(&answer.status), "{case}: {wrong}");
            }
            let answer = app.verify_token(kind, &mail.token()).await;
            assert_eq!(answer.status, 200, "{case}: {}", answer.text);
            assert_eq!(answer.body["type"], resolved, "{case}");
            assert_eq!(answer.body["user"]["email"], email, "{case}");
            assert!(answer.body["access_token"].is_string(), "{case}");
            app.verify_token(kind, &mail.token())
                .await
                .refused(403, "otp_expired");
        }
    }
}

#[tokio::test]
async fn a_change_of_address_is_confirmed_by_the_tokens_of_both_links() {
    let app = TestApp::with(without_pauses).await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let token = session["access_token"].as_str().unwrap();
    let body = json!({ "email": "lovelace@example.com" });
    app.put_as(token, "/user", body).await.ok();
    let first = app.mailbox.next_to("ada@example.com").await;
    let half = app.verify_token("email_change", &first.token()).await.ok();
    assert!(half["msg"].as_str().unwrap().contains("other email"));
    let second = app.mailbox.next_to("lovelace@example.com").await;
    let whole = app.verify_token("email_change", &second.token()).await.ok();
    assert_eq!(whole["type"], "email_change");
    assert_eq!(whole["user"]["email"], "lovelace@example.com");
}

#[tokio::test]
async fn an_account_without_a_password_is_given_one_by_the_link() {
    let app = TestApp::with(without_pauses).await;
    for (path, kind) in [("/otp", "signup"), ("/invite", "invite")] {
        let email = format!("{kind}@example.com");
        let body = json!({ "email": email });
        app.post_as(&app.service_key(), path, body).await.ok();
        let mail = app.mailbox.next_to(&email).await;
        let body =
            |password: &str| json!({ "type": kind, "token": mail.token(), "password": password });
        app.post("/verify", body("12345"))
            .await
            .refused(422, "weak_password");
        app.post("/verify", body("correct horse")).await.ok();
        app.sign_in(&email, "correct horse").await.ok();

        let mail = app.mail_of("/recover", &email).await;
        let body = json!({ "type": "recovery", "token": mail.token(), "password": "another one" });
        app.post("/verify", body).await.ok();
        app.sign_in(&email, "correct horse").await.ok();
    }
}

/// The code is six digits, so it must be worth nothing to somebody who does not know whose it is.
#[tokio::test]
async fn a_code_without_its_address_opens_nothing() {
    let app = TestApp::with(without_pauses).await;
    let (ada, bob) = ("ada@example.com", "bob@example.com");
    let mails = [
        ("signup", ada, app.mail_of_signup(ada).await),
        ("email", bob, app.mail_of("/otp", bob).await),
    ];
    for (kind, email, mail) in mails {
        for other in TYPES {
            let refused = app.verify_token(other, &mail.code()).await;
            let body: Value = refused.refused(400, "validation_failed");
            assert_eq!(body["msg"], NO_ADDRESS, "{other}");
        }
        app.verify_code(kind, email, &mail.code()).await.ok();
    }
}

#[tokio::test]
async fn text_messages_have_no_links() {
    let app = TestApp::start().await;
    let mail = app.mail_of_signup("ada@example.com").await;
    for kind in ["sms", "phone_change"] {
        let refused = app.verify_token(kind, &mail.token()).await;
        let body = refused.refused(400, "validation_failed");
        assert_eq!(body["msg"], NO_ADDRESS);
    }
}

#[tokio::test]
async fn gotrue_wants_an_address_with_every_token() {
    let app = TestApp::with(|config| config.profile = Profile::Gotrue).await;
    let mail = app.mail_of_signup("ada@example.com").await;
    let refused = app.verify_token("signup", &mail.token()).await;
    let body = refused.refused(400, "validation_failed");
    assert_eq!(body["msg"], NO_ADDRESS);
    app.verify_link("signup", &mail.token()).await.ok();
}
