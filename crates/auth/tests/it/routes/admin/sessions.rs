//! `/admin/users/{id}/sessions`.

use innkeeper_rest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::TestApp;
use crate::support::operator::path_of;

async fn sign_in_with(app: &TestApp, agent: &str) -> Value {
    let body = json!({ "email": "ada@example.com", "password": "correct horse" });
    let headers = [("user-agent", agent)];
    let target = "/token?grant_type=password";
    app.send(Method::POST, target, &headers, Some(&body))
        .await
        .ok()
}

fn token(session: &Value) -> &str {
    session["access_token"].as_str().unwrap()
}

#[tokio::test]
async fn an_operator_sees_and_ends_the_sessions_of_a_user() {
    let app = TestApp::autoconfirm().await;
    let operator = app.operator();
    let first = app.signed_up("ada@example.com", "correct horse").await;
    app.advance(60);
    let laptop = sign_in_with(&app, "laptop").await;
    app.advance(60);
    let phone = sign_in_with(&app, "phone").await;
    let other = app.signed_up("bea@example.com", "correct horse").await;
    let path = format!("{}/sessions", path_of(&first["user"]));

    let listed = operator.get(&path).await;
    assert!(!listed.text.contains("hmac"), "{}", listed.text);
    let sessions = listed.body["sessions"].as_array().unwrap().clone();
    let agents: Vec<_> = sessions.iter().map(|it| it["user_agent"].clone()).collect();
    assert_eq!(agents[..2], [json!("phone"), json!("laptop")]);
    assert_eq!(sessions.len(), 3);
    assert_eq!(sessions[0]["ip"], "127.0.0.1");
    assert_eq!(sessions[0]["aal"], "aal1");

    let one = format!("{path}/{}", sessions[0]["id"].as_str().unwrap());
    let answer = operator.delete(&one, None).await;
    assert_eq!((answer.status, answer.text.as_str()), (204, ""));
    app.get_as(token(&phone), "/user")
        .await
        .refused(403, "session_not_found");
    let refresh = phone["refresh_token"].as_str().unwrap();
    app.refresh(refresh)
        .await
        .refused(400, "refresh_token_not_found");
    app.get_as(token(&laptop), "/user").await.ok();
    operator
        .delete(&one, None)
        .await
        .refused(404, "session_not_found");

    operator.delete(&path, None).await.failed(204);
    app.get_as(token(&laptop), "/user")
        .await
        .refused(403, "session_not_found");
    app.get_as(token(&first), "/user")
        .await
        .refused(403, "session_not_found");
    app.get_as(token(&other), "/user").await.ok();
    assert_eq!(operator.get(&path).await.ok(), json!({ "sessions": [] }));
    operator.delete(&path, None).await.failed(204);
}

#[tokio::test]
async fn sessions_of_others_and_of_nobody_are_not_found() {
    let app = TestApp::autoconfirm().await;
    let operator = app.operator();
    let ada = app.signed_up("ada@example.com", "correct horse").await;
    let bea = app.signed_up("bea@example.com", "correct horse").await;
    let sessions = format!("{}/sessions", path_of(&bea["user"]));
    let id = operator.get(&sessions).await.text_at("/sessions/0/id");
    let of_ada = format!("{}/sessions/{id}", path_of(&ada["user"]));
    operator
        .delete(&of_ada, None)
        .await
        .refused(404, "session_not_found");
    app.get_as(token(&bea), "/user").await.ok();

    let unknown = format!("/admin/users/{}/sessions", Uuid::new_v4());
    operator.get(&unknown).await.refused(404, "user_not_found");
    operator
        .delete(&unknown, None)
        .await
        .refused(404, "user_not_found");
    let of_unknown = format!("{unknown}/{id}");
    operator
        .delete(&of_unknown, None)
        .await
        .refused(404, "user_not_found");
    operator
        .get("/admin/users/x/sessions")
        .await
        .refused(404, "validation_failed");
    let malformed = format!("{sessions}/x");
    operator
        .delete(&malformed, None)
        .await
        .refused(404, "validation_failed");
}
