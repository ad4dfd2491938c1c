//! `GET` and `PUT /user`. Changes of password and address are tested in `stories`.

use innkeeper_auth::config::Profile;
use innkeeper_rest::Method;
use serde_json::{Value, json};

use crate::support::{API_VERSION_2024, Answer, TestApp, bearer, redacted};

const PASSWORD: &str = "correct horse";

/// Starts a server with a user and returns the access token.
async fn signed_in() -> (TestApp, String) {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up("ada@example.com", PASSWORD).await;
    let token = session["access_token"].as_str().unwrap().to_owned();
    (app, token)
}

async fn put(app: &TestApp, token: &str, body: Value) -> Answer {
    app.put_as(token, "/user", body).await
}

#[tokio::test]
async fn the_whole_user_is_shown_to_its_owner() {
    let app = TestApp::start().await;
    let session = app.signed_up("ada@example.com", PASSWORD).await;
    let token = session["access_token"].as_str().unwrap();
    let answer = app.get_as(token, "/user").await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let said = json!({
        "sub": "[uuid]",
        "email": "ada@example.com",
        "email_verified": true,
        "phone_verified": false,
    });
    assert_eq!(
        redacted(&answer.ok()),
        json!({
            "id": "[uuid]",
            "aud": "authenticated",
            "role": "authenticated",
            "email": "ada@example.com",
            "email_confirmed_at": "[time]",
            "phone": "",
            "confirmation_sent_at": "[time]",
            "confirmed_at": "[time]",
            "last_sign_in_at": "[time]",
            "app_metadata": { "provider": "email", "providers": ["email"] },
            "user_metadata": said,
            "identities": [{
                "identity_id": "[uuid]",
                "id": "[uuid]",
                "user_id": "[uuid]",
                "identity_data": said,
                "provider": "email",
                "last_sign_in_at": "[time]",
                "created_at": "[time]",
                "updated_at": "[time]",
                "email": "ada@example.com",
            }],
            "created_at": "[time]",
            "updated_at": "[time]",
            "is_anonymous": false,
        })
    );
}

#[tokio::test]
async fn nothing_secret_is_shown() {
    let (app, token) = signed_in().await;
    let text = app.get_as(&token, "/user").await.text;
    for secret in [
        "encrypted_password",
        "$argon2",
        "token",
        "is_sso_user",
        "instance_id",
    ] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
}

#[tokio::test]
async fn a_token_of_a_user_is_needed() {
    let (app, token) = signed_in().await;
    for method in [Method::GET, Method::PUT] {
        let body = json!({});
        app.send(method.clone(), "/user", &[], Some(&body))
            .await
            .refused(401, "no_authorization");
        let (name, value) = bearer(&app.service_key());
        app.send(method, "/user", &[(name, &value)], Some(&body))
            .await
            .refused(403, "bad_jwt");
    }
    let (name, value) = bearer(&token);
    let elsewhere = [(name, value.as_str()), ("X-JWT-AUD", "elsewhere")];
    app.send(Method::GET, "/user", &elsewhere, None)
        .await
        .refused(400, "validation_failed");
    let here = [(name, value.as_str()), ("X-JWT-AUD", "authenticated")];
    app.send(Method::GET, "/user", &here, None).await.ok();
}

#[tokio::test]
async fn metadata_is_merged_at_the_top_level_and_null_deletes() {
    let (app, token) = signed_in().await;
    let data = json!({ "name": "Ada", "colours": { "eyes": "blue" }, "age": 36 });
    put(&app, &token, json!({ "data": data })).await.ok();
    let data = json!({ "colours": { "hair": "black" }, "age": null, "missing": null, "new": [1] });
    let changed = put(&app, &token, json!({ "data": data })).await.ok();
    let metadata = &changed["user_metadata"];
    assert_eq!(metadata["name"], "Ada");
    assert_eq!(metadata["colours"], json!({ "hair": "black" }));
    assert_eq!(metadata["new"], json!([1]));
    for gone in ["age", "missing"] {
        assert!(metadata.get(gone).is_none(), "{gone}");
    }
    let me = app.get_as(&token, "/user").await.ok();
    assert_eq!(&me, &changed);
    put(&app, &token, json!({ "data": "Ada" }))
        .await
        .refused(400, "bad_json");
}

#[tokio::test]
async fn an_empty_change_changes_nothing() {
    let (app, token) = signed_in().await;
    let before = app.get_as(&token, "/user").await.ok();
    for body in [
        json!({}),
        json!(null),
        json!({ "email": null, "phone": null, "data": null }),
    ] {
        let after = put(&app, &token, body).await.ok();
        assert_eq!(redacted(&after), redacted(&before));
    }
    assert_eq!(app.mailbox.count_to("ada@example.com"), 0);
}

