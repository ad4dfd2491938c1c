//! The keys that sign access tokens: from the settings, or generated once and shared by all replicas.

use std::time::Duration;

use innkeeper_auth::config::{Config, JwtAlgorithm};
use innkeeper_auth::{
    Auth, KeyState, OldKeys, SigningKeysError, StartError, generate_keys, list_keys, revoke_key,
    rotate_keys, service_token,
};
use innkeeper_rest::testing::Client;
use innkeeper_service::secret::Secret;
use innkeeper_service::testing::TestDatabase;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::support::faults::post_to;
use crate::support::operator::count;
use crate::support::served::Served;
use crate::support::tokens::{hmac_signed, parts_of, text};
use crate::support::{Answer, TestApp, bearer, eventually};

const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";

/// Returns an access token of this server, and its header.
async fn signed_by(app: &TestApp) -> (String, Value) {
    let session = match app.sign_in(ADA, PASSWORD).await {
        answer if answer.status == 200 => answer.ok(),
        _ => app.signed_up(ADA, PASSWORD).await,
    };
    let token = text(&session, "access_token");
    let (header, _) = parts_of(&token);
    (token, header)
}

/// Rotates the keys, and returns the id of the new one.
async fn rotated(app: &TestApp) -> String {
    let rotation = rotate_keys(&app.config, &app.clock, OldKeys::Retire);
    rotation.await.unwrap().kid
}

/// Returns a key of this algorithm with these operations, as operators write it into `JWT_KEYS`.
fn key(algorithm: JwtAlgorithm, kid: &str, operations: &[&str]) -> Value {
    let keys: Value = serde_json::from_str(&generate_keys(algorithm).unwrap()).unwrap();
    let mut key = keys[0].clone();
    key["kid"] = json!(kid);
    key["key_ops"] = json!(operations);
    key
}

async fn with_keys(keys: Value) -> TestApp {
    TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        config.jwt.keys = Some(Secret::new(keys.to_string()));
    })
    .await
}

fn is_private(name: &str) -> bool {
    ["d", "p", "q", "dp", "dq", "qi", "k"].contains(&name)
}

#[tokio::test]
async fn the_default_key_is_rs256_made_once_and_kept_sealed() {
    let app = TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        config.jwt.algorithm = Config::for_tests().jwt.algorithm;
    })
    .await;
    let (token, header) = signed_by(&app).await;
    assert_eq!(header["alg"], "RS256");
    let keys = app.jwks().await;
    assert_eq!(keys.len(), 1);
    assert_eq!(keys[0]["kty"], "RSA");
    // 3072 bits are 384 bytes, which are 512 characters.
    assert_eq!(keys[0]["n"].as_str().unwrap().len(), 512);
    assert_eq!(keys[0]["kid"], header["kid"]);
    assert!(
        keys[0]
            .as_object()
            .unwrap()
            .keys()
            .all(|name| !is_private(name))
    );
    app.get_as(&token, "/user").await.ok();
    let sql = app.sql().await;
    let row = sql
        .query_one(
            "select private_key, public_jwk from innkeeper_signing_keys",
            &[],
        )
        .await
        .unwrap();
    let sealed: Value = serde_json::from_str(row.get(0)).unwrap();
    assert_eq!(sealed["key_id"], "innkeeper-jwt-secret");
    assert_eq!(row.get::<_, Value>(1), keys[0]);

    let (_, replica) = app.replica_with(|_| {}).await;
    let again = replica.get("/.well-known/jwks.json").send().await;
    assert_eq!(again.json::<Value>().unwrap()["keys"], json!(keys));
}

#[tokio::test]
async fn the_secret_alone_signs_with_hs256_and_has_a_name_if_it_is_given_one() {
    for (key_id, kid) in [
        (None, Value::Null),
        (Some("mine".to_owned()), json!("mine")),
    ] {
        let app = TestApp::with(|config| {
            config.mailer.autoconfirm = true;
            config.jwt.algorithm = JwtAlgorithm::Hs256;
            config.jwt.key_id = key_id;
        })
        .await;
        let (token, header) = signed_by(&app).await;
        assert_eq!((&header["alg"], &header["kid"]), (&json!("HS256"), &kid));
        app.get_as(&token, "/user").await.ok();
        app.operator().get("/admin/users").await.ok();
        let sql = app.sql().await;
        let stored = "select count(*) from innkeeper_signing_keys";
        assert_eq!(count(&sql, stored).await, 0);
    }
}

