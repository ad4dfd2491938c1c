//! Members of a request that name columns of the database or claims of a token, and that clients may not set.

use innkeeper_rest::Method;
use serde_json::{Map, Value, json};

use crate::support::mail_flows::{claims_of, without_pauses};
use crate::support::tokens::text;
use crate::support::{TestApp, bearer};

const PASSWORD: &str = "correct horse";

/// Members that give rights, or change what only the server may change.
const FORBIDDEN: &str = r#"{
    "id": "00000000-0000-0000-0000-000000000000",
    "user_id": "00000000-0000-0000-0000-000000000000",
    "sub": "00000000-0000-0000-0000-000000000000",
    "instance_id": "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "aud": "elsewhere",
    "role": "service_role",
    "is_super_admin": true,
    "is_admin": true,
    "raw_app_meta_data": { "role": "service_role" },
    "raw_user_meta_data": { "from": "raw" },
    "user_metadata": { "from": "user_metadata" },
    "email_confirm": true,
    "email_confirmed": true,
    "email_confirmed_at": "2020-01-01T00:00:00Z",
    "email_verified": true,
    "confirmed_at": "2020-01-01T00:00:00Z",
    "phone_confirm": true,
    "phone_confirmed_at": "2020-01-01T00:00:00Z",
    "email_change_confirm_status": 2,
    "ban_duration": "none",
    "banned_until": null,
    "is_sso_user": true,
    "is_anonymous": true,
    "encrypted_password": "$2a$10$abcdefghijklmnopqrstuv",
    "password_hash": "$2a$10$abcdefghijklmnopqrstuu5LoOh1bHkSfBnNQRwXwDZbTJoSHYZoa",
    "identities": [{ "provider": "google", "id": "1" }],
    "factors": [{ "status": "verified" }],
    "aal": "aal3",
    "amr": [{ "method": "mfa" }],
    "session_id": "00000000-0000-0000-0000-000000000000",
    "exp": 9999999999,
    "created_at": "2020-01-01T00:00:00Z",
    "updated_at": "2020-01-01T00:00:00Z",
    "deleted_at": "2020-01-01T00:00:00Z",
    "invited_at": "2020-01-01T00:00:00Z",
    "last_sign_in_at": "2020-01-01T00:00:00Z",
    "confirmation_token": "known",
    "recovery_token": "known",
    "provider": "google",
    "providers": ["google"],
    "__proto__": { "role": "service_role" },
    "constructor": { "prototype": { "role": "service_role" } }
}"#;

fn forbidden() -> Map<String, Value> {
    serde_json::from_str(FORBIDDEN).unwrap()
}

/// Adds all forbidden members to a body.
fn with_forbidden(mut body: Value) -> Value {
    let members = body.as_object_mut().unwrap();
    for (name, value) in forbidden() {
        members.entry(name).or_insert(value);
    }
    body
}

/// Returns the row of a user, and the rows of its identities, without what differs between any two users.
async fn rows(app: &TestApp, email: &str) -> Value {
    let statement = "select to_jsonb(u) || jsonb_build_object('identities',
            (select coalesce(jsonb_agg(to_jsonb(i)), '[]') from identities i where i.user_id = u.id))
        from users u where email = $1";
    let row = app.sql().await.query_one(statement, &[&email]).await;
    let shown: Value = row.unwrap().get(0);
    let id = text(&shown, "id");
    let shown = shown
        .to_string()
        .replace(&id, "[id]")
        .replace(email, "[email]");
    let mut shown: Value = serde_json::from_str(&shown).unwrap();
    redact(&mut shown);
    shown
}

/// Replaces values that differ between any two users by whether they are there.
fn redact(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let differs = name.ends_with("_at")
                    || name.contains("token")
                    || name == "encrypted_password"
                    || name == "id" && value != "[id]";
                if differs {
                    let is_there = !value.is_null() && value != "";
                    *value = json!(is_there);
                } else {
                    redact(value);
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(redact),
        _ => {}
    }
}

#[tokio::test]
async fn a_new_account_is_what_the_server_makes_it() {
    let app = TestApp::with(without_pauses).await;
    for (number, (target, body)) in [
        ("/signup", json!({ "password": PASSWORD })),
        ("/otp", json!({})),
        ("/magiclink", json!({})),
    ]
    .into_iter()
    .enumerate()
    {
        let (plain, greedy) = (
            format!("plain-{number}@example.com"),
            format!("greedy-{number}@example.com"),
        );
        let mut body = body.clone();
        body["email"] = json!(plain);
        app.post(target, body.clone()).await.ok();
        body["email"] = json!(greedy);
        app.post(target, with_forbidden(body)).await.ok();
        assert_eq!(rows(&app, &greedy).await, rows(&app, &plain).await);
        // Confirming with such a body gives no more than confirming.
        for (email, is_greedy) in [(&plain, false), (&greedy, true)] {
            let code = app.mailbox.next_to(email).await.code();
            let body = json!({ "type": "email", "email": email, "token": code });
            let body = if is_greedy {
                with_forbidden(body)
            } else {
                body
            };
            let session = app.post("/verify", body).await.ok();
            let claims = claims_of(&text(&session, "access_token"));
            assert_eq!(claims["role"], "authenticated");
            assert_eq!(claims["aud"], "authenticated");
            assert_eq!(claims["aal"], "aal1");
            assert_eq!(claims["sub"], session["user"]["id"]);
        }
        assert_eq!(rows(&app, &greedy).await, rows(&app, &plain).await);
    }
}