#[tokio::test]
async fn application_metadata_is_not_the_users_to_change() {
    let (app, token) = signed_in().await;
    let body = json!({ "app_metadata": { "plan": "gold" }, "data": { "name": "Ada" } });
    put(&app, &token, body.clone())
        .await
        .refused(403, "not_admin");
    let (name, value) = bearer(&token);
    let dated = [(name, value.as_str()), API_VERSION_2024];
    let refused = app.send(Method::PUT, "/user", &dated, Some(&body)).await;
    assert_eq!(
        refused.refused(403, "not_admin"),
        json!({
            "code": "not_admin",
            "message": "Updating app_metadata requires admin privileges",
        })
    );
    let me = app.get_as(&token, "/user").await.ok();
    assert!(me["user_metadata"].get("name").is_none(), "all or nothing");
}

#[tokio::test]
async fn the_present_address_is_no_change() {
    let (app, token) = signed_in().await;
    let same = put(&app, &token, json!({ "email": "ADA@example.com" }))
        .await
        .ok();
    assert!(same.get("new_email").is_none());
    assert_eq!(app.mailbox.count_to("ada@example.com"), 0);
}

#[tokio::test]
async fn an_address_of_somebody_else_is_answered_like_a_free_one() {
    let mut answers = Vec::new();
    for email in ["ben@example.com", "BEN@example.com", "new@example.com"] {
        let app = TestApp::start().await;
        let session = app.signed_up("ada@example.com", PASSWORD).await;
        app.signed_up("ben@example.com", PASSWORD).await;
        let token = session["access_token"].as_str().unwrap();
        let changed = put(&app, token, json!({ "email": email })).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        let user = changed.ok();
        assert_eq!(user["email"], "ada@example.com");
        assert_eq!(user["new_email"], json!(email.to_lowercase()));
        assert!(user["email_change_sent_at"].is_string());
        assert_eq!(app.get_as(token, "/user").await.ok(), user);
        let mut user = redacted(&user);
        user["new_email"] = json!("[email]");
        answers.push(user);
    }
    assert_eq!(answers[0], answers[2]);
    assert_eq!(answers[1], answers[2]);
}

#[tokio::test]
async fn an_address_of_somebody_else_is_refused_in_gotrue() {
    let app = TestApp::with(|config| {
        config.profile = Profile::Gotrue;
        config.mailer.autoconfirm = true;
    })
    .await;
    let session = app.signed_up("ada@example.com", PASSWORD).await;
    let token = session["access_token"].as_str().unwrap();
    app.signed_up("ben@example.com", PASSWORD).await;
    for email in ["ben@example.com", "BEN@example.com"] {
        put(&app, token, json!({ "email": email }))
            .await
            .refused(422, "email_exists");
    }
    let me = app.get_as(token, "/user").await.ok();
    assert!(me.get("new_email").is_none());
    app.assert_no_mail("ben@example.com").await;
}

#[tokio::test]
async fn an_address_that_is_none_is_refused() {
    let (app, token) = signed_in().await;
    let refused = put(&app, &token, json!({ "email": "xx:;x@x.x" })).await;
    let refused = refused.refused(400, "validation_failed");
    assert_eq!(
        refused["msg"],
        "Unable to validate email address: invalid format"
    );
}

#[tokio::test]
async fn a_change_of_number_is_refused_unless_it_is_none() {
    let (app, token) = signed_in().await;
    put(&app, &token, json!({ "phone": "+49301234567" }))
        .await
        .refused(400, "phone_provider_disabled");
    put(&app, &token, json!({ "phone": "no number" }))
        .await
        .refused(400, "validation_failed");
    let sql = app.sql().await;
    let number = "update users set phone = '49301234567', phone_confirmed_at = now()";
    sql.batch_execute(number).await.unwrap();
    let body = json!({ "phone": "+49 30 1234567", "data": { "name": "Ada" } });
    let changed = put(&app, &token, body).await.ok();
    assert_eq!(changed["phone"], "49301234567");
    assert_eq!(changed["user_metadata"]["name"], "Ada");
    assert!(changed.get("new_phone").is_none());
}

#[tokio::test]
async fn accounts_of_an_organisation_are_changed_there() {
    let (app, token) = signed_in().await;
    let sql = app.sql().await;
    sql.batch_execute("update users set is_sso_user = true")
        .await
        .unwrap();
    for body in [
        json!({ "email": "other@example.com" }),
        json!({ "password": "another password" }),
        json!({ "phone": "+49301234567" }),
        json!({ "nonce": "123456" }),
    ] {
        put(&app, &token, body)
            .await
            .refused(422, "user_sso_managed");
    }
    put(&app, &token, json!({ "data": { "name": "Ada" } }))
        .await
        .ok();
}

#[tokio::test]
async fn an_anonymous_user_needs_an_address_to_have_a_password() {
    let (app, token) = signed_in().await;
    let sql = app.sql().await;
    let anonymous = "update users set is_anonymous = true, email = null";
    sql.batch_execute(anonymous).await.unwrap();
    put(&app, &token, json!({ "password": "another password" }))
        .await
        .refused(422, "validation_failed");
    let body = json!({ "password": "another password", "email": "ada@example.com" });
    // Without confirmation mails the address counts at once.
    let changed = put(&app, &token, body).await.ok();
    assert_eq!(changed["email"], "ada@example.com");
}