#[tokio::test]
async fn a_key_is_sealed_with_the_encryption_key_where_there_is_one() {
    let app = TestApp::with(|config| {
        let encryption = &mut config.security.db_encryption;
        encryption.encrypt = true;
        encryption.encryption_key_id = "mine".to_owned();
        encryption.encryption_key = Some(Secret::new([7; 32]));
    })
    .await;
    let sql = app.sql().await;
    let row = sql
        .query_one("select private_key from innkeeper_signing_keys", &[])
        .await
        .unwrap();
    let sealed: Value = serde_json::from_str(row.get(0)).unwrap();
    assert_eq!(sealed["key_id"], "mine");
}

#[tokio::test]
async fn replicas_that_start_at_once_on_an_empty_database_agree_on_one_key() {
    let database = TestDatabase::empty().await.unwrap();
    let mut config = Config::for_tests();
    config.database.url = Secret::new(database.url().to_owned());
    config.jwt.algorithm = JwtAlgorithm::Es256;
    let clock = innkeeper_service::clock::Clock::manual();
    let starts = (0..4).map(|_| Auth::start(config.clone(), clock.clone()));
    let replicas = futures_util::future::join_all(starts).await;
    let mut shown = Vec::new();
    for replica in replicas {
        let client = Client::new(replica.unwrap().routes().unwrap()).unwrap();
        shown.push(client.get("/.well-known/jwks.json").send().await.text());
    }
    shown.dedup();
    assert_eq!(shown.len(), 1, "{shown:?}");
    let keys: Value = serde_json::from_str(&shown[0]).unwrap();
    assert_eq!(keys["keys"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_key_that_cannot_be_opened_ends_the_start_and_no_other_is_made() {
    let app = TestApp::autoconfirm().await;
    let mut config = app.config.clone();
    config.jwt.secret = Secret::new("another secret of forty letters, or more".to_owned());
    let error = Auth::start(config.clone(), app.clock.clone())
        .await
        .unwrap_err();
    assert!(
        matches!(error, StartError::Keys(SigningKeysError::Sealed(_))),
        "{error}"
    );
    assert!(error.to_string().contains("JWT_SECRET"), "{error}");
    assert!(
        rotate_keys(&config, &app.clock, OldKeys::Retire)
            .await
            .is_err()
    );
    let sql = app.sql().await;
    let keys = "select count(*) from innkeeper_signing_keys";
    assert_eq!(count(&sql, keys).await, 1);
    // With the right secret, tokens and replicas work as before.
    let (token, _) = signed_by(&app).await;
    let replica = app.replica().await;
    let (name, value) = bearer(&token);
    let answer = replica.get("/user").header(name, value).send().await;
    assert_eq!(answer.status(), 200);
}

#[tokio::test]
async fn after_a_rotation_the_new_key_signs_and_old_tokens_stay_good() {
    let app = TestApp::autoconfirm().await;
    let (old_token, old_header) = signed_by(&app).await;
    let kid = rotated(&app).await;
    assert_ne!(old_header["kid"], kid);
    // The running server has not reloaded the keys yet.
    let (_, header) = signed_by(&app).await;
    assert_eq!(header["kid"], old_header["kid"]);

    app.auth.refresh_keys().await.unwrap();
    let (new_token, header) = signed_by(&app).await;
    assert_eq!(header["kid"], kid);
    for token in [&old_token, &new_token] {
        app.get_as(token, "/user").await.ok();
    }
    let kids: Vec<Value> = app
        .jwks()
        .await
        .iter()
        .map(|key| key["kid"].clone())
        .collect();
    assert_eq!(kids, [json!(kid), old_header["kid"].clone()]);

    let kid = rotated(&app).await;
    app.auth.refresh_keys().await.unwrap();
    let (newest_token, header) = signed_by(&app).await;
    assert_eq!(header["kid"], kid);
    for token in [&old_token, &new_token, &newest_token] {
        app.get_as(token, "/user").await.ok();
    }
    assert_eq!(app.jwks().await.len(), 3);
}

#[tokio::test]
async fn a_token_of_a_key_that_another_replica_has_seen_first_is_good_at_once() {
    let app = TestApp::autoconfirm().await;
    app.signed_up(ADA, PASSWORD).await;
    rotated(&app).await;
    let replica = app.replica().await;
    let body = json!({ "email": ADA, "password": PASSWORD });
    let session = post_to(&replica, "/token?grant_type=password", &body).await;
    let token = text(&session.ok(), "access_token");
    app.get_as(&token, "/user").await.ok();
}

#[tokio::test]
async fn an_operator_changes_the_algorithm_by_setting_it_and_rotating() {
    let app = TestApp::autoconfirm().await;
    let (old_token, _) = signed_by(&app).await;
    let mut config = app.config.clone();
    config.jwt.algorithm = JwtAlgorithm::EdDsa;
    rotate_keys(&config, &app.clock, OldKeys::Retire)
        .await
        .unwrap();
    let (_, header) = {
        app.auth.refresh_keys().await.unwrap();
        signed_by(&app).await
    };
    assert_eq!(header["alg"], "EdDSA");
    app.get_as(&old_token, "/user").await.ok();
}

#[tokio::test]
async fn operators_who_rotate_at_once_each_get_a_key_and_one_signs() {
    let app = TestApp::start().await;
    let rotations = (0..4).map(|_| rotate_keys(&app.config, &app.clock, OldKeys::Retire));
    let mut kids = Vec::new();
    for kid in futures_util::future::join_all(rotations).await {
        kids.push(kid.unwrap().kid);
    }
    let sql = app.sql().await;
    let rows = sql
        .query("select kid, is_current from innkeeper_signing_keys", &[])
        .await
        .unwrap();
    assert_eq!(rows.len(), 5);
    for kid in &kids {
        assert!(rows.iter().any(|row| row.get::<_, &str>(0) == kid));
    }
    assert_eq!(rows.iter().filter(|row| row.get::<_, bool>(1)).count(), 1);
}

#[tokio::test]
async fn keys_from_the_settings_are_rotated_there() {
    let app = TestApp::start().await;
    let mut config = app.config.clone();
    config.jwt.algorithm = JwtAlgorithm::Hs256;
    let error = rotate_keys(&config, &app.clock, OldKeys::Retire)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("JWT_KEYS"), "{error}");
}

#[tokio::test]
async fn a_shared_key_signs_while_a_public_one_verifies_and_the_secret_still_counts() {
    let hmac = key(JwtAlgorithm::Hs256, "shared", &["sign", "verify"]);
    let rsa = key(JwtAlgorithm::Rs256, "public", &["verify"]);
    let app = with_keys(json!([hmac, rsa])).await;
    let (token, header) = signed_by(&app).await;
    assert_eq!(header["alg"], "HS256");
    assert_eq!(header["kid"], "shared");
    app.get_as(&token, "/user").await.ok();
    // Service tokens signed with the secret have no `kid`.
    app.operator().get("/admin/users").await.ok();
    let kids: Vec<Value> = app
        .jwks()
        .await
        .iter()
        .map(|key| key["kid"].clone())
        .collect();
    assert_eq!(kids, [json!("public")]);
}

#[tokio::test]
async fn a_public_key_signs_and_tokens_of_the_shared_one_stay_good() {
    let hmac = key(JwtAlgorithm::Hs256, "shared", &["verify"]);
    let rsa = key(JwtAlgorithm::Rs256, "public", &["sign", "verify"]);
    let app = with_keys(json!([hmac.clone(), rsa])).await;
    let (token, header) = signed_by(&app).await;
    assert_eq!(
        (&header["alg"], &header["kid"]),
        (&json!("RS256"), &json!("public"))
    );
    app.get_as(&token, "/user").await.ok();
    let keys = app.jwks().await;
    assert_eq!(keys.len(), 1);
    assert!(
        keys[0]
            .as_object()
            .unwrap()
            .keys()
            .all(|name| !is_private(name))
    );
    let header = json!({ "alg": "HS256", "kid": "shared" });
    let claims = json!({ "role": "service_role" });
    let bytes = base64::Engine::decode(
        &base64::engine::general_purpose::URL_SAFE_NO_PAD,
        hmac["k"].as_str().unwrap(),
    )
    .unwrap();
    let operator = app.operator_with(hmac_signed(&header, &claims, &bytes));
    operator.get("/admin/users").await.ok();
    app.operator().get("/admin/users").await.ok();
}

#[tokio::test]
async fn broken_keys_in_the_settings_end_the_start_without_showing_them() {
    let app = TestApp::start().await;
    let twice = key(JwtAlgorithm::Es256, "one", &["sign"]);
    let private = twice["d"].as_str().unwrap().to_owned();
    for keys in [
        json!([]),
        json!([twice, twice]),
        json!([{ "kty": "RSA", "key_ops": ["sign"], "d": private }]),
        json!([{ "kty": "EC", "crv": "P-256", "x": "", "y": "", "d": private, "key_ops": ["sign"] }]),
        json!([key(JwtAlgorithm::Es256, "one", &["verify"])]),
    ] {
        let mut config = app.config.clone();
        config.jwt.keys = Some(Secret::new(keys.to_string()));
        let error = Auth::start(config, app.clock.clone()).await.unwrap_err();
        assert!(matches!(
            error,
            StartError::Keys(SigningKeysError::Settings(_))
        ));
        assert!(!format!("{error} {error:?}").contains(&private));
    }
}

#[tokio::test]
async fn valid_methods_end_hs256() {
    let app = TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        config.jwt.valid_methods = vec!["ES256".to_owned()];
    })
    .await;
    let (token, _) = signed_by(&app).await;
    app.get_as(&token, "/user").await.ok();
    let refused = |answer: Answer| answer.refused(403, "bad_jwt");
    refused(app.operator().get("/admin/users").await);
    // Service tokens are then signed with the current key.
    let key = service_token(&app.config, &app.clock, "service_role", None)
        .await
        .unwrap();
    let (header, claims) = parts_of(&key);
    assert_eq!(header["alg"], "ES256");
    assert!(claims.get("exp").is_none());
    app.operator_with(key).get("/admin/users").await.ok();
}

