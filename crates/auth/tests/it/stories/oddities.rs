//! Odd behaviour of GoTrue that this server does not share, where no other file covers it.

use innkeeper_auth::config::Profile;
use innkeeper_rest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, TestApp, bearer};

const ADA: &str = "ada@example.com";
const BOB: &str = "bob@example.com";
const PASSWORD: &str = "correct horse";

/// Asserts a client error that reveals nothing about the database.
#[track_caller]
fn refused_clearly(answer: &Answer) {
    assert!((400..500).contains(&answer.status), "{}", answer.text);
    says_nothing_of_the_database(answer);
}

#[track_caller]
fn says_nothing_of_the_database(answer: &Answer) {
    let text = answer.text.to_lowercase();
    for word in [
        "sql",
        "constraint",
        "duplicate key",
        "relation",
        "column",
        "_key",
        "pkey",
    ] {
        assert!(!text.contains(word), "{word}: {}", answer.text);
    }
}

#[tokio::test]
async fn bad_input_that_was_a_failure_of_the_server_is_the_clients_fault() {
    for profile in [Profile::Std, Profile::Gotrue] {
        let app = TestApp::with(|config| {
            config.profile = profile;
            config.mailer.autoconfirm = true;
        })
        .await;
        let ada = app.signed_up(ADA, PASSWORD).await["user"]["id"].clone();
        let bob = app.signed_up(BOB, PASSWORD).await["user"]["id"].clone();
        let challenge = json!({
            "email": "eve@example.com", "password": PASSWORD,
            "code_challenge": "x".repeat(43), "code_challenge_method": "s512",
        });
        refused_clearly(&app.post("/signup", challenge).await);
        let key = app.service_key();
        let long = "x".repeat(5000);
        let bodies: [Value; 3] = [
            json!({ "email": "eve@example.com", "password_hash": "$2a$nonsense" }),
            json!({ "email": "eve@example.com", "password": long }),
            json!({ "email": "eve@example.com", "id": ada }),
        ];
        for body in bodies {
            refused_clearly(&app.post_as(&key, "/admin/users", body).await);
        }
        let target = format!("/admin/users/{}", bob.as_str().unwrap());
        let answer = app.put_as(&key, &target, json!({ "email": ADA })).await;
        refused_clearly(&answer);
        let answer = app.get("/verify?token=pkce_x&type=nonsense").await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        assert!(
            answer
                .header("location")
                .unwrap()
                .contains("error_code=validation_failed")
        );
    }
}

#[tokio::test]
async fn a_failure_of_the_database_is_told_without_its_words() {
    let app = TestApp::autoconfirm().await;
    app.signed_up(ADA, PASSWORD).await;
    let sql = app.sql().await;
    sql.batch_execute("alter table audit_log_entries rename to somewhere_else")
        .await
        .unwrap();
    let answer = app.sign_in(ADA, PASSWORD).await;
    says_nothing_of_the_database(&answer);
    assert!(!answer.text.contains("audit"), "{}", answer.text);
    answer.refused(500, "unexpected_failure");
}

#[tokio::test]
async fn a_pending_change_of_address_is_found_in_its_own_audience_only() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up(ADA, PASSWORD).await;
    let token = session["access_token"].as_str().unwrap();
    app.put_as(token, "/user", json!({ "email": BOB }))
        .await
        .ok();
    let code = app.mailbox.next_to(BOB).await.code();
    let body = json!({ "type": "email_change", "email": BOB, "token": code });
    let elsewhere = [("X-JWT-AUD", "somewhere else")];
    let answer = app
        .send(Method::POST, "/verify", &elsewhere, Some(&body))
        .await;
    answer.refused(403, "otp_expired");
    app.post("/verify", body).await.ok();
    let (name, value) = bearer(token);
    let me = app
        .send(Method::GET, "/user", &[(name, &value)], None)
        .await
        .ok();
    assert_eq!(me["email"], BOB);
}
