//! `PUT /admin/users/{id}`.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::TestApp;
use crate::support::operator::{count, path_of};

/// Returns the claims of the session's access token.
fn claims(session: &Value) -> Value {
    let token = session["access_token"].as_str().unwrap();
    let payload = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap()
}

#[tokio::test]
async fn metadata_is_merged_and_null_deletes_a_member() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let user = operator
        .create(json!({
            "email": "ada@example.com",
            "user_metadata": { "a": 1, "b": { "c": 2 }, "d": 3 },
            "app_metadata": { "plan": "gold", "seats": 3 },
        }))
        .await;
    let after = operator
        .put(
            &path_of(&user),
            json!({
                "user_metadata": { "b": { "e": 4 }, "d": null, "f": [null] },
                "app_metadata": { "plan": null, "since": 2024, "provider": "forged", "providers": null },
            }),
        )
        .await
        .ok();
    assert_eq!(
        after["user_metadata"],
        json!({ "a": 1, "b": { "e": 4 }, "f": [null] })
    );
    assert_eq!(
        after["app_metadata"],
        json!({ "seats": 3, "since": 2024, "provider": "email", "providers": ["email"] })
    );
    assert_eq!(operator.show(&user).await, after);
    let unchanged = operator.put(&path_of(&user), json!({})).await.ok();
    assert_eq!(unchanged["user_metadata"], after["user_metadata"]);
    assert_eq!(unchanged["app_metadata"], after["app_metadata"]);
}

#[tokio::test]
async fn a_new_password_ends_all_sessions_and_what_was_mailed_before() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let body =
        json!({ "email": "ada@example.com", "password": "correct horse", "email_confirm": true });
    let user = operator.create(body).await;
    let first = app.sign_in("ada@example.com", "correct horse").await.ok();
    let second = app.sign_in("ada@example.com", "correct horse").await.ok();
    app.post("/recover", json!({ "email": "ada@example.com" }))
        .await
        .ok();
    let mail = app.mailbox.next_to("ada@example.com").await;

    let body = json!({ "password": "battery staple" });
    operator.put(&path_of(&user), body).await.ok();
    for session in [first, second] {
        app.get_as(session["access_token"].as_str().unwrap(), "/user")
            .await
            .refused(403, "session_not_found");
        app.refresh(session["refresh_token"].as_str().unwrap())
            .await
            .refused(400, "refresh_token_not_found");
    }
    let body = json!({ "type": "recovery", "token_hash": mail.token() });
    app.post("/verify", body).await.refused(403, "otp_expired");
    app.sign_in("ada@example.com", "correct horse")
        .await
        .refused(400, "invalid_credentials");
    app.sign_in("ada@example.com", "battery staple").await.ok();
}

#[tokio::test]
async fn a_changed_password_must_be_good_enough() {
    let app = TestApp::with(|config| {
        config.password.required_characters = vec!["0123456789".to_owned()];
    })
    .await;
    let operator = app.operator();
    let user = operator
        .create(json!({ "email": "ada@example.com", "password": "a" }))
        .await;
    for password in ["", "a1", "long but without digits"] {
        let body = json!({ "password": password, "role": "changed" });
        let refusal = operator.put(&path_of(&user), body).await;
        let refusal = refusal.refused(422, "weak_password");
        assert!(refusal["weak_password"]["reasons"].is_array(), "{refusal}");
    }
    let body = json!({ "password": "x".repeat(5000) });
    operator
        .put(&path_of(&user), body)
        .await
        .refused(400, "validation_failed");
    let hash = "$2a$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e";
    let body = json!({ "password_hash": hash });
    operator
        .put(&path_of(&user), body)
        .await
        .refused(400, "validation_failed");
    assert_eq!(operator.show(&user).await["role"], "authenticated");
    operator
        .put(&path_of(&user), json!({ "password": "0therwise chosen" }))
        .await
        .ok();
}

#[tokio::test]
async fn a_new_address_takes_effect_at_once_and_the_former_one_opens_nothing() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let body =
        json!({ "email": "old@example.com", "password": "correct horse", "email_confirm": true });
    let user = operator.create(body).await;
    app.post("/recover", json!({ "email": "old@example.com" }))
        .await
        .ok();
    let mail = app.mailbox.next_to("old@example.com").await;

    let after = operator
        .put(&path_of(&user), json!({ "email": "New@example.com" }))
        .await
        .ok();
    assert_eq!(after["email"], "new@example.com");
    assert_eq!(after["identities"][0]["email"], "new@example.com");
    assert_eq!(
        after["identities"][0]["identity_data"]["email_verified"],
        false
    );
    let body = json!({ "type": "recovery", "token_hash": mail.token() });
    app.post("/verify", body).await.refused(403, "otp_expired");
    app.sign_in("old@example.com", "correct horse")
        .await
        .refused(400, "invalid_credentials");
    app.sign_in("new@example.com", "correct horse").await.ok();

    let body = json!({ "email": "third@example.com", "email_confirm": true });
    let after = operator.put(&path_of(&user), body).await.ok();
    assert_eq!(
        after["identities"][0]["identity_data"]["email_verified"],
        true
    );
    assert_eq!(after["identities"].as_array().unwrap().len(), 1);
    assert_eq!(app.mailbox.sink().mails().len(), 0);
}

