//! The API below `API_PATH_PREFIX`.

use innkeeper_rest::Method;
use serde_json::json;

use crate::support::TestApp;
use crate::support::tokens::{parts_of, text};

async fn with_prefix() -> TestApp {
    TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        config.api.path_prefix = Some("/auth/v1".to_owned());
        config.rate_limit.token_refresh = 2.0;
    })
    .await
}

#[tokio::test]
async fn every_route_is_there_twice_and_is_the_same() {
    let app = with_prefix().await;
    let body = json!({ "email": "ada@example.com", "password": "correct horse" });
    let session = app.post("/auth/v1/signup", body.clone()).await.ok();
    app.post("/auth/v1/token?grant_type=password", body)
        .await
        .ok();
    let token = text(&session, "access_token");
    for target in ["/user", "/auth/v1/user"] {
        let user = app.get_as(&token, target).await.ok();
        assert_eq!(user["email"], "ada@example.com", "{target}");
    }
    app.get("/auth/v1/user")
        .await
        .refused(401, "no_authorization");
    app.get_as(&token, "/auth/v1/admin/users")
        .await
        .refused(403, "not_admin");
    assert_eq!(
        app.get("/auth/v1/.well-known/jwks.json").await.ok(),
        app.get("/.well-known/jwks.json").await.ok()
    );
    let origin = [
        ("Origin", "https://app.example.com"),
        ("Access-Control-Request-Method", "POST"),
    ];
    let preflight = app.send(Method::OPTIONS, "/auth/v1/token", &origin, None);
    assert_eq!(preflight.await.status, 204);

    // Only whole segments count, and only once.
    for target in [
        "/auth/v10/health",
        "/auth/v1health",
        "/auth/v1/auth/v1/health",
        "/auth/v1",
    ] {
        assert_eq!(app.get(target).await.status, 404, "{target}");
    }
    let plain = TestApp::start().await;
    assert_eq!(plain.get("/auth/v1/health").await.status, 404);
}

#[tokio::test]
async fn limits_count_both_paths_together() {
    let app = with_prefix().await;
    let statuses = async |target: &str| {
        let body = json!({ "refresh_token": "none" });
        let target = format!("{target}?grant_type=refresh_token");
        app.post(&target, body).await.status
    };
    let mut last = 0;
    for _ in 0..10 {
        assert_ne!(statuses("/auth/v1/token").await, 404);
        last = statuses("/token").await;
    }
    assert_eq!(last, 429);
    assert_eq!(statuses("/auth/v1/token").await, 429);
}

#[tokio::test]
async fn tokens_name_their_issuer_by_default() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let (_, claims) = parts_of(&text(&session, "access_token"));
    assert_eq!(claims["iss"], "http://localhost:8081");
}
