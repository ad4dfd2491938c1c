//! `Authorization: Bearer`: accepted tokens, and the responses to all others.

use innkeeper_auth::jwt::{Algorithm, SigningKey};
use innkeeper_rest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::tokens::{assemble, hmac_signed, parts_of, text};
use crate::support::{API_VERSION_2024, Answer, TestApp, bearer};

const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";

/// Requests `/user` with these claims, signed with the secret.
async fn user_with(app: &TestApp, claims: &Value) -> Answer {
    app.get_as(&app.token_of_secret(claims), "/user").await
}

/// Returns the claims with one of them changed; null removes it.
fn but(claims: &Value, name: &str, value: Value) -> Value {
    let mut claims = claims.clone();
    if value.is_null() {
        claims.as_object_mut().unwrap().remove(name);
    } else {
        claims[name] = value;
    }
    claims
}

#[tokio::test]
async fn without_a_bearer_token_it_is_401_in_both_shapes() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up(ADA, PASSWORD).await;
    let token = text(&session, "access_token");
    let refused = [
        String::new(),
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        format!("Bearer  {token}"),
        format!("Bearer {token} more"),
        format!("Basic {token}"),
        token.clone(),
    ];
    for value in &refused {
        let headers = [("authorization", value.as_str())];
        let answer = app.send(Method::GET, "/user", &headers, None).await;
        let body = answer.refused(401, "no_authorization");
        assert!(
            body["msg"].as_str().unwrap().contains("Bearer token"),
            "{value}"
        );
    }
    let answer = app
        .send(Method::GET, "/user", &[API_VERSION_2024], None)
        .await;
    let body = answer.refused(401, "no_authorization");
    assert_eq!(
        body["message"],
        "This endpoint requires a valid Bearer token"
    );
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let value = format!("{scheme} {token}");
        let headers = [("authorization", value.as_str())];
        app.send(Method::GET, "/user", &headers, None).await.ok();
    }
}

#[tokio::test]
async fn the_token_is_asked_for_before_the_route() {
    let app = TestApp::autoconfirm().await;
    for target in [
        "/user/nothing",
        "/admin",
        "/admin/nothing",
        "/reauthenticate/x",
        "/logout/x",
    ] {
        app.get(target).await.refused(401, "no_authorization");
    }
    app.operator()
        .get("/admin/nothing")
        .await
        .refused(404, "not_found");
    let session = app.signed_up(ADA, PASSWORD).await;
    app.get_as(&text(&session, "access_token"), "/admin/nothing")
        .await
        .refused(403, "not_admin");
}

/// Returns tokens that resemble `good` and must not be accepted.
async fn forged(app: &TestApp, good: &str) -> Vec<String> {
    let (header, claims) = parts_of(good);
    let hs256 = json!({ "alg": "HS256", "typ": "JWT" });
    let with = |name: &str, value: Value| but(&header, name, value);
    let secret = app.config.jwt.secret.reveal().as_bytes();
    let public = app.jwks().await[0].clone();
    let stranger = SigningKey::generate(Algorithm::Es256).unwrap();
    let strange = stranger.sign(&claims).unwrap();
    let strange_jwk = json!(stranger.verifying().public_jwk());
    let strange_signature = |header: &Value| {
        let token = assemble(header, &claims, &[]);
        // Any signature will do: the server never uses a key that the token supplies.
        format!("{token}{}", strange.rsplit('.').next().unwrap())
    };
    let (message, _) = good.rsplit_once('.').unwrap();
    let (_, signature) = strange.rsplit_once('.').unwrap();
    let kid = &header["kid"];
    vec![
        "garbage".to_owned(),
        "a.b.c".to_owned(),
        format!("{good}.{good}"),
        format!("{message}."),
        format!("{message}.{signature}"),
        assemble(&json!({ "alg": "none", "typ": "JWT" }), &claims, &[]),
        assemble(&json!({ "alg": "None" }), &claims, &[]),
        assemble(&json!({ "alg": "none", "kid": kid }), &claims, &[]),
        assemble(&json!({ "typ": "JWT" }), &claims, &[]),
        // The public key used as a secret, in the forms in which it is published.
        hmac_signed(
            &with("alg", json!("HS256")),
            &claims,
            public.to_string().as_bytes(),
        ),
        hmac_signed(&hs256, &claims, public.to_string().as_bytes()),
        hmac_signed(&hs256, &claims, public["x"].as_str().unwrap().as_bytes()),
        // The right secret under the id of another key, and wrong secrets.
        hmac_signed(&with("alg", json!("HS256")), &claims, secret),
        hmac_signed(&hs256, &claims, b"another secret of forty letters, or more"),
        hmac_signed(&hs256, &claims, b""),
        strange.clone(),
        strange_signature(&with("jwk", strange_jwk)),
        strange_signature(&with("jku", json!("https://evil.example.com/jwks.json"))),
        strange_signature(&with("x5u", json!("https://evil.example.com/cert.pem"))),
        strange_signature(&with("kid", json!("../../etc/passwd"))),
        // An unsupported critical header, and an unsupported algorithm.
        hmac_signed(&json!({ "alg": "HS256", "crit": ["exp"] }), &claims, secret),
        hmac_signed(&json!({ "alg": "HS512" }), &claims, secret),
    ]
}

