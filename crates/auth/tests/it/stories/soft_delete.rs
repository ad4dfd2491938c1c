//! An operator soft-deletes a user: the row stays, without personal data.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use innkeeper_auth::config::Profile;
use serde_json::{Value, json};

use crate::support::TestApp;
use crate::support::operator::{count, path_of};

fn hidden(user: &Value, text: &str) -> String {
    let id = user["id"].as_str().unwrap();
    URL_SAFE_NO_PAD.encode(digest(&SHA256, format!("{id}{text}").as_bytes()))
}

/// Returns the body of a request for a soft delete.
fn softly() -> Value {
    json!({ "should_soft_delete": true })
}

/// Creates a user with data of every kind.
async fn ada(app: &TestApp) -> Value {
    let body = json!({
        "email": "ada@example.com",
        "phone": "491701234567",
        "password": "correct horse",
        "email_confirm": true,
        "user_metadata": { "full_name": "Ada" },
        "app_metadata": { "plan": "gold" },
    });
    let user = app.operator().create(body).await;
    let rows = "update users set phone_change = '491709999999';
        insert into mfa_factors (id, user_id, factor_type, status, created_at, updated_at, secret)
        select gen_random_uuid(), id, 'totp', 'unverified', now(), now(), 'JBSWY3DPEHPK3PXP' from users;
        insert into flow_state (id, user_id, auth_code, code_challenge_method, code_challenge,
            provider_type, authentication_method)
        select gen_random_uuid(), id, 'code', 'plain', 'challenge', 'email', 'magiclink' from users";
    app.sql().await.batch_execute(rows).await.unwrap();
    user
}

/// Requests a change of address, and returns the secret of the link sent to the new one.
async fn change(app: &TestApp, session: &Value) -> String {
    let token = session["access_token"].as_str().unwrap();
    let body = json!({ "email": "new@example.com" });
    app.put_as(token, "/user", body).await.ok();
    app.mailbox.next_to("new@example.com").await.token()
}

#[tokio::test]
async fn a_user_deleted_softly_leaves_hashes() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let user = ada(&app).await;
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    change(&app, &session).await;

    let answer = operator.delete(&path_of(&user), Some(softly())).await;
    assert_eq!((answer.status, answer.text.as_str()), (200, "{}"));
    let left = operator.get(&path_of(&user)).await;
    for word in ["ada@", "Ada", "example", "49170", "gold", "JBSW"] {
        assert!(!left.text.contains(word), "{word} in {}", left.text);
    }
    let body = &left.body;
    assert!(body["deleted_at"].is_string());
    assert_eq!(body["email"], hidden(&user, "ada@example.com"));
    assert_eq!(body["phone"], hidden(&user, "491701234567")[..15]);
    assert_eq!(body["new_email"], hidden(&user, "new@example.com"));
    assert_eq!(body["new_phone"], hidden(&user, "491709999999")[..15]);
    assert_eq!(
        (&body["user_metadata"], &body["app_metadata"]),
        (&json!({}), &json!({}))
    );
    assert!(body.get("factors").is_none());
    let own = user["id"].as_str().unwrap();
    let mut subjects: Vec<_> = body["identities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["id"].clone())
        .collect();
    let mut expected = vec![
        json!(hidden(&user, &format!("email:{own}"))),
        json!(hidden(&user, &format!("phone:{own}"))),
    ];
    subjects.sort_by_key(Value::to_string);
    expected.sort_by_key(Value::to_string);
    assert_eq!(subjects, expected);
}

#[tokio::test]
async fn a_user_deleted_softly_comes_in_nowhere() {
    let app = TestApp::start().await;
    let user = ada(&app).await;
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let secret = change(&app, &session).await;
    let path = path_of(&user);
    app.operator().delete(&path, Some(softly())).await.ok();
    let sql = app.sql().await;
    for table in [
        "sessions",
        "refresh_tokens",
        "one_time_tokens",
        "innkeeper_one_time_codes",
        "mfa_factors",
        "flow_state",
    ] {
        assert_eq!(
            count(&sql, &format!("select count(*) from {table}")).await,
            0,
            "{table}"
        );
    }
    let empty = "select count(*) from users where encrypted_password is null
        and '' = all(array[confirmation_token, recovery_token, email_change_token_new,
            email_change_token_current, phone_change_token, reauthentication_token])";
    assert_eq!(count(&sql, empty).await, 1);
    app.get_as(session["access_token"].as_str().unwrap(), "/user")
        .await
        .refused(403, "session_not_found");
    app.refresh(session["refresh_token"].as_str().unwrap())
        .await
        .refused(400, "refresh_token_not_found");
    app.sign_in("ada@example.com", "correct horse")
        .await
        .refused(400, "invalid_credentials");
    let body = json!({ "type": "email_change", "token_hash": secret });
    app.post("/verify", body).await.refused(403, "otp_expired");
}

#[tokio::test]
async fn the_address_of_a_deleted_user_is_free() {
    let app = TestApp::autoconfirm().await;
    let operator = app.operator();
    let mut ids = Vec::new();
    for _ in 0..2 {
        let session = app.signed_up("ada@example.com", "correct horse").await;
        ids.push(session["user"]["id"].clone());
        operator
            .delete(&path_of(&session["user"]), Some(softly()))
            .await
            .ok();
    }
    let third = app.signed_up("ada@example.com", "correct horse").await;
    ids.push(third["user"]["id"].clone());
    ids.sort_by_key(Value::to_string);
    ids.dedup();
    assert_eq!(ids.len(), 3);
    let list = operator
        .get("/admin/users?email=ada@example.com")
        .await
        .ok();
    assert_eq!(list["users"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn deleting_softly_twice_changes_nothing_and_deleting_for_good_still_works() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let user = operator.create(json!({ "email": "ada@example.com" })).await;
    operator.delete(&path_of(&user), Some(softly())).await.ok();
    let first = operator.show(&user).await;
    app.advance(60);
    let answer = operator.delete(&path_of(&user), Some(softly())).await;
    assert_eq!((answer.status, answer.text.as_str()), (200, "{}"));
    assert_eq!(operator.show(&user).await, first);
    operator.delete(&path_of(&user), None).await.ok();
    operator
        .get(&path_of(&user))
        .await
        .refused(404, "user_not_found");
}

#[tokio::test]
async fn gotrue_leaves_hashes_of_what_the_user_did_not_have() {
    let app = TestApp::with(|config| config.profile = Profile::Gotrue).await;
    let operator = app.operator();
    let user = operator.create(json!({ "email": "ada@example.com" })).await;
    operator.delete(&path_of(&user), Some(softly())).await.ok();
    let left = operator.get(&path_of(&user)).await.ok();
    let of_nothing = hidden(&user, "");
    assert_eq!(left["email"], hidden(&user, "ada@example.com"));
    assert_eq!(left["new_email"], of_nothing);
    assert_eq!(left["phone"], of_nothing[..15]);
    assert_eq!(left["new_phone"], of_nothing[..15]);
}
