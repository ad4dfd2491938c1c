//! Sign up, read the mail, confirm, sign in, refresh, read the account, sign out.

use serde_json::json;

use crate::support::TestApp;

#[tokio::test]
async fn a_user_signs_up_confirms_by_code_signs_in_refreshes_and_signs_out() {
    let app = TestApp::start().await;
    let body = json!({ "email": "Ada@Example.com", "password": "correct horse", "data": { "name": "Ada" } });
    let user = app.post("/signup", body).await.ok();
    assert_eq!(user["email"], "ada@example.com");
    assert_eq!(user["user_metadata"]["name"], "Ada");
    assert_eq!(user["app_metadata"]["provider"], "email");
    assert!(user["confirmation_sent_at"].is_string());
    assert!(user.get("email_confirmed_at").is_none());

    app.sign_in("ada@example.com", "correct horse")
        .await
        .refused(400, "email_not_confirmed");

    let mail = app.mailbox.next_to("ada@example.com").await;
    let body = json!({ "type": "signup", "email": "ada@example.com", "token": mail.code() });
    let confirmed = app.post("/verify", body).await.ok();
    assert_eq!(confirmed["type"], "signup");
    assert_eq!(confirmed["token_type"], "bearer");
    assert!(confirmed["user"]["email_confirmed_at"].is_string());

    let signed_in = app.sign_in("ada@example.com", "correct horse").await.ok();
    assert_eq!(signed_in["weak_password"], json!(null));
    let refreshed = app
        .refresh(signed_in["refresh_token"].as_str().unwrap())
        .await
        .ok();
    assert_ne!(refreshed["refresh_token"], signed_in["refresh_token"]);
    let access = refreshed["access_token"].as_str().unwrap();
    let me = app.get_as(access, "/user").await.ok();
    assert_eq!(me["id"], confirmed["user"]["id"]);
    assert_eq!(me["identities"][0]["provider"], "email");

    app.post_as(access, "/logout", json!({})).await.failed(204);
    app.get_as(access, "/user")
        .await
        .refused(403, "session_not_found");
    app.refresh(refreshed["refresh_token"].as_str().unwrap())
        .await
        .refused(400, "refresh_token_not_found");
}