/// Starts a server that accepts no tokens but those of its stored keys, and issues a service token.
async fn with_service_token() -> (TestApp, String) {
    let app = TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        config.jwt.valid_methods = vec!["ES256".to_owned()];
    })
    .await;
    let token = service_token(&app.config, &app.clock, "service_role", None)
        .await
        .unwrap();
    (app, token)
}

async fn users_as(app: &TestApp, token: &str) -> Answer {
    app.operator_with(token.to_owned())
        .get("/admin/users")
        .await
}

#[tokio::test]
async fn a_retired_key_ends_with_the_last_token_that_users_can_have_of_it() {
    let (app, token) = with_service_token().await;
    let brief = service_token(
        &app.config,
        &app.clock,
        "anon",
        Some(SignedDuration::from_mins(1)),
    );
    brief.await.unwrap();
    let issued_at = app.clock.now();
    let rotation = rotate_keys(&app.config, &app.clock, OldKeys::Retire);
    let rotation = rotation.await.unwrap();
    let end = issued_at + app.config.jwt.exp + SignedDuration::from_mins(5);
    assert_eq!(rotation.old_key_ends_at.as_second(), end.as_second());
    // Only the token that would outlive its key is named.
    let ending = &rotation.ending_tokens;
    assert_eq!(ending.len(), 1, "{ending:?}");
    assert_eq!(ending[0].role, "service_role");
    assert_eq!(ending[0].issued_at.as_second(), issued_at.as_second());
    assert_eq!(ending[0].expires_at, None);
    app.auth.refresh_keys().await.unwrap();

    app.clock
        .advance(app.config.jwt.exp + SignedDuration::from_secs(299));
    users_as(&app, &token).await.ok();
    app.clock.advance(SignedDuration::from_secs(1));
    users_as(&app, &token).await.refused(403, "bad_jwt");
    assert_eq!(app.jwks().await.len(), 1);
    let listed = list_keys(&app.config, &app.clock).await.unwrap();
    let states: Vec<KeyState> = listed.iter().map(|key| key.state).collect();
    let end = KeyState::Ended(rotation.old_key_ends_at);
    assert_eq!(states, [KeyState::Signs, end]);
    // A day later the key itself is deleted.
    app.clock.advance(SignedDuration::from_hours(25));
    app.auth.keep_up().await.unwrap();
    let sql = app.sql().await;
    let keys = "select count(*) from innkeeper_signing_keys";
    assert_eq!(count(&sql, keys).await, 1);
}