#[tokio::test]
async fn a_second_factor_must_be_shown_to_change_how_one_signs_in() {
    let (app, token) = signed_in().await;
    let sql = app.sql().await;
    let factor = "insert into mfa_factors
                         (id, user_id, friendly_name, factor_type, status, created_at, updated_at)
                  select gen_random_uuid(), id, 'key', 'totp', 'verified', now(), now() from users";
    sql.batch_execute(factor).await.unwrap();
    for body in [
        json!({ "email": "other@example.com" }),
        json!({ "password": "another password" }),
    ] {
        put(&app, &token, body)
            .await
            .refused(401, "insufficient_aal");
    }
    put(&app, &token, json!({ "data": { "name": "Ada" } }))
        .await
        .ok();
    sql.batch_execute("update sessions set aal = 'aal2'")
        .await
        .unwrap();
    put(&app, &token, json!({ "password": "another password" }))
        .await
        .ok();
}

#[tokio::test]
async fn a_challenge_without_a_method_is_refused() {
    let (app, token) = signed_in().await;
    let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    let body = json!({ "email": "other@example.com", "code_challenge": challenge });
    put(&app, &token, body)
        .await
        .refused(400, "validation_failed");
}

#[tokio::test]
async fn a_banned_user_sees_and_changes_nothing() {
    let (app, token) = signed_in().await;
    let sql = app.sql().await;
    let ban = "update users set banned_until = now() + interval '1 hour'";
    sql.batch_execute(ban).await.unwrap();
    app.get_as(&token, "/user")
        .await
        .refused(403, "user_banned");
    put(&app, &token, json!({ "data": { "name": "Ada" } }))
        .await
        .refused(403, "user_banned");
}

#[tokio::test]
async fn rows_that_an_application_wrote_are_shown_as_far_as_they_make_sense() {
    let (app, token) = signed_in().await;
    let sql = app.sql().await;
    let odd = "update users set raw_user_meta_data = '[1]', raw_app_meta_data = null, role = null, phone = null";
    sql.batch_execute(odd).await.unwrap();
    let me = app.get_as(&token, "/user").await.ok();
    assert_eq!(me["user_metadata"], json!({}));
    assert_eq!(me["app_metadata"], json!({}));
    assert_eq!((&me["role"], &me["phone"]), (&json!(""), &json!("")));
}

#[tokio::test]
async fn numbers_that_no_client_could_send_lock_nobody_out() {
    let (app, token) = signed_in().await;
    let odd = r#"
        update users set raw_user_meta_data = '{"n": 1e400}';
        insert into identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
        select 'x', id, '{"n": 1e400}', 'other', now(), now() from users;"#;
    app.sql().await.batch_execute(odd).await.unwrap();
    let me = app.get_as(&token, "/user").await.ok();
    assert_eq!(me["user_metadata"], json!({}));
    let identities = me["identities"].as_array().unwrap();
    assert_eq!(identities.len(), 1);
    assert_eq!(identities[0]["provider"], "email");
}

#[tokio::test]
async fn a_change_stands_in_the_audit_log_without_its_values() {
    let (app, token) = signed_in().await;
    let body = json!({ "password": "another password", "data": { "name": "Ada" } });
    put(&app, &token, body).await.ok();
    let log = app.get_as(&app.service_key(), "/admin/audit").await;
    let actions: Vec<_> = log.body.as_array().unwrap().iter().take(2).collect();
    let mut actions: Vec<_> = actions
        .iter()
        .map(|entry| entry["payload"]["action"].as_str().unwrap())
        .collect();
    actions.sort_unstable();
    assert_eq!(actions, ["user_modified", "user_updated_password"]);
    for secret in ["another password", "$argon2"] {
        assert!(!log.text.contains(secret));
    }
}

#[tokio::test]
async fn both_profiles_show_the_same_user() {
    let mut shown = [Value::Null, Value::Null];
    for (profile, shown) in [Profile::Std, Profile::Gotrue].into_iter().zip(&mut shown) {
        let app = TestApp::with(|config| {
            config.profile = profile;
            config.mailer.autoconfirm = true;
        })
        .await;
        let session = app.signed_up("ada@example.com", PASSWORD).await;
        let token = session["access_token"].as_str().unwrap();
        *shown = redacted(&app.get_as(token, "/user").await.ok());
    }
    // GoTrue does not mark an address in the identity that nobody has verified.
    let [std, gotrue] = shown.each_mut();
    let marked = "/identities/0/identity_data/email_verified";
    assert_eq!(gotrue.pointer(marked), Some(&json!(false)));
    *gotrue.pointer_mut(marked).unwrap() = json!(true);
    assert_eq!(std, gotrue);
}
