//! `GET /user/sessions` and `DELETE /user/sessions/{id}`.

use innkeeper_rest::Method;
use serde_json::{Value, json};

use crate::support::{TestApp, bearer, redacted};

const PASSWORD: &str = "correct horse";

/// Signs in with this user agent and returns the access token and the refresh token.
async fn sign_in_with(app: &TestApp, agent: &str) -> (String, String) {
    let body = json!({ "email": "ada@example.com", "password": PASSWORD });
    let target = "/token?grant_type=password";
    let headers = [("User-Agent", agent)];
    let answer = app.send(Method::POST, target, &headers, Some(&body)).await;
    (
        answer.text_at("/access_token"),
        answer.text_at("/refresh_token"),
    )
}

async fn list(app: &TestApp, token: &str) -> Vec<Value> {
    let listed = app.get_as(token, "/user/sessions").await.ok();
    listed["sessions"].as_array().unwrap().clone()
}

#[tokio::test]
async fn the_sessions_are_listed_with_the_one_used_last_first() {
    let app = TestApp::autoconfirm().await;
    app.signed_up("ada@example.com", PASSWORD).await;
    app.advance(10);
    let (phone, refresh) = sign_in_with(&app, "phone").await;
    app.advance(10);
    let (laptop, _) = sign_in_with(&app, "laptop").await;
    let agents = |sessions: &[Value]| -> Vec<Value> {
        sessions
            .iter()
            .map(|session| session["user_agent"].clone())
            .collect()
    };
    let sessions = list(&app, &laptop).await;
    assert_eq!(
        agents(&sessions),
        [json!("laptop"), json!("phone"), json!(null)]
    );
    assert_eq!(
        redacted(&sessions[0]),
        json!({
            "id": "[uuid]",
            "created_at": "[time]",
            "updated_at": "[time]",
            "aal": "aal1",
            "user_agent": "laptop",
            "ip": "127.0.0.1",
            "current": true,
        })
    );
    assert_eq!(sessions[1]["current"], false);

    app.advance(10);
    app.refresh(&refresh).await.ok();
    let sessions = list(&app, &phone).await;
    assert_eq!(sessions[0]["current"], true);
    assert!(sessions[0]["refreshed_at"].is_string());
}

#[tokio::test]
async fn one_session_is_ended_and_the_others_go_on() {
    let app = TestApp::autoconfirm().await;
    app.signed_up("ada@example.com", PASSWORD).await;
    let (phone, refresh) = sign_in_with(&app, "phone").await;
    let (laptop, _) = sign_in_with(&app, "laptop").await;
    let current = list(&app, &phone)
        .await
        .into_iter()
        .find(|session| session["current"] == true)
        .unwrap();
    let target = format!("/user/sessions/{}", current["id"].as_str().unwrap());

    let ended = app.delete_as(&laptop, &target, None).await;
    assert_eq!((ended.status, ended.text.as_str()), (204, ""));
    app.get_as(&phone, "/user")
        .await
        .refused(403, "session_not_found");
    app.refresh(&refresh).await.failed(400);
    assert_eq!(list(&app, &laptop).await.len(), 2);
    app.delete_as(&laptop, &target, None)
        .await
        .refused(404, "session_not_found");

    let own = list(&app, &laptop).await;
    let own = own
        .iter()
        .find(|session| session["current"] == true)
        .unwrap();
    assert_ne!(own["id"], current["id"]);
    let target = format!("/user/sessions/{}", own["id"].as_str().unwrap());
    app.delete_as(&laptop, &target, None).await.failed(204);
    app.get_as(&laptop, "/user")
        .await
        .refused(403, "session_not_found");
}

#[tokio::test]
async fn nobody_ends_or_sees_the_sessions_of_another() {
    let app = TestApp::autoconfirm().await;
    app.signed_up("ada@example.com", PASSWORD).await;
    let (ada, _) = sign_in_with(&app, "phone").await;
    let eve = app.signed_up("eve@example.com", PASSWORD).await;
    let eve = eve["access_token"].as_str().unwrap();
    let id = list(&app, &ada).await[0]["id"].as_str().unwrap().to_owned();
    app.delete_as(eve, &format!("/user/sessions/{id}"), None)
        .await
        .refused(404, "session_not_found");
    assert_eq!(list(&app, eve).await.len(), 1);
    assert_eq!(list(&app, &ada).await.len(), 2);
}

#[tokio::test]
async fn ids_and_tokens_are_checked() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up("ada@example.com", PASSWORD).await;
    let token = session["access_token"].as_str().unwrap();
    for (id, status) in [
        ("none", 404),
        ("00000000-0000-0000-0000-00000000000", 404),
        ("%00", 400),
    ] {
        app.delete_as(token, &format!("/user/sessions/{id}"), None)
            .await
            .refused(status, "validation_failed");
    }
    app.get("/user/sessions")
        .await
        .refused(401, "no_authorization");
    let (name, value) = bearer(&app.service_key());
    app.send(Method::GET, "/user/sessions", &[(name, &value)], None)
        .await
        .refused(403, "bad_jwt");
}

#[tokio::test]
async fn the_end_of_a_session_stands_in_the_audit_log() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up("ada@example.com", PASSWORD).await;
    let token = session["access_token"].as_str().unwrap();
    let (_, _) = sign_in_with(&app, "phone").await;
    let other = list(&app, token).await;
    let other = other
        .iter()
        .find(|session| session["current"] == false)
        .unwrap();
    let target = format!("/user/sessions/{}", other["id"].as_str().unwrap());
    app.delete_as(token, &target, None).await.failed(204);
    let log = app.get_as(&app.service_key(), "/admin/audit").await.ok();
    let entry = &log[0]["payload"];
    assert_eq!(entry["action"], "logout");
    assert_eq!(entry["actor_username"], "ada@example.com");
}