#[tokio::test]
async fn a_token_that_this_server_did_not_sign_is_403_and_says_how_clients_expect_it() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up(ADA, PASSWORD).await;
    let good = text(&session, "access_token");
    let tokens = forged(&app, &good).await;
    for token in &tokens {
        let body = app.get_as(token, "/user").await;
        let body = body.refused(403, "bad_jwt");
        let message = body["msg"].as_str().unwrap();
        assert!(message.starts_with("invalid JWT"), "{token}: {message}");
        assert!(
            message.contains("unable to parse or verify signature"),
            "{message}"
        );
        let (name, value) = bearer(token);
        let headers = [(name, value.as_str()), API_VERSION_2024];
        let body = app.send(Method::POST, "/logout", &headers, None).await;
        body.refused(403, "bad_jwt");
        app.get_as(token, "/admin/users")
            .await
            .refused(403, "bad_jwt");
    }
    app.get_as(&good, "/user").await.ok();
}

#[tokio::test]
async fn times_in_a_token_hold() {
    let app = TestApp::autoconfirm().await;
    let user = app.signed_up(ADA, PASSWORD).await["user"].clone();
    let claims = app.claims_for(&user);
    let now = app.clock.now().as_second();
    for (name, value) in [
        ("exp", json!(now - 1)),
        ("exp", json!(now)),
        ("nbf", json!(now + 60)),
        ("iat", json!(now + 330)),
        ("exp", json!("tomorrow")),
    ] {
        user_with(&app, &but(&claims, name, value))
            .await
            .refused(403, "bad_jwt");
    }
    for (name, value) in [
        ("exp", Value::Null),
        ("iat", Value::Null),
        ("iat", json!(now + 270)),
        ("iat", json!(now - 60)),
        ("nbf", json!(now - 1)),
        ("exp", json!(1.0e300)),
    ] {
        user_with(&app, &but(&claims, name, value)).await.ok();
    }
}

#[tokio::test]
async fn a_verified_token_is_not_remembered_past_its_end() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up(ADA, PASSWORD).await;
    let token = text(&session, "access_token");
    app.get_as(&token, "/user").await.ok();
    app.get_as(&token, "/user").await.ok();
    app.advance(3600);
    app.get_as(&token, "/user").await.refused(403, "bad_jwt");
}