#[tokio::test]
async fn an_address_or_number_of_another_user_is_refused() {
    let app = TestApp::start().await;
    let operator = app.operator();
    operator
        .create(json!({ "email": "ada@example.com", "phone": "4917" }))
        .await;
    let user = operator
        .create(json!({ "email": "bea@example.com", "phone": "4918" }))
        .await;
    let path = path_of(&user);
    let refusal = operator
        .put(&path, json!({ "email": "Ada@example.com" }))
        .await;
    let refusal = refusal.refused(422, "email_exists");
    assert_eq!(
        refusal["msg"],
        "A user with this email address has already been registered"
    );
    operator
        .put(&path, json!({ "phone": "+49 17" }))
        .await
        .refused(422, "phone_exists");
    let own = json!({ "email": "BEA@example.com", "phone": "4918" });
    assert_eq!(
        operator.put(&path, own).await.ok()["email"],
        "bea@example.com"
    );

    let third = operator
        .create(json!({ "email": "cleo@example.com" }))
        .await;
    let paths = [path, path_of(&third)];
    let wanted = json!({ "email": "race@example.com" });
    let ask = |path| operator.put(path, wanted.clone());
    let answers = futures_util::future::join_all(paths.iter().map(|path| ask(path))).await;
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 422]);
}

#[tokio::test]
async fn a_number_can_be_given_and_confirmed() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let user = operator.create(json!({ "email": "ada@example.com" })).await;
    let body = json!({ "phone": "+491701234567" });
    let after = operator.put(&path_of(&user), body).await.ok();
    assert_eq!(after["phone"], "491701234567");
    assert!(after.get("phone_confirmed_at").is_none());
    let only_phone = operator.create(json!({ "phone": "4917" })).await;
    let body = json!({ "email_confirm": true });
    let unchanged = operator.put(&path_of(&only_phone), body).await.ok();
    assert!(
        unchanged.get("email_confirmed_at").is_none(),
        "there is no address to confirm"
    );
    assert_eq!(
        after["app_metadata"]["providers"],
        json!(["email", "phone"])
    );
    let body = json!({ "phone_confirm": true, "email_confirm": true });
    let after = operator.put(&path_of(&user), body).await.ok();
    assert!(after["phone_confirmed_at"].is_string());
    assert!(after["email_confirmed_at"].is_string());
    let verified = |provider: &str, member: &str| {
        let identities = after["identities"].as_array().unwrap();
        let identity = identities.iter().find(|it| it["provider"] == provider);
        identity.unwrap()["identity_data"][member].clone()
    };
    assert_eq!(verified("email", "email_verified"), true);
    assert_eq!(verified("phone", "phone_verified"), true);
    let body = json!({ "email_confirm": false, "phone_confirm": false });
    let later = operator.put(&path_of(&user), body).await.ok();
    assert_eq!(later["email_confirmed_at"], after["email_confirmed_at"]);
}

#[tokio::test]
async fn role_and_audience_change_with_the_next_token() {
    let app = TestApp::with(|config| config.jwt.audiences = vec!["elsewhere".to_owned()]).await;
    let operator = app.operator();
    let body =
        json!({ "email": "ada@example.com", "password": "correct horse", "email_confirm": true });
    let user = operator.create(body).await;
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let body = json!({ "role": "editor", "app_metadata": { "plan": "gold" } });
    operator.put(&path_of(&user), body).await.ok();
    assert_eq!(claims(&session)["role"], "authenticated");
    let session = app
        .refresh(session["refresh_token"].as_str().unwrap())
        .await
        .ok();
    assert_eq!(claims(&session)["role"], "editor");
    assert_eq!(claims(&session)["app_metadata"]["plan"], "gold");

    let after = operator
        .put(&path_of(&user), json!({ "aud": "elsewhere" }))
        .await
        .ok();
    assert_eq!(
        (&after["aud"], &after["role"]),
        (&json!("elsewhere"), &json!("editor"))
    );
    app.get_as(session["access_token"].as_str().unwrap(), "/user")
        .await
        .failed(403);
    let session = app
        .refresh(session["refresh_token"].as_str().unwrap())
        .await
        .ok();
    assert_eq!(claims(&session)["aud"], "elsewhere");
    app.get_as(session["access_token"].as_str().unwrap(), "/user")
        .await
        .ok();
    let after = operator
        .put(&path_of(&user), json!({ "role": "", "aud": "" }))
        .await
        .ok();
    assert_eq!(
        (&after["aud"], &after["role"]),
        (&json!("elsewhere"), &json!("editor"))
    );
}

#[tokio::test]
async fn a_user_who_is_not_there_cannot_be_changed() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let unknown = format!("/admin/users/{}", Uuid::new_v4());
    operator
        .put(&unknown, json!({ "role": "x" }))
        .await
        .refused(404, "user_not_found");
    operator
        .put("/admin/users/x", json!({}))
        .await
        .refused(404, "validation_failed");
    assert_eq!(
        count(&app.sql().await, "select count(*) from audit_log_entries").await,
        0
    );
}

#[tokio::test]
async fn the_first_provider_stays_the_first() {
    let app = TestApp::start().await;
    let operator = app.operator();
    for number in 0..8 {
        let body =
            json!({ "email": format!("{number}@example.com"), "phone": format!("49170{number}") });
        let user = operator.create(body).await;
        let after = operator.put(&path_of(&user), json!({})).await.ok();
        let providers = json!({ "provider": "email", "providers": ["email", "phone"] });
        assert_eq!(after["app_metadata"], providers);
        assert_eq!(after["identities"], user["identities"]);
    }
}
