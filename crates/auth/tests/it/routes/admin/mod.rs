//! `/admin/…`: access to all routes, and one file per path.

mod audit;
mod custom_providers;
mod generate_link;
mod mail;
mod sessions;
mod users;
mod users_cursor;
mod users_delete;
mod users_input;
mod users_list;
mod users_password;
mod users_update;

use innkeeper_rest::Method;
use serde_json::json;
use uuid::Uuid;

use crate::support::{API_VERSION_2024, TestApp, bearer};

/// Returns every route below `/admin`, and `/invite`, which needs an admin role too.
fn routes() -> Vec<(Method, String)> {
    let user = format!("/admin/users/{}", Uuid::new_v4());
    vec![
        (Method::GET, "/admin/users".to_owned()),
        (Method::POST, "/admin/users".to_owned()),
        (Method::POST, user.clone()),
        (Method::GET, user.clone()),
        (Method::PUT, user.clone()),
        (Method::DELETE, user.clone()),
        (Method::GET, format!("{user}/sessions")),
        (Method::DELETE, format!("{user}/sessions")),
        (
            Method::DELETE,
            format!("{user}/sessions/{}", Uuid::new_v4()),
        ),
        (Method::POST, "/admin/generate_link".to_owned()),
        (Method::GET, "/admin/audit".to_owned()),
        (Method::GET, "/admin/mail".to_owned()),
        (
            Method::POST,
            format!("/admin/mail/{}/retry", Uuid::new_v4()),
        ),
        (Method::GET, "/admin/custom-providers".to_owned()),
        (Method::POST, "/admin/custom-providers".to_owned()),
        (Method::GET, "/admin/custom-providers/custom:a".to_owned()),
        (Method::PUT, "/admin/custom-providers/custom:a".to_owned()),
        (
            Method::DELETE,
            "/admin/custom-providers/custom:a".to_owned(),
        ),
        (Method::POST, "/invite".to_owned()),
    ]
}

#[tokio::test]
async fn operators_routes_need_a_token_of_an_admin_role() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let own = session["access_token"].as_str().unwrap().to_owned();
    let anonymous = app.token_of_secret(&json!({ "role": "anon" }));
    let without_role = app.token_of_secret(&json!({ "sub": session["user"]["id"] }));
    let nearly = app.token_of_secret(&json!({ "role": "Service_Role" }));
    let body = json!({ "email": "new@example.com", "type": "magiclink" });
    for (method, target) in routes() {
        let ask = async |header: Option<&str>| {
            let headers: Vec<_> = header.map(|it| ("authorization", it)).into_iter().collect();
            let body = (method != Method::GET).then_some(&body);
            app.send(method.clone(), &target, &headers, body).await
        };
        let refusal = ask(None).await.refused(401, "no_authorization");
        assert_eq!(
            refusal["msg"],
            "This endpoint requires a valid Bearer token"
        );
        ask(Some("Basic YTpi"))
            .await
            .refused(401, "no_authorization");
        ask(Some("Bearer nonsense")).await.refused(403, "bad_jwt");
        for token in [&own, &anonymous, &without_role, &nearly] {
            let (_, header) = bearer(token);
            let refusal = ask(Some(&header)).await.refused(403, "not_admin");
            assert_eq!(refusal["msg"], "User not allowed");
        }
    }
    let (name, value) = bearer(&own);
    let headers = [(name, value.as_str()), API_VERSION_2024];
    let refusal = app.send(Method::GET, "/admin/users", &headers, None).await;
    let refusal = refusal.failed(403);
    assert_eq!(
        refusal,
        json!({ "code": "not_admin", "message": "User not allowed" })
    );
    assert_eq!(app.mailbox.count_to("new@example.com"), 0);
}

#[tokio::test]
async fn the_admin_roles_are_a_setting() {
    let app = TestApp::with(|config| {
        config.jwt.admin_roles = vec!["keeper".to_owned(), "warden".to_owned()];
    })
    .await;
    for (role, status) in [("keeper", 200), ("warden", 200), ("service_role", 403)] {
        let key = app.token_of_secret(&json!({ "role": role }));
        app.get_as(&key, "/admin/users").await.failed(status);
    }
}

#[tokio::test]
async fn keys_of_services_need_neither_audience_nor_end_nor_a_user() {
    let app = TestApp::start().await;
    let now = app.clock.now().as_second();
    for claims in [
        json!({ "role": "service_role" }),
        json!({ "role": "supabase_admin", "aud": "admin", "sub": "admin" }),
        json!({ "role": "supabase_admin", "sub": "1234567890" }),
        json!({ "role": "service_role", "iat": now - 60, "iss": "a script", "ref": "abc" }),
        json!({ "role": "service_role", "aud": ["a", "b"], "exp": now + 60 }),
        json!({ "role": "service_role", "aud": null, "sub": "", "session_id": "" }),
    ] {
        let operator = app.operator_with(app.token_of_secret(&claims));
        let list = operator.get("/admin/users").await.ok();
        assert_eq!(list["aud"], "authenticated", "{claims}");
        let email = format!("{}@example.com", Uuid::new_v4());
        let user = operator.create(json!({ "email": email })).await;
        assert_eq!(user["aud"], "authenticated", "{claims}");
    }
    let late = app.token_of_secret(&json!({ "role": "service_role", "exp": now - 1 }));
    app.get_as(&late, "/admin/users")
        .await
        .refused(403, "bad_jwt");
}

#[tokio::test]
async fn a_person_with_an_admin_role_is_let_in_until_their_session_ends() {
    let app = TestApp::autoconfirm().await;
    let operator = app.operator();
    let user = operator
        .create(json!({
            "email": "root@example.com",
            "password": "correct horse",
            "email_confirm": true,
            "role": "service_role",
        }))
        .await;
    let session = app.sign_in("root@example.com", "correct horse").await.ok();
    let token = session["access_token"].as_str().unwrap();
    app.get_as(token, "/admin/users").await.failed(200);
    let path = format!("/admin/users/{}", user["id"].as_str().unwrap());
    operator
        .put(&path, json!({ "ban_duration": "1h" }))
        .await
        .ok();
    app.get_as(token, "/admin/users")
        .await
        .refused(403, "user_banned");
    operator
        .put(&path, json!({ "ban_duration": "none" }))
        .await
        .ok();
    app.get_as(token, "/admin/users").await.failed(200);
    app.post_as(token, "/logout", json!({})).await.failed(204);
    app.get_as(token, "/admin/users")
        .await
        .refused(403, "session_not_found");
}

#[tokio::test]
async fn unknown_paths_below_admin_are_refused_before_they_are_missed() {
    let app = TestApp::start().await;
    app.get("/admin/nonsense")
        .await
        .refused(401, "no_authorization");
    app.operator().get("/admin/nonsense").await.failed(404);
    app.operator()
        .put("/admin/users", json!({}))
        .await
        .failed(405);
}