#[tokio::test]
async fn the_subject_must_be_a_user_of_this_server() {
    let app = TestApp::autoconfirm().await;
    let user = app.signed_up(ADA, PASSWORD).await["user"].clone();
    let claims = app.claims_for(&user);
    let missing = user_with(&app, &but(&claims, "sub", Value::Null)).await;
    let missing = missing.refused(403, "bad_jwt");
    assert_eq!(missing["msg"], "invalid claim: missing sub claim");
    app.get_as(&app.service_key(), "/user")
        .await
        .refused(403, "bad_jwt");
    user_with(&app, &json!({ "role": "anon" }))
        .await
        .refused(403, "bad_jwt");
    user_with(&app, &but(&claims, "sub", json!("admin")))
        .await
        .refused(400, "bad_jwt");
    user_with(&app, &but(&claims, "sub", json!(Uuid::new_v4())))
        .await
        .refused(403, "user_not_found");
    user_with(&app, &claims).await.ok();
}

#[tokio::test]
async fn a_session_that_is_named_must_live_and_be_the_users() {
    let app = TestApp::autoconfirm().await;
    let session = app.signed_up(ADA, PASSWORD).await;
    let other = app.signed_up("bob@example.com", PASSWORD).await;
    let (_, others) = parts_of(&text(&other, "access_token"));
    let claims = app.claims_for(&session["user"]);
    for none in [json!(""), json!(Uuid::nil()), Value::Null] {
        user_with(&app, &but(&claims, "session_id", none))
            .await
            .ok();
    }
    for gone in [json!(Uuid::new_v4()), others["session_id"].clone()] {
        user_with(&app, &but(&claims, "session_id", gone))
            .await
            .refused(403, "session_not_found");
    }
    user_with(&app, &but(&claims, "session_id", json!("no id")))
        .await
        .refused(403, "bad_jwt");
}

#[tokio::test]
async fn user_endpoints_need_the_audience_of_the_user() {
    let app = TestApp::autoconfirm().await;
    let user = app.signed_up(ADA, PASSWORD).await["user"].clone();
    let claims = app.claims_for(&user);
    for other in [json!("elsewhere"), json!(""), Value::Null] {
        user_with(&app, &but(&claims, "aud", other))
            .await
            .refused(403, "unexpected_audience");
    }
    user_with(&app, &but(&claims, "aud", json!(["authenticated"])))
        .await
        .ok();
    let token = app.token_of_secret(&claims);
    let (name, value) = bearer(&token);
    for (audience, status) in [("authenticated", 200), ("elsewhere", 400), ("", 200)] {
        let headers = [(name, value.as_str()), ("X-JWT-AUD", audience)];
        let answer = app.send(Method::GET, "/user", &headers, None).await;
        assert_eq!(answer.status, status, "{audience}: {}", answer.text);
    }
}

#[tokio::test]
async fn without_a_configured_audience_everybody_has_the_empty_one() {
    let app = TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        config.jwt.aud = String::new();
        config.jwt.default_group_name = String::new();
    })
    .await;
    let session = app.signed_up(ADA, PASSWORD).await;
    assert_eq!(session["user"]["aud"], "");
    assert_eq!(session["user"]["role"], "");
    let token = text(&session, "access_token");
    let (_, claims) = parts_of(&token);
    assert_eq!(claims["aud"], "");
    app.get_as(&token, "/user").await.ok();
}

#[tokio::test]
async fn banned_and_deleted_users_are_let_in_nowhere() {
    let app = TestApp::autoconfirm().await;
    let user = app.signed_up(ADA, PASSWORD).await["user"].clone();
    let claims = app.claims_for(&user);
    let id = text(&user, "id");
    let operator = app.operator();
    let target = format!("/admin/users/{id}");
    operator
        .put(&target, json!({ "ban_duration": "1h" }))
        .await
        .ok();
    let body = user_with(&app, &claims).await.refused(403, "user_banned");
    assert_eq!(body["msg"], "User is banned");
    operator
        .put(&target, json!({ "ban_duration": "none" }))
        .await
        .ok();
    user_with(&app, &claims).await.ok();
    operator.delete(&target, None).await.ok();
    user_with(&app, &claims)
        .await
        .refused(403, "user_not_found");
}

