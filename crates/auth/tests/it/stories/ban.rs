//! An operator bans a user, which takes effect immediately and everywhere, and lifts the ban.

use serde_json::{Value, json};

use crate::support::TestApp;
use crate::support::operator::path_of;

async fn user(app: &TestApp) -> Value {
    let body =
        json!({ "email": "ada@example.com", "password": "correct horse", "email_confirm": true });
    app.operator().create(body).await
}

#[tokio::test]
async fn a_ban_takes_effect_at_once_and_lifting_it_too() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let user = user(&app).await;
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let token = session["access_token"].as_str().unwrap();
    let refresh = session["refresh_token"].as_str().unwrap();
    app.post("/recover", json!({ "email": "ada@example.com" }))
        .await
        .ok();
    let mail = app.mailbox.next_to("ada@example.com").await;
    app.get_as(token, "/user").await.ok();

    let banned = operator
        .put(&path_of(&user), json!({ "ban_duration": "24h" }))
        .await
        .ok();
    assert!(banned["banned_until"].is_string());
    app.get_as(token, "/user").await.refused(403, "user_banned");
    let body = json!({ "data": { "a": 1 } });
    app.put_as(token, "/user", body)
        .await
        .refused(403, "user_banned");
    let refusal = app.refresh(refresh).await.refused(400, "user_banned");
    assert_eq!(refusal["msg"], "Invalid Refresh Token: User Banned");
    let refusal = app
        .sign_in("ada@example.com", "correct horse")
        .await
        .refused(400, "user_banned");
    assert_eq!(refusal["msg"], "User is banned");
    let body = json!({ "type": "recovery", "token_hash": mail.token() });
    app.post("/verify", body).await.refused(403, "user_banned");

    let lifted = operator
        .put(&path_of(&user), json!({ "ban_duration": "none" }))
        .await
        .ok();
    assert!(lifted.get("banned_until").is_none());
    app.get_as(token, "/user").await.ok();
    app.refresh(refresh).await.ok();
    let body = json!({ "type": "recovery", "token_hash": mail.token() });
    app.post("/verify", body).await.ok();
}

#[tokio::test]
async fn who_does_not_know_the_password_does_not_learn_of_the_ban() {
    let app = TestApp::start().await;
    let user = user(&app).await;
    let body = json!({ "ban_duration": "24h" });
    app.operator().put(&path_of(&user), body).await.ok();
    let wrong = app.sign_in("ada@example.com", "wrong horse").await;
    let unknown = app.sign_in("nobody@example.com", "wrong horse").await;
    assert_eq!((wrong.status, &wrong.text), (unknown.status, &unknown.text));
    wrong.refused(400, "invalid_credentials");
}

#[tokio::test]
async fn a_ban_ends_with_its_time() {
    let app = TestApp::start().await;
    let user = user(&app).await;
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let body = json!({ "ban_duration": "1h30m" });
    app.operator().put(&path_of(&user), body).await.ok();
    app.advance(5390);
    app.sign_in("ada@example.com", "correct horse")
        .await
        .refused(400, "user_banned");
    app.advance(20);
    app.sign_in("ada@example.com", "correct horse").await.ok();
    app.refresh(session["refresh_token"].as_str().unwrap())
        .await
        .ok();
}

#[tokio::test]
async fn an_application_may_ban_for_ever() {
    let app = TestApp::start().await;
    let user = user(&app).await;
    let sql = app.sql().await;
    sql.execute("update users set banned_until = 'infinity'", &[])
        .await
        .unwrap();
    app.sign_in("ada@example.com", "correct horse")
        .await
        .refused(400, "user_banned");
    let shown = app.operator().show(&user).await;
    assert!(
        shown["banned_until"].as_str().unwrap().starts_with("9999-"),
        "{shown}"
    );
    app.operator().get("/admin/users").await.ok();
    let body = json!({ "ban_duration": "none" });
    app.operator().put(&path_of(&user), body).await.ok();
    app.sign_in("ada@example.com", "correct horse").await.ok();
}