#[tokio::test]
async fn earlier_keys_are_kept_for_longer_where_service_tokens_need_them() {
    let (app, token) = with_service_token().await;
    rotated(&app).await;
    let month = OldKeys::KeepFor(SignedDuration::from_hours(720));
    let rotation = rotate_keys(&app.config, &app.clock, month).await.unwrap();
    let end = app.clock.now() + SignedDuration::from_hours(720);
    assert_eq!(rotation.old_key_ends_at.as_second(), end.as_second());
    app.auth.refresh_keys().await.unwrap();
    app.clock
        .advance(SignedDuration::from_hours(720) - SignedDuration::from_secs(1));
    users_as(&app, &token).await.ok();
    app.clock.advance(SignedDuration::from_secs(1));
    users_as(&app, &token).await.refused(403, "bad_jwt");
    assert_eq!(app.jwks().await.len(), 1);
}

#[tokio::test]
async fn a_key_that_an_earlier_version_retired_ends_too() {
    let (app, token) = with_service_token().await;
    rotated(&app).await;
    let sql = app.sql().await;
    let forget = "update innkeeper_signing_keys set verifies_until = null";
    sql.execute(forget, &[]).await.unwrap();
    app.auth.refresh_keys().await.unwrap();
    users_as(&app, &token).await.ok();
    app.clock
        .advance(app.config.jwt.exp + SignedDuration::from_mins(5));
    users_as(&app, &token).await.refused(403, "bad_jwt");
}

