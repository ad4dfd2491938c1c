//! An operator invites somebody, who accepts and chooses a password.

use serde_json::{Value, json};

use crate::support::TestApp;
use crate::support::operator::count;

async fn invited(app: &TestApp) -> (Value, crate::support::mailbox::ReceivedMail) {
    let user = app
        .operator()
        .post("/invite", json!({ "email": "ada@example.com" }))
        .await
        .ok();
    let mail = app.mailbox.next_to("ada@example.com").await;
    (user, mail)
}

const NO_PASSWORD: &str = "select count(*) from users where encrypted_password is null";

#[tokio::test]
async fn an_invited_user_follows_the_link_and_sets_a_password_afterwards() {
    let app = TestApp::with(|config| config.disable_signup = true).await;
    let (user, mail) = invited(&app).await;
    let link = mail.link();
    let target = format!("{}?{}", link.path(), link.query().unwrap());
    let answer = app.get(&target).await;
    assert_eq!(answer.status, 303);
    let location = url::Url::parse(answer.header("location").unwrap()).unwrap();
    let fragment = location.fragment().unwrap();
    let pairs: Vec<_> = url::form_urlencoded::parse(fragment.as_bytes()).collect();
    let value = |name: &str| pairs.iter().find(|(key, _)| key == name).unwrap().1.clone();
    assert_eq!(value("type"), "invite");
    let token = value("access_token");
    assert_eq!(count(&app.sql().await, NO_PASSWORD).await, 1);

    let me = app.get_as(&token, "/user").await.ok();
    assert_eq!(me["id"], user["id"]);
    assert!(me["email_confirmed_at"].is_string());
    let body = json!({ "password": "correct horse" });
    app.put_as(&token, "/user", body).await.ok();
    app.sign_in("ada@example.com", "correct horse").await.ok();
}

#[tokio::test]
async fn an_invited_user_sends_the_code_and_a_password_at_once() {
    let app = TestApp::start().await;
    let (user, mail) = invited(&app).await;
    let weak = json!({ "type": "invite", "email": "ada@example.com", "token": mail.code(), "password": "x" });
    app.post("/verify", weak)
        .await
        .refused(422, "weak_password");
    let body = json!({
        "type": "invite", "email": "ada@example.com", "token": mail.code(), "password": "correct horse",
    });
    let session = app.post("/verify", body).await.ok();
    assert_eq!(session["type"], "invite");
    assert_eq!(session["user"]["id"], user["id"]);
    app.sign_in("ada@example.com", "correct horse").await.ok();
}

#[tokio::test]
async fn an_invitation_ends_with_its_time() {
    let app = TestApp::start().await;
    let (_, mail) = invited(&app).await;
    app.advance(app.config.mailer.otp_exp.as_secs() + 1);
    let body = json!({ "type": "invite", "token_hash": mail.token() });
    app.post("/verify", body).await.refused(403, "otp_expired");
    let (_, mail) = invited(&app).await;
    let body = json!({ "type": "invite", "token_hash": mail.token() });
    app.post("/verify", body).await.ok();
}
