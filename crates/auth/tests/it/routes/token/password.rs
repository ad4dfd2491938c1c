//! `grant_type=password`.

use innkeeper_auth::config::{JwtAlgorithm, Profile};
use innkeeper_auth::seal::Sealer;
use innkeeper_service::secret::Secret;
use serde_json::{Value, json};

use crate::support::faults::post_to;
use crate::support::operator::count;
use crate::support::tokens::{parts_of, text};
use crate::support::{API_VERSION_2024, Answer, TestApp};

const GRANT: &str = "/token?grant_type=password";
const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";

fn login(password: &str) -> Value {
    json!({ "email": ADA, "password": password })
}

#[tokio::test]
async fn a_session_has_everything_that_clients_read() {
    let app = TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        config.jwt.issuer = Some("https://auth.example.com".to_owned());
    })
    .await;
    let user = app.signed_up(ADA, PASSWORD).await["user"].clone();
    let before = app.clock.now().as_second();
    let answer = app.post(GRANT, login(PASSWORD)).await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(answer.header("sb-auth-user-id"), user["id"].as_str());
    assert_eq!(answer.header("sb-auth-refresh-token-counter"), Some("0"));
    assert_eq!(answer.header("sb-auth-refresh-token-reuse"), None);
    let session_id = answer.header("sb-auth-session-id").unwrap().to_owned();
    let body = answer.ok();
    assert_eq!(body["token_type"], "bearer");
    assert_eq!(body["expires_in"], 3600);
    let expires_at = body["expires_at"].as_i64().unwrap();
    assert!((before + 3600..=before + 3605).contains(&expires_at));
    // Present and null: the password is strong enough.
    assert_eq!(body.as_object().unwrap()["weak_password"], Value::Null);
    assert!(body["user"]["last_sign_in_at"].is_string());
    assert!(body["refresh_token"].is_string());

    let (header, claims) = parts_of(body["access_token"].as_str().unwrap());
    assert_eq!(header["alg"], "ES256");
    assert_eq!(header["typ"], "JWT");
    assert_eq!(header["kid"], app.jwks().await[0]["kid"]);
    let iat = expires_at - 3600;
    assert_eq!(
        claims,
        json!({
            "iss": "https://auth.example.com",
            "sub": user["id"],
            "aud": "authenticated",
            "exp": expires_at,
            "iat": iat,
            "email": ADA,
            "phone": "",
            "app_metadata": user["app_metadata"],
            "user_metadata": user["user_metadata"],
            "role": "authenticated",
            "aal": "aal1",
            "amr": [{ "method": "password", "timestamp": iat }],
            "session_id": session_id,
            "is_anonymous": false,
        })
    );
}

#[tokio::test]
async fn the_lifetime_of_tokens_is_a_setting_and_the_issuer_is_the_server_without_one() {
    let app = TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        config.jwt.exp = jiff::SignedDuration::from_secs(120);
        config.jwt.algorithm = JwtAlgorithm::EdDsa;
    })
    .await;
    let session = app.signed_up(ADA, PASSWORD).await;
    assert_eq!(session["expires_in"], 120);
    let token = text(&session, "access_token");
    let (header, claims) = parts_of(&token);
    assert_eq!(header["alg"], "EdDSA");
    assert_eq!(
        claims["exp"].as_i64(),
        Some(claims["iat"].as_i64().unwrap() + 120)
    );
    let server = app.config.api.external_url.as_str().trim_end_matches('/');
    assert_eq!(claims["iss"], server);
    app.get_as(&token, "/user").await.ok();
    app.advance(121);
    app.get_as(&token, "/user").await.refused(403, "bad_jwt");
}

#[tokio::test]
async fn unknown_user_no_password_and_wrong_password_are_told_alike() {
    let app = TestApp::autoconfirm().await;
    app.signed_up(ADA, PASSWORD).await;
    let bob = json!({ "email": "bob@example.com", "email_confirm": true });
    app.operator().create(bob).await;
    for headers in [&[][..], &[API_VERSION_2024]] {
        let mut answers = Vec::new();
        for email in ["nobody@example.com", "bob@example.com", ADA] {
            for password in ["wrong horse", "", &"x".repeat(5000)] {
                let body = json!({ "email": email, "password": password });
                let answer = app
                    .send(innkeeper_rest::Method::POST, GRANT, headers, Some(&body))
                    .await;
                answers.push((answer.status, answer.text));
            }
        }
        answers.dedup();
        assert_eq!(answers.len(), 1, "{answers:?}");
        let (status, body) = &answers[0];
        assert_eq!(*status, 400);
        assert!(body.contains("Invalid login credentials"), "{body}");
        assert!(body.contains("invalid_credentials"), "{body}");
    }
}

