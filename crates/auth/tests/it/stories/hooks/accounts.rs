//! `before-user-created` and `after-user-created`.

use innkeeper_auth::config::HookKind;
use serde_json::{Value, json};

use crate::support::hook::{Receiver, Reply};
use crate::support::mail_flows::without_pauses;
use crate::support::tokens::text;
use crate::support::{API_VERSION_2024, TestApp, redacted};

const BEFORE: HookKind = HookKind::BeforeUserCreated;
const AFTER: HookKind = HookKind::AfterUserCreated;

fn employees_only(call: &Value) -> Reply {
    let email = call["user"]["email"].as_str().unwrap();
    if email.ends_with("@example.com") {
        return Reply::status(204);
    }
    let error = json!({ "http_code": 403, "message": "Only employees" });
    Reply::Json(json!({ "error": error }))
}

#[tokio::test]
async fn the_application_is_asked_before_and_told_after_an_account_is_made() {
    let (before, after) = (Receiver::content().await, Receiver::content().await);
    let app = TestApp::with(|config| {
        before.configure(config, BEFORE);
        after.configure(config, AFTER);
    })
    .await;
    let body = json!({
        "email": "Ada@Example.com",
        "password": "correct horse",
        "data": { "name": "Ada" },
    });
    app.post("/signup", body).await.ok();

    let asked = before.next().await;
    assert_eq!(
        redacted(&asked.body),
        json!({
            "metadata": {
                "uuid": "[uuid]",
                "time": "[time]",
                "name": "before-user-created",
                "ip_address": "127.0.0.1",
            },
            "user": {
                "id": "[uuid]",
                "aud": "authenticated",
                "role": "authenticated",
                "email": "ada@example.com",
                "phone": "",
                "app_metadata": { "provider": "email", "providers": ["email"] },
                "user_metadata": { "name": "Ada" },
                "identities": [],
                "created_at": "[time]",
                "updated_at": "[time]",
                "is_anonymous": false,
            },
        })
    );
    let stored = app.only_user().await;
    assert_eq!(asked.body["user"]["id"], stored["id"]);

    let told = after.next().await;
    assert_eq!(told.body["metadata"]["name"], "after-user-created");
    let user = &told.body["user"];
    assert_eq!(user["id"], stored["id"]);
    assert_eq!(user["identities"][0]["provider"], "email");
    assert_eq!(user["user_metadata"]["name"], "Ada");
    assert!(user.get("encrypted_password").is_none());
    assert_eq!(app.accounts("ada@example.com").await, 1);
}

#[tokio::test]
async fn the_application_can_keep_accounts_from_being_made_on_every_way() {
    let receiver = Receiver::start(employees_only).await;
    let app = TestApp::with(|config| {
        receiver.configure(config, BEFORE);
        without_pauses(config);
    })
    .await;
    let operator = app.operator();
    let email = "eve@elsewhere.org";
    let signup = json!({ "email": email, "password": "correct horse" });
    let refused = app.post("/signup", signup.clone()).await;
    assert_eq!(
        refused.refused(403, "unknown"),
        json!({ "code": 403, "error_code": "unknown", "msg": "Only employees" })
    );
    let refused = app.post_versioned("/signup", signup).await;
    assert_eq!(refused.header(API_VERSION_2024.0), Some(API_VERSION_2024.1));
    assert_eq!(
        refused.refused(403, "unknown"),
        json!({ "code": "unknown", "message": "Only employees" })
    );
    for target in ["/otp", "/magiclink"] {
        let refused = app.post(target, json!({ "email": email })).await;
        refused.refused(403, "unknown");
    }
    let refused = operator.post("/invite", json!({ "email": email })).await;
    refused.refused(403, "unknown");
    for kind in ["signup", "invite", "magiclink"] {
        let body = json!({ "type": kind, "email": email, "password": "correct horse" });
        let refused = operator.post("/admin/generate_link", body).await;
        refused.refused(403, "unknown");
    }
    assert_eq!(receiver.count(), 8);
    assert_eq!(app.accounts(email).await, 0);
    assert_eq!(app.mailbox.count_to(email), 0);

    let app = TestApp::with(|config| {
        receiver.configure(config, BEFORE);
        config.mailer.autoconfirm = true;
    })
    .await;
    let signup = json!({ "email": email, "password": "correct horse" });
    app.post("/signup", signup).await.refused(403, "unknown");
    assert_eq!(app.accounts(email).await, 0);
}

#[tokio::test]
async fn every_way_that_is_allowed_tells_of_the_account_once() {
    let (before, after) = (Receiver::content().await, Receiver::content().await);
    let app = TestApp::with(|config| {
        before.configure(config, BEFORE);
        after.configure(config, AFTER);
        without_pauses(config);
    })
    .await;
    let operator = app.operator();
    let told = async |email: &str| {
        let (asked, told) = (before.next().await, after.next().await);
        assert_eq!(asked.body["user"]["email"], email);
        assert_eq!(told.body["user"]["email"], email);
        assert_eq!(asked.body["user"]["id"], told.body["user"]["id"]);
    };
    app.post("/otp", json!({ "email": "a@example.com" }))
        .await
        .ok();
    told("a@example.com").await;
    let body = json!({ "email": "b@example.com", "data": { "team": 7 } });
    operator.post("/invite", body).await.ok();
    told("b@example.com").await;
    for (kind, email) in [
        ("signup", "c@example.com"),
        ("invite", "d@example.com"),
        ("magiclink", "e@example.com"),
    ] {
        let body = json!({ "type": kind, "email": email, "password": "correct horse" });
        operator.post("/admin/generate_link", body).await.ok();
        told(email).await;
    }
    // Neither existing accounts nor those created by operators cause a call.
    app.post("/otp", json!({ "email": "a@example.com" }))
        .await
        .ok();
    let signup = json!({ "email": "a@example.com", "password": "correct horse" });
    app.post("/signup", signup).await.ok();
    operator
        .post("/invite", json!({ "email": "b@example.com" }))
        .await
        .ok();
    let body = json!({ "type": "recovery", "email": "a@example.com" });
    operator.post("/admin/generate_link", body).await.ok();
    app.confirmed("f@example.com").await;
    let signup = json!({ "email": "f@example.com", "password": "correct horse" });
    app.post("/signup", signup).await.ok();
    // This call arrives after all others that could still be on their way.
    app.post("/otp", json!({ "email": "last@example.com" }))
        .await
        .ok();
    told("last@example.com").await;
    assert_eq!((before.count(), after.count()), (6, 6));
}

#[tokio::test]
async fn a_hook_that_fails_after_an_account_was_made_changes_nothing() {
    let after = Receiver::start(|_| Reply::status(500)).await;
    let app = TestApp::with(|config| {
        after.configure(config, AFTER);
        config.mailer.autoconfirm = true;
    })
    .await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    after.next().await;
    let token = text(&session, "access_token");
    let user = app.get_as(&token, "/user").await.ok();
    assert_eq!(user["email"], "ada@example.com");
    app.sign_in("ada@example.com", "correct horse").await.ok();
    assert_eq!(after.count(), 1);
}