#[tokio::test]
async fn a_revoked_key_stops_verifying_and_the_one_that_signs_is_replaced_instead() {
    let (app, token) = with_service_token().await;
    let (user_token, header) = signed_by(&app).await;
    let old = text(&header, "kid");
    let refused = |error: StartError| match error {
        StartError::Keys(error) => error,
        other => panic!("{other}"),
    };
    let revoke = async |kid: &str| revoke_key(&app.config, &app.clock, kid).await;
    let error = refused(revoke(&old).await.unwrap_err());
    assert!(matches!(error, SigningKeysError::Signs(_)), "{error}");
    assert!(error.to_string().contains("rotate --revoke-old"), "{error}");
    let error = refused(revoke("nobody").await.unwrap_err());
    assert!(matches!(error, SigningKeysError::NoSuchKey(_)), "{error}");

    rotated(&app).await;
    app.auth.refresh_keys().await.unwrap();
    app.get_as(&user_token, "/user").await.ok();
    let ending = revoke(&old).await.unwrap();
    assert_eq!(ending.len(), 1);
    app.auth.refresh_keys().await.unwrap();
    let answer = app.get_as(&user_token, "/user").await;
    answer.refused(403, "bad_jwt");
    users_as(&app, &token).await.refused(403, "bad_jwt");
    assert_eq!(app.jwks().await.len(), 1);
    let listed = list_keys(&app.config, &app.clock).await.unwrap();
    assert_eq!(listed[1].kid.as_deref(), Some(old.as_str()));
    assert!(
        matches!(listed[1].state, KeyState::Revoked(_)),
        "{listed:?}"
    );
    // The private half is gone.
    let sql = app.sql().await;
    let keys = "select count(*) from innkeeper_signing_keys";
    assert_eq!(count(&sql, keys).await, 1);
}