#[tokio::test]
async fn identifiers_that_are_missing_doubled_or_of_a_closed_provider_are_told_in_both_shapes() {
    let app = TestApp::start().await;
    let both = json!({ "email": ADA, "phone": "15551234567", "password": "x" });
    let none = json!({ "password": PASSWORD });
    let empty = json!({ "email": "", "phone": null, "password": PASSWORD });
    for body in [both, none, empty] {
        let plain = app.post(GRANT, body.clone()).await;
        assert_eq!(plain.refused(400, "validation_failed")["code"], 400);
        let dated = app.post_versioned(GRANT, body).await;
        assert!(dated.refused(400, "validation_failed")["message"].is_string());
    }
    let closed = TestApp::with(|config| {
        config.external.email_enabled = false;
        config.external.phone_enabled = false;
    })
    .await;
    let phone = json!({ "phone": "15551234567", "password": PASSWORD });
    closed
        .post(GRANT, login(PASSWORD))
        .await
        .refused(422, "email_provider_disabled");
    closed
        .post_versioned(GRANT, phone)
        .await
        .refused(422, "phone_provider_disabled");
}

#[tokio::test]
async fn an_address_that_nobody_can_have_is_told_in_std_and_is_just_wrong_in_gotrue() {
    let body = json!({ "email": "no address", "password": PASSWORD });
    let app = TestApp::start().await;
    let answer = app.post(GRANT, body.clone()).await;
    let refused = answer.refused(400, "validation_failed");
    assert_eq!(
        refused["msg"],
        "Unable to validate email address: invalid format"
    );
    let app = TestApp::with(|config| config.profile = Profile::Gotrue).await;
    app.post(GRANT, body)
        .await
        .refused(400, "invalid_credentials");
}

#[tokio::test]
async fn ban_and_confirmation_are_told_only_to_who_knows_the_password() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let unconfirmed = json!({ "email": ADA, "password": PASSWORD });
    operator.create(unconfirmed).await;
    let banned = json!({
        "email": "bob@example.com", "password": PASSWORD, "email_confirm": true, "ban_duration": "1h",
    });
    operator.create(banned).await;
    let phone = json!({ "phone": "15551234567", "password": PASSWORD });
    operator.create(phone.clone()).await;

    let wrong = |answer: Answer| answer.refused(400, "invalid_credentials");
    wrong(app.sign_in(ADA, "wrong horse").await);
    wrong(app.sign_in("bob@example.com", "wrong horse").await);
    let body = app.sign_in(ADA, PASSWORD).await;
    let body = body.refused(400, "email_not_confirmed");
    assert_eq!(body["msg"], "Email not confirmed");
    let body = app.sign_in("bob@example.com", PASSWORD).await;
    assert_eq!(body.refused(400, "user_banned")["msg"], "User is banned");
    let (_, client) = app
        .replica_with(|config| config.external.phone_enabled = true)
        .await;
    let wrong_phone = json!({ "phone": "15551234567", "password": "wrong horse" });
    wrong(post_to(&client, GRANT, &wrong_phone).await);
    post_to(&client, GRANT, &phone)
        .await
        .refused(400, "phone_not_confirmed");

    app.advance(3601);
    app.sign_in("bob@example.com", PASSWORD).await.ok();
}

#[tokio::test]
async fn a_confirmed_number_signs_in_however_it_is_written() {
    let app = TestApp::with(|config| config.external.phone_enabled = true).await;
    let body = json!({ "phone": "+1 555 123 4567", "password": PASSWORD, "phone_confirm": true });
    app.operator().create(body).await;
    for phone in ["15551234567", "+15551234567"] {
        let body = json!({ "phone": phone, "password": PASSWORD });
        let session = app.post(GRANT, body).await.ok();
        assert_eq!(session["user"]["phone"], "15551234567");
        assert_eq!(session["user"]["email"], "");
    }
}

#[tokio::test]
async fn a_weak_password_signs_in_and_is_told_to_be_weak() {
    let app = TestApp::autoconfirm().await;
    // A user of before could choose such a password, and an operator still can.
    let user = json!({ "email": ADA, "password": "secret", "email_confirm": true });
    app.operator().create(user).await;
    let body = app.sign_in(ADA, "secret").await.ok();
    assert_eq!(body["weak_password"], Value::Null);
    let (_, stricter) = app
        .replica_with(|config| {
            config.password.min_length = 8;
            config.password.required_characters = vec!["0123456789".to_owned()];
        })
        .await;
    let body = post_to(&stricter, GRANT, &login("secret")).await.ok();
    let weak = &body["weak_password"];
    assert_eq!(weak["reasons"], json!(["length", "characters"]));
    assert!(weak["message"].as_str().unwrap().contains("at least 8"));
    // Only the password grant returns this member.
    let refreshed = app.refresh(&text(&body, "refresh_token")).await.ok();
    assert!(refreshed.get("weak_password").is_none());
}

#[tokio::test]
async fn a_user_of_another_audience_is_nobody_here() {
    let app = TestApp::autoconfirm().await;
    app.signed_up(ADA, PASSWORD).await;
    let other = ("X-JWT-AUD", "elsewhere");
    let post = innkeeper_rest::Method::POST;
    app.send(post.clone(), GRANT, &[other], Some(&login(PASSWORD)))
        .await
        .refused(400, "invalid_credentials");
    let here = ("X-JWT-AUD", "authenticated");
    app.send(post, GRANT, &[here], Some(&login(PASSWORD)))
        .await
        .ok();
}