#[tokio::test]
async fn users_change_nothing_but_what_is_theirs() {
    let app = TestApp::autoconfirm().await;
    let email = "ada@example.com";
    let session = app.signed_up(email, PASSWORD).await;
    let access = text(&session, "access_token");
    let before = rows(&app, email).await;
    app.put_as(&access, "/user", with_forbidden(json!({})))
        .await
        .ok();
    assert_eq!(rows(&app, email).await, before);
    // One by one, since a refusal of one member would hide the others.
    for (name, value) in forbidden() {
        let answer = app.put_as(&access, "/user", json!({ &name: value })).await;
        assert!(answer.status < 500, "{name}: {}", answer.text);
        assert_eq!(rows(&app, email).await, before, "{name}");
    }
    let answer = with_forbidden(json!({ "email": email, "password": PASSWORD }));
    let session = app.post("/token?grant_type=password", answer).await.ok();
    let claims = claims_of(&text(&session, "access_token"));
    assert_eq!(claims["role"], "authenticated");
    assert_eq!(claims["aal"], "aal1");
    app.get_as(&text(&session, "access_token"), "/admin/users")
        .await
        .refused(403, "not_admin");
    let answer = with_forbidden(json!({ "refresh_token": session["refresh_token"] }));
    let session = app
        .post("/token?grant_type=refresh_token", answer)
        .await
        .ok();
    let claims = claims_of(&text(&session, "access_token"));
    assert_eq!(claims["role"], "authenticated");
    assert_eq!(claims["sub"], session["user"]["id"]);
}

/// The metadata of a user is the user's own, so none of it may become a claim.
#[tokio::test]
async fn metadata_of_users_gives_no_rights() {
    let app = TestApp::autoconfirm().await;
    let body = json!({
        "email": "ada@example.com",
        "password": PASSWORD,
        "data": Value::Object(forbidden()),
    });
    let session = app.post("/signup", body).await.ok();
    let access = text(&session, "access_token");
    app.put_as(&access, "/user", json!({ "data": forbidden() }))
        .await
        .ok();
    let session = app.sign_in("ada@example.com", PASSWORD).await.ok();
    let access = text(&session, "access_token");
    let claims = claims_of(&access);
    assert_eq!(claims["role"], "authenticated");
    assert_eq!(claims["aud"], "authenticated");
    assert_eq!(claims["aal"], "aal1");
    assert_eq!(claims["sub"], session["user"]["id"]);
    assert_eq!(
        claims["app_metadata"],
        json!({ "provider": "email", "providers": ["email"] })
    );
    assert_eq!(session["user"]["role"], "authenticated");
    assert_eq!(session["user"]["identities"].as_array().unwrap().len(), 1);
    for target in ["/admin/users", "/admin/audit"] {
        app.get_as(&access, target).await.refused(403, "not_admin");
    }
}

/// What another account's owner may do is decided by the token, not by ids in the request.
#[tokio::test]
async fn the_id_of_somebody_else_in_a_request_changes_nobody_else() {
    let app = TestApp::autoconfirm().await;
    let eve = app.signed_up("eve@example.com", PASSWORD).await;
    let ada = app.signed_up("ada@example.com", PASSWORD).await;
    let before = rows(&app, "ada@example.com").await;
    let (access, id) = (text(&eve, "access_token"), text(&ada["user"], "id"));
    let (name, value) = bearer(&access);
    let headers = [
        (name, value.as_str()),
        ("X-User-Id", id.as_str()),
        ("X-Original-User", id.as_str()),
        ("X-HTTP-Method-Override", "DELETE"),
    ];
    let body = json!({
        "id": id, "user_id": id, "sub": id, "user": { "id": id }, "data": { "by": "eve" },
    });
    let target = format!("/user?id={id}&user_id={id}");
    let answer = app.send(Method::PUT, &target, &headers, Some(&body)).await;
    assert_eq!(answer.ok()["id"], eve["user"]["id"]);
    let answer = app
        .send(Method::POST, "/logout?scope=global", &headers, Some(&body))
        .await;
    answer.failed(204);
    assert_eq!(rows(&app, "ada@example.com").await, before);
    app.get_as(&text(&ada, "access_token"), "/user").await.ok();
}