#[tokio::test]
async fn admin_routes_take_the_keys_that_services_have() {
    let app = TestApp::start().await;
    let now = app.clock.now().as_second();
    for claims in [
        json!({ "role": "service_role" }),
        json!({ "role": "supabase_admin", "aud": "admin", "sub": "admin" }),
        json!({ "role": "supabase_admin", "sub": "1234567890", "iat": now - 60 }),
        json!({ "role": "service_role", "iss": "elsewhere", "iat": now - 60, "exp": now + 10 }),
        json!({ "role": "service_role", "session_id": Uuid::nil() }),
    ] {
        let key = app.token_of_secret(&claims);
        let list = app.get_as(&key, "/admin/users").await.ok();
        // The audience of a service key does not select the audience of the users.
        assert_eq!(list["aud"], "authenticated", "{claims}");
    }
}

#[tokio::test]
async fn admin_routes_refuse_everybody_else() {
    let app = TestApp::with(|config| config.jwt.admin_roles = vec!["keeper".to_owned()]).await;
    for claims in [
        json!({}),
        json!({ "role": "" }),
        json!({ "role": "authenticated" }),
        json!({ "role": "service_role" }),
        json!({ "role": "Keeper" }),
        json!({ "role": "anon", "app_metadata": { "role": "keeper" } }),
    ] {
        let key = app.token_of_secret(&claims);
        for target in ["/admin/users", "/admin/audit"] {
            let refused = app.get_as(&key, target).await;
            let refused = refused.refused(403, "not_admin");
            assert_eq!(refused["msg"], "User not allowed");
        }
        app.post_as(&key, "/invite", json!({ "email": ADA }))
            .await
            .refused(403, "not_admin");
    }
    let key = app.token_of_secret(&json!({ "role": "keeper" }));
    app.get_as(&key, "/admin/users").await.ok();
    let now = app.clock.now().as_second();
    let ended = app.token_of_secret(&json!({ "role": "keeper", "exp": now - 1 }));
    app.get_as(&ended, "/admin/users")
        .await
        .refused(403, "bad_jwt");
}

#[tokio::test]
async fn the_token_of_a_person_who_is_admin_ends_with_its_session() {
    let app = TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        config.sessions.timebox = Some(jiff::SignedDuration::from_secs(600));
    })
    .await;
    let admin = json!({
        "email": ADA, "password": PASSWORD, "email_confirm": true, "role": "service_role",
    });
    let admin = app.operator().create(admin).await;
    let token = |session: &Value| text(session, "access_token");
    let session = app.sign_in(ADA, PASSWORD).await.ok();
    app.get_as(&token(&session), "/admin/users").await.ok();
    app.advance(601);
    app.get_as(&token(&session), "/admin/users")
        .await
        .refused(403, "session_expired");

    let session = app.sign_in(ADA, PASSWORD).await.ok();
    app.post_as(&token(&session), "/logout", json!({}))
        .await
        .failed(204);
    app.get_as(&token(&session), "/admin/users")
        .await
        .refused(403, "session_not_found");

    let session = app.sign_in(ADA, PASSWORD).await.ok();
    let sql = app.sql().await;
    sql.execute("update users set banned_until = '2999-01-01'", &[])
        .await
        .unwrap();
    app.get_as(&token(&session), "/admin/users")
        .await
        .refused(403, "user_banned");
    assert_eq!(admin["role"], "service_role");
}

#[tokio::test]
async fn an_admin_who_loses_the_role_loses_the_rights_at_once() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let admin = json!({
        "email": ADA, "password": PASSWORD, "email_confirm": true, "role": "service_role",
    });
    let admin = operator.create(admin).await;
    let session = app.sign_in(ADA, PASSWORD).await.ok();
    let token = text(&session, "access_token");
    app.get_as(&token, "/admin/users").await.ok();
    let target = format!("/admin/users/{}", text(&admin, "id"));
    operator
        .put(&target, json!({ "role": "authenticated" }))
        .await
        .ok();
    app.get_as(&token, "/admin/users")
        .await
        .refused(403, "not_admin");
    // Another admin role is one.
    operator
        .put(&target, json!({ "role": "supabase_admin" }))
        .await
        .ok();
    app.get_as(&token, "/admin/users").await.ok();
}