/// Hashes made by other implementations, and their passwords.
const FOREIGN: [(&str, &str); 3] = [
    (
        "$2y$10$abcdefghijklmnopqrstuu23JPZtHcGhwXSF41f93o/7vBdDut3Xu",
        PASSWORD,
    ),
    (
        "$argon2i$v=19$m=4096,t=3,p=1$YSBzYWx0IG9mIDE2IGJ5Lg$eElpkbNhiKjzcjOD0sRXCwwjdQ8E128CbndYbkBwKh4",
        PASSWORD,
    ),
    (
        "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
        "user1password",
    ),
];

async fn stored_hash(app: &TestApp) -> String {
    let sql = app.sql().await;
    let row = sql
        .query_one("select encrypted_password from users", &[])
        .await;
    row.unwrap().get(0)
}

async fn store_hash(app: &TestApp, hash: &str) {
    let sql = app.sql().await;
    sql.execute("update users set encrypted_password = $1", &[&hash])
        .await
        .unwrap();
}

#[tokio::test]
async fn hashes_of_other_kinds_are_replaced_when_their_user_signs_in() {
    for (hash, password) in FOREIGN {
        let app = TestApp::autoconfirm().await;
        app.signed_up(ADA, PASSWORD).await;
        store_hash(&app, hash).await;
        app.sign_in(ADA, "wrong horse")
            .await
            .refused(400, "invalid_credentials");
        assert_eq!(stored_hash(&app).await, hash);
        app.sign_in(ADA, password).await.ok();
        let upgraded = stored_hash(&app).await;
        assert!(upgraded.starts_with("$argon2id$"), "{hash}: {upgraded}");
        app.sign_in(ADA, password).await.ok();
        assert_eq!(stored_hash(&app).await, upgraded);
    }
}

#[tokio::test]
async fn a_sealed_hash_opens_and_is_sealed_again_with_the_key_of_the_moment() {
    let app = TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        let encryption = &mut config.security.db_encryption;
        encryption.encrypt = true;
        encryption.encryption_key_id = "new".to_owned();
        encryption.encryption_key = Some(Secret::new([2; 32]));
        let keys = [("old", [1; 32]), ("new", [2; 32])];
        encryption.decryption_keys = keys
            .map(|(id, key)| (id.to_owned(), Secret::new(key)))
            .into();
    })
    .await;
    let user = app.signed_up(ADA, PASSWORD).await["user"].clone();
    let secret = app.config.jwt.secret.reveal().as_bytes();
    let former = Sealer::new(Some(("old".to_owned(), [1; 32])), [], secret).unwrap();
    let (bcrypt, _) = FOREIGN[0];
    let id = user["id"].as_str().unwrap();
    let sealed = former.seal(id, bcrypt.as_bytes()).unwrap();
    store_hash(&app, &sealed).await;

    app.sign_in(ADA, "wrong horse")
        .await
        .refused(400, "invalid_credentials");
    app.sign_in(ADA, PASSWORD).await.ok();
    let stored = stored_hash(&app).await;
    assert!(stored.starts_with(r#"{"key_id":"new""#), "{stored}");
    let present = Sealer::new(Some(("new".to_owned(), [2; 32])), [], secret).unwrap();
    let opened = present.open(id, &stored).unwrap();
    assert!(opened.starts_with(b"$argon2id$"));
    app.sign_in(ADA, PASSWORD).await.ok();
    assert_eq!(stored_hash(&app).await, stored);
}

#[tokio::test]
async fn a_hash_that_cannot_be_read_is_a_wrong_password_and_no_failure_of_the_server() {
    let app = TestApp::autoconfirm().await;
    app.signed_up(ADA, PASSWORD).await;
    store_hash(&app, "plain text").await;
    app.sign_in(ADA, PASSWORD)
        .await
        .refused(400, "invalid_credentials");
}

#[tokio::test]
async fn a_sign_in_is_in_the_audit_log_without_the_password_or_a_token() {
    let app = TestApp::autoconfirm().await;
    app.signed_up(ADA, PASSWORD).await;
    let session = app.sign_in(ADA, PASSWORD).await.ok();
    let sql = app.sql().await;
    let logins = "select count(*) from audit_log_entries where payload ->> 'action' = 'login'";
    assert_eq!(count(&sql, logins).await, 2);
    for secret in [
        PASSWORD.to_owned(),
        text(&session, "access_token"),
        text(&session, "refresh_token"),
    ] {
        let row = sql
            .query_one(
                "select count(*) from audit_log_entries where strpos(payload::text, $1) > 0",
                &[&secret],
            )
            .await
            .unwrap();
        assert_eq!(row.get::<_, i64>(0), 0);
    }
}