#[tokio::test]
async fn after_a_leak_a_rotation_ends_all_earlier_keys_on_all_replicas() {
    let (app, token) = with_service_token().await;
    rotated(&app).await;
    app.auth.refresh_keys().await.unwrap();
    let (user_token, _) = signed_by(&app).await;
    let (replica, client) = app.replica_with(|_| {}).await;
    let rotation = rotate_keys(&app.config, &app.clock, OldKeys::Revoke);
    let rotation = rotation.await.unwrap();
    let now = app.clock.now();
    assert_eq!(rotation.old_key_ends_at.as_second(), now.as_second());
    assert_eq!(rotation.ending_tokens.len(), 1);
    replica.refresh_keys().await.unwrap();
    app.auth.refresh_keys().await.unwrap();
    for token in [&token, &user_token] {
        let (name, value) = bearer(token);
        let answer = client.get("/user").header(name, value).send().await;
        assert_eq!(answer.status(), 403);
        app.get_as(token, "/user").await.refused(403, "bad_jwt");
    }
    let (_, header) = signed_by(&app).await;
    assert_eq!(header["kid"], rotation.kid);
    assert_eq!(app.jwks().await.len(), 1);
}

#[tokio::test]
async fn a_running_server_notices_a_revocation_within_five_seconds() {
    let app = TestApp::autoconfirm().await;
    let (token, header) = signed_by(&app).await;
    rotated(&app).await;
    let served = Served::start(app);
    let authorization = format!("Bearer {token}");
    let headers = [("authorization", authorization.as_str())];
    assert_eq!(served.get("/user", &headers).await.status(), 200);
    let app = &served.app;
    revoke_key(&app.config, &app.clock, &text(&header, "kid"))
        .await
        .unwrap();
    let is_noticed = async || served.get("/user", &headers).await.status() != 200;
    let noticed = eventually("the revocation is noticed", is_noticed);
    // The other work in the background comes every thirty seconds; a busy machine may take longer than five.
    tokio::time::timeout(Duration::from_secs(20), noticed)
        .await
        .unwrap();
    assert_eq!(served.get("/user", &headers).await.status(), 403);
    served.stop().await;
}

#[tokio::test]
async fn a_key_of_the_settings_is_revoked_although_it_is_still_listed() {
    let hmac = key(JwtAlgorithm::Hs256, "shared", &["verify"]);
    let signing = key(JwtAlgorithm::Es256, "public", &["sign", "verify"]);
    let app = with_keys(json!([hmac.clone(), signing])).await;
    let secret = base64::Engine::decode(
        &base64::engine::general_purpose::URL_SAFE_NO_PAD,
        hmac["k"].as_str().unwrap(),
    )
    .unwrap();
    let header = json!({ "alg": "HS256", "kid": "shared" });
    let token = hmac_signed(&header, &json!({ "role": "service_role" }), &secret);
    users_as(&app, &token).await.ok();
    let error = revoke_key(&app.config, &app.clock, "public").await;
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("let another key of JWT_KEYS sign"),
        "{error}"
    );
    assert!(
        revoke_key(&app.config, &app.clock, "nobody").await.is_err(),
        "a key that is not listed"
    );

    revoke_key(&app.config, &app.clock, "shared").await.unwrap();
    app.auth.refresh_keys().await.unwrap();
    users_as(&app, &token).await.refused(403, "bad_jwt");
    // Neither reading the settings again nor a restart brings it back.
    app.auth.reload(&app.config).await.unwrap();
    users_as(&app, &token).await.refused(403, "bad_jwt");
    let (_, replica) = app.replica_with(|_| {}).await;
    let (name, value) = bearer(&token);
    let answer = replica.get("/admin/users").header(name, value).send().await;
    assert_eq!(answer.status(), 403);
    // Tokens of the secret and of the key that signs are still good.
    app.operator().get("/admin/users").await.ok();
    let (user_token, _) = signed_by(&app).await;
    app.get_as(&user_token, "/user").await.ok();
    // A server that would sign with it does not start.
    let mut config = app.config.clone();
    let shared = json!([key(JwtAlgorithm::Hs256, "shared", &["sign", "verify"])]);
    config.jwt.keys = Some(Secret::new(shared.to_string()));
    let error = Auth::start(config, app.clock.clone()).await.unwrap_err();
    assert!(error.to_string().contains("`shared`"), "{error}");
}
