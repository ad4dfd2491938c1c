//! Data in GoTrue's databases and tokens that has no effect here.

use serde_json::json;
use uuid::Uuid;

use crate::support::TestApp;
use crate::support::tokens::{parts_of, text};

#[tokio::test]
async fn a_super_admin_of_old_is_a_user_like_any_other() {
    let app = TestApp::autoconfirm().await;
    app.signed_up("ada@example.com", "correct horse").await;
    let sql = app.sql().await;
    sql.execute("update users set is_super_admin = true", &[])
        .await
        .unwrap();
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let token = text(&session, "access_token");
    let user = app.get_as(&token, "/user").await.ok();
    assert!(user.get("is_super_admin").is_none());
    app.get_as(&token, "/admin/users")
        .await
        .refused(403, "not_admin");
}

#[tokio::test]
async fn the_zero_id_is_nobody() {
    let app = TestApp::start().await;
    let claims = json!({ "sub": Uuid::nil(), "aud": "authenticated", "role": "authenticated" });
    app.get_as(&app.token_of_secret(&claims), "/user")
        .await
        .refused(403, "user_not_found");
    let admin = json!({ "sub": Uuid::nil(), "aud": "authenticated" });
    app.get_as(&app.token_of_secret(&admin), "/admin/users")
        .await
        .refused(403, "not_admin");
}

#[tokio::test]
async fn groups_are_neither_written_into_tokens_nor_read_from_them() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let (_, claims) = parts_of(&text(&session, "access_token"));
    assert!(claims.get("groups").is_none() && claims.get("group").is_none());
    let mut claims = app.claims_for(&session["user"]);
    claims["groups"] = json!([app.config.jwt.admin_group_name]);
    app.get_as(&app.token_of_secret(&claims), "/admin/users")
        .await
        .refused(403, "not_admin");
}

#[tokio::test]
async fn instances_tell_no_users_apart() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let sql = app.sql().await;
    sql.execute("update users set instance_id = gen_random_uuid()", &[])
        .await
        .unwrap();
    let again = app.sign_in("ada@example.com", "correct horse").await.ok();
    assert_eq!(again["user"]["id"], session["user"]["id"]);
}

#[tokio::test]
async fn paths_have_no_version() {
    let app = TestApp::start().await;
    app.get("/settings").await.ok();
    for target in ["/v1/settings", "/auth/v1/settings"] {
        app.get(target).await.refused(404, "not_found");
    }
    let document = innkeeper_auth::Auth::openapi().unwrap();
    for path in document["paths"].as_object().unwrap().keys() {
        let first = path.split('/').nth(1).unwrap();
        let is_version = first
            .strip_prefix('v')
            .is_some_and(|rest| rest.starts_with(|it: char| it.is_ascii_digit()));
        assert!(!is_version, "{path}");
    }
}
