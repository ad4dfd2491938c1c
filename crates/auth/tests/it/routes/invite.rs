//! `POST /invite`.

use innkeeper_rest::Method;
use serde_json::json;

use crate::support::TestApp;
use crate::support::operator::count;

#[tokio::test]
async fn an_invited_user_is_shown_and_gets_a_mail() {
    let app = TestApp::with(|config| config.disable_signup = true).await;
    let operator = app.operator();
    let body = json!({ "email": "Ada@example.com", "data": { "team": 7 } });
    let user = operator
        .post("/invite?redirect_to=http://localhost:3000/welcome", body)
        .await
        .ok();
    assert_eq!(user["email"], "ada@example.com");
    assert!(user["invited_at"].is_string());
    assert!(user["confirmation_sent_at"].is_string());
    assert!(user.get("email_confirmed_at").is_none());
    assert_eq!(user["user_metadata"], json!({ "team": 7 }));
    assert_eq!(
        user["app_metadata"],
        json!({ "provider": "email", "providers": ["email"] })
    );
    assert_eq!(
        user["identities"][0]["identity_data"]["email_verified"],
        false
    );
    assert_eq!(user, operator.show(&user).await);

    let mail = app.mailbox.next_to("ada@example.com").await;
    assert_eq!(mail.subject(), "You have been invited");
    let link = mail.link();
    assert_eq!(link.path(), "/verify");
    let pairs: Vec<_> = link.query_pairs().collect();
    assert_eq!(pairs[1], ("type".into(), "invite".into()));
    assert_eq!(
        pairs[2],
        ("redirect_to".into(), "http://localhost:3000/welcome".into())
    );
}

#[tokio::test]
async fn a_service_and_a_platform_admin_may_invite_and_nobody_else() {
    let app = TestApp::start().await;
    let body = |role: &str| json!({ "email": format!("of-{role}@example.com") });
    for role in ["service_role", "supabase_admin"] {
        let token = app.token_of_secret(&json!({ "role": role }));
        let user = app.post_as(&token, "/invite", body(role)).await.ok();
        assert!(user["invited_at"].is_string(), "{user}");
        app.mailbox.next_to(&format!("of-{role}@example.com")).await;
    }
    for role in ["authenticated", "anon", "admin", ""] {
        let token = app.token_of_secret(&json!({ "role": role }));
        app.post_as(&token, "/invite", body(role))
            .await
            .refused(403, "not_admin");
        // The token counts as a Bearer header only.
        let service = app.service_key();
        let headers = [("apikey", service.as_str())];
        app.send(Method::POST, "/invite", &headers, Some(&body(role)))
            .await
            .refused(401, "no_authorization");
    }
}

#[tokio::test]
async fn an_invitation_can_be_sent_again_until_it_is_accepted() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let first = operator
        .post(
            "/invite",
            json!({ "email": "ada@example.com", "data": { "team": 7 } }),
        )
        .await
        .ok();
    let former = app.mailbox.next_to("ada@example.com").await;
    let again = operator
        .post("/invite", json!({ "email": "ada@example.com" }))
        .await
        .ok();
    assert_eq!(first["id"], again["id"]);
    assert_eq!(again["user_metadata"], json!({ "team": 7 }));
    let mail = app.mailbox.next_to("ada@example.com").await;
    let body = json!({ "type": "invite", "email": "ada@example.com", "token": former.code() });
    app.post("/verify", body).await.refused(403, "otp_expired");
    let body = json!({ "type": "invite", "email": "ada@example.com", "token": mail.code() });
    app.post("/verify", body).await.ok();
    let refusal = operator
        .post("/invite", json!({ "email": "ADA@example.com" }))
        .await;
    let refusal = refusal.refused(422, "email_exists");
    assert_eq!(
        refusal["msg"],
        "A user with this email address has already been registered"
    );
}

#[tokio::test]
async fn an_invitation_needs_an_address() {
    let app = TestApp::start().await;
    for body in [
        json!({}),
        json!({ "email": "" }),
        json!({ "email": null }),
        json!(null),
    ] {
        app.operator()
            .post("/invite", body)
            .await
            .refused(400, "validation_failed");
    }
    let body = json!({ "email": "ada@example.com", "data": "text" });
    app.operator()
        .post("/invite", body)
        .await
        .refused(400, "bad_json");
    assert_eq!(
        count(&app.sql().await, "select count(*) from users").await,
        0
    );
}

#[tokio::test]
async fn an_invitation_that_cannot_be_mailed_leaves_nobody_behind() {
    let app = TestApp::with(|config| config.smtp.host.clear()).await;
    let answer = app
        .operator()
        .post("/invite", json!({ "email": "ada@example.com" }))
        .await;
    assert!(answer.status >= 400, "{}", answer.text);
    assert_eq!(
        count(&app.sql().await, "select count(*) from users").await,
        0
    );
}

#[tokio::test]
async fn of_many_invitations_at_once_one_makes_the_account() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let link = json!({ "email": "ada@example.com", "type": "magiclink" });
    for (target, body) in [
        ("/invite", json!({ "email": "bea@example.com" })),
        ("/admin/generate_link", link),
    ] {
        let answers = (0..8).map(|_| operator.post(target, body.clone()));
        let answers = futures_util::future::join_all(answers).await;
        assert!(answers.iter().any(|answer| answer.status == 200));
        for answer in answers {
            assert!(
                [200, 422].contains(&answer.status),
                "{target}: {}",
                answer.text
            );
        }
    }
    assert_eq!(
        count(&app.sql().await, "select count(*) from users").await,
        2
    );
}

#[tokio::test]
async fn an_invitation_forgets_what_a_stranger_has_said_about_the_address() {
    let app = TestApp::start().await;
    let body =
        json!({ "email": "ada@example.com", "password": "not her own", "data": { "admin": true } });
    app.post("/signup", body).await.ok();
    let user = app
        .operator()
        .post("/invite", json!({ "email": "ada@example.com" }))
        .await
        .ok();
    assert_eq!(user["user_metadata"], json!({}));
    app.mailbox.next_to("ada@example.com").await;
    let mail = app.mailbox.next_to("ada@example.com").await;
    let body = json!({ "type": "invite", "token_hash": mail.token() });
    app.post("/verify", body).await.ok();
    app.sign_in("ada@example.com", "not her own")
        .await
        .refused(400, "invalid_credentials");
}
