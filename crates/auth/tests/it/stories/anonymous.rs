//! Anonymous users: sign-in, limits, and how they become permanent.

use std::net::SocketAddr;

use innkeeper_auth::config::{Config, HookKind, Rate};
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::support::hook::{Receiver, Reply};
use crate::support::mail_flows::{claims_of, methods_of, without_pauses};
use crate::support::operator::{count, path_of};
use crate::support::profile::gotrue;
use crate::support::tokens::text;
use crate::support::{Answer, TestApp, redacted};

const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";
const DAY: i64 = 24 * 3600;

fn anonymous(config: &mut Config) {
    config.external.anonymous_users_enabled = true;
    config.rate_limit.anonymous_users = 1e9;
    without_pauses(config);
}

async fn start() -> TestApp {
    TestApp::with(anonymous).await
}

/// Signs in anonymously, and returns the session.
async fn signed_in(app: &TestApp) -> Value {
    app.post("/signup", json!({})).await.ok()
}

async fn users(app: &TestApp) -> i64 {
    count(&app.sql().await, "select count(*) from users").await
}

#[tokio::test]
async fn a_sign_up_that_names_nobody_signs_in() {
    let app = start().await;
    let body = json!({ "data": { "theme": "dark" }, "email": "", "phone": null });
    let answer = app.post_versioned("/signup", body).await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let session = answer.ok();
    assert_eq!(
        redacted(&session),
        json!({
            "access_token": "[token]",
            "token_type": "bearer",
            "expires_in": 3600,
            "expires_at": "[seconds]",
            "refresh_token": "[token]",
            "user": {
                "id": "[uuid]",
                "aud": "authenticated",
                "role": "authenticated",
                "email": "",
                "phone": "",
                "last_sign_in_at": "[time]",
                "app_metadata": {},
                "user_metadata": { "theme": "dark" },
                "identities": [],
                "created_at": "[time]",
                "updated_at": "[time]",
                "is_anonymous": true,
            },
        })
    );
    let token = text(&session, "access_token");
    let claims = claims_of(&token);
    assert_eq!(claims["is_anonymous"], true);
    assert_eq!(claims["app_metadata"], json!({}));
    assert_eq!(methods_of(&token), ["anonymous"]);
    let me = app.get_as(&token, "/user").await.ok();
    assert_eq!(
        (&me["is_anonymous"], &me["identities"]),
        (&json!(true), &json!([]))
    );
    let next = app.refresh(&text(&session, "refresh_token")).await.ok();
    assert_eq!(next["user"]["is_anonymous"], true);
    assert_eq!(next["user"]["app_metadata"], json!({}));
    let audited = "select count(*) from audit_log_entries
                    where payload ->> 'action' in ('user_signedup', 'login')
                      and payload -> 'traits' ->> 'provider' = 'anonymous'";
    assert_eq!(count(&app.sql().await, audited).await, 2);
    assert_eq!(
        app.get("/settings").await.ok()["external"]["anonymous_users"],
        true
    );
}

#[tokio::test]
async fn it_is_refused_where_it_is_off_or_sign_up_is() {
    let off = TestApp::start().await;
    let refused = off.post("/signup", json!({})).await;
    refused.refused(422, "anonymous_provider_disabled");
    let closed = TestApp::with(|config| {
        anonymous(config);
        config.disable_signup = true;
    })
    .await;
    let refused = closed.post("/signup", json!({})).await;
    refused.refused(422, "signup_disabled");
    assert_eq!(users(&off).await + users(&closed).await, 0);
}

#[tokio::test]
async fn a_password_without_an_address_is_a_mistake_and_not_dropped() {
    let app = start().await;
    let body = json!({ "email": "", "password": PASSWORD });
    app.post("/signup", body.clone())
        .await
        .refused(400, "validation_failed");
    assert_eq!(users(&app).await, 0);
    let app = TestApp::with(|config| {
        gotrue(config);
        anonymous(config);
    })
    .await;
    let session = app.post("/signup", body).await.ok();
    assert_eq!(session["user"]["is_anonymous"], true);
    let with_password = "select count(*) from users where coalesce(encrypted_password, '') <> ''";
    assert_eq!(count(&app.sql().await, with_password).await, 0);
}

#[tokio::test]
async fn its_metadata_has_bounds() {
    let app = start().await;
    let data = json!({ "text": "x".repeat(1024 * 1024 / 2) });
    app.post("/signup", json!({ "data": data }))
        .await
        .refused(422, "metadata_too_large");
    assert_eq!(users(&app).await, 0);
}

async fn from(app: &TestApp, peer: u8, body: Value) -> Answer {
    let peer = SocketAddr::from(([192, 0, 2, peer], 40_000));
    let request = app.client.post("/signup").from_peer(peer).json(&body);
    Answer::new(request.send().await)
}

#[tokio::test]
async fn a_client_may_sign_in_so_often_in_an_hour() {
    let app = TestApp::with(|config| {
        anonymous(config);
        config.rate_limit.anonymous_users = 3.0;
        // Neither of these is used up.
        config.rate_limit.otp = 1.0;
        config.rate_limit.email_sent = Rate::PerHour(3);
    })
    .await;
    for left in ["2", "1", "0"] {
        let answer = from(&app, 1, json!({})).await;
        assert_eq!(
            answer.header("ratelimit-policy"),
            Some("\"anonymous\";q=3;w=3600")
        );
        assert_eq!(answer.header("x-ratelimit-remaining"), Some(left));
        answer.ok();
    }
    let refused = from(&app, 1, json!({})).await;
    let wait: i64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1100..=1200).contains(&wait), "{wait}");
    refused.refused(429, "over_request_rate_limit");
    from(&app, 2, json!({})).await.ok();
    from(&app, 1, json!({ "email": ADA, "password": PASSWORD }))
        .await
        .ok();
    app.advance(wait);
    from(&app, 1, json!({})).await.ok();
    from(&app, 1, json!({}))
        .await
        .refused(429, "over_request_rate_limit");
    assert_eq!(users(&app).await, 6);
}

#[tokio::test]
async fn the_application_can_refuse_it() {
    let receiver = Receiver::start(|call: &Value| {
        assert_eq!(call["user"]["is_anonymous"], true);
        assert_eq!(call["user"]["user_metadata"], json!({ "team": 7 }));
        let error = json!({ "http_code": 403, "message": "Members only" });
        Reply::Json(json!({ "error": error }))
    })
    .await;
    let app = TestApp::with(|config| {
        anonymous(config);
        receiver.configure(config, HookKind::BeforeUserCreated);
    })
    .await;
    let refused = app.post("/signup", json!({ "data": { "team": 7 } })).await;
    refused.refused(403, "unknown");
    assert_eq!((receiver.count(), users(&app).await), (1, 0));
}

#[tokio::test]
async fn the_application_is_told_of_it() {
    let receiver = Receiver::content().await;
    let app = TestApp::with(|config| {
        anonymous(config);
        receiver.configure(config, HookKind::AfterUserCreated);
    })
    .await;
    let session = signed_in(&app).await;
    let told = receiver.next().await;
    assert_eq!(told.body["user"]["id"], session["user"]["id"]);
    assert_eq!(told.body["user"]["is_anonymous"], true);
}

#[tokio::test]
async fn an_address_makes_the_user_permanent_once_it_is_confirmed() {
    let app = start().await;
    let session = signed_in(&app).await;
    let token = text(&session, "access_token");
    let body = json!({ "email": ADA, "password": PASSWORD });
    let changed = app.put_as(&token, "/user", body).await.ok();
    assert_eq!(
        (&changed["is_anonymous"], &changed["email"]),
        (&json!(true), &json!(""))
    );
    assert_eq!(changed["new_email"], ADA);
    // Until then nobody signs in with it.
    app.sign_in(ADA, PASSWORD)
        .await
        .refused(400, "invalid_credentials");
    let mail = app.mailbox.next_to(ADA).await;
    let confirmed = app
        .verify_code("email_change", ADA, &mail.code())
        .await
        .ok();
    let user = &confirmed["user"];
    assert_eq!(user["id"], session["user"]["id"]);
    assert_eq!(
        (&user["is_anonymous"], &user["email"]),
        (&json!(false), &json!(ADA))
    );
    assert_eq!(
        user["app_metadata"],
        json!({ "provider": "email", "providers": ["email"] })
    );
    assert_eq!(user["identities"][0]["provider"], "email");
    assert_eq!(
        user["identities"][0]["identity_data"]["email_verified"],
        true
    );
    assert_eq!(
        claims_of(&text(&confirmed, "access_token"))["is_anonymous"],
        false
    );
    // The session goes on, and its next token tells.
    let next = app.refresh(&text(&session, "refresh_token")).await.ok();
    assert_eq!(
        claims_of(&text(&next, "access_token"))["is_anonymous"],
        false
    );
    let again = app.sign_in(ADA, PASSWORD).await.ok();
    assert_eq!(again["user"]["id"], session["user"]["id"]);
}

#[tokio::test]
async fn with_autoconfirm_the_address_counts_at_once() {
    for setup in [(|_| {}) as fn(&mut Config), gotrue] {
        let app = TestApp::with(|config| {
            setup(config);
            anonymous(config);
            config.mailer.autoconfirm = true;
        })
        .await;
        let session = signed_in(&app).await;
        let token = text(&session, "access_token");
        app.signed_up("bob@example.com", PASSWORD).await;
        let of_bob = json!({ "email": "Bob@example.com", "password": PASSWORD });
        app.put_as(&token, "/user", of_bob)
            .await
            .refused(422, "email_exists");
        let body = json!({ "email": ADA, "password": "another horse" });
        let changed = app.put_as(&token, "/user", body).await.ok();
        assert_eq!(changed["id"], session["user"]["id"]);
        assert_eq!(
            (&changed["is_anonymous"], &changed["email"]),
            (&json!(false), &json!(ADA))
        );
        assert!(changed.get("new_email").is_none() && changed["email_confirmed_at"].is_string());
        assert_eq!(changed["app_metadata"]["providers"], json!(["email"]));
        assert_eq!(changed["identities"][0]["identity_data"]["email"], ADA);
        app.sign_in(ADA, "another horse").await.ok();
        // A permanent user has an address to lose, so the next one waits for its mail.
        let body = json!({ "email": "new@example.com" });
        let changed = app.put_as(&token, "/user", body).await.ok();
        assert_eq!(
            (&changed["email"], &changed["new_email"]),
            (&json!(ADA), &json!("new@example.com"))
        );
    }
}

#[tokio::test]
async fn what_an_anonymous_user_lacks_is_refused() {
    let app = start().await;
    let token = text(&signed_in(&app).await, "access_token");
    app.put_as(&token, "/user", json!({ "password": PASSWORD }))
        .await
        .refused(422, "validation_failed");
    app.get_as(&token, "/reauthenticate")
        .await
        .refused(400, "validation_failed");
    app.confirmed(ADA).await;
    // The response does not tell that somebody has the address; its owner is told.
    let changed = app.put_as(&token, "/user", json!({ "email": ADA })).await;
    assert_eq!(changed.ok()["new_email"], ADA);
    let mail = app.mailbox.next_to(ADA).await;
    assert!(!mail.text.contains("token="), "{}", mail.text);
    let changed = app.put_as(&token, "/user", json!({ "data": { "name": "?" } }));
    let changed = changed.await.ok();
    assert_eq!(changed["user_metadata"], json!({ "name": "?" }));
    assert_eq!(changed["is_anonymous"], true);
}

#[tokio::test]
async fn an_operator_makes_a_user_permanent() {
    let app = start().await;
    let user = signed_in(&app).await["user"].clone();
    let operator = app.operator();
    let unconfirmed = json!({ "email": ADA });
    let changed = operator.put(&path_of(&user), unconfirmed).await.ok();
    assert_eq!(changed["is_anonymous"], true);
    let confirmed = json!({ "email_confirm": true });
    let changed = operator.put(&path_of(&user), confirmed).await.ok();
    assert_eq!(changed["is_anonymous"], false);
}

fn kept_ten_days(config: &mut Config) {
    anonymous(config);
    config.external.anonymous_users_retention = SignedDuration::from_hours(240);
    config.database.cleanup_enabled = true;
    config.mailer.autoconfirm = true;
}

#[tokio::test]
async fn users_who_do_not_come_back_are_deleted() {
    let app = TestApp::with(kept_ten_days).await;
    let (gone, used, permanent) = (
        signed_in(&app).await,
        signed_in(&app).await,
        signed_in(&app).await,
    );
    let token = text(&permanent, "access_token");
    app.put_as(&token, "/user", json!({ "email": ADA }))
        .await
        .ok();
    app.advance(5 * DAY);
    app.refresh(&text(&used, "refresh_token")).await.ok();
    app.advance(5 * DAY - 60);
    assert_eq!(app.auth.clean_up().await.unwrap(), 0);
    app.advance(61);
    assert_eq!(app.auth.clean_up().await.unwrap(), 1);
    let left = |session: &Value| path_of(&session["user"]);
    app.operator()
        .get(&left(&gone))
        .await
        .refused(404, "user_not_found");
    app.refresh(&text(&gone, "refresh_token")).await.failed(400);
    app.operator().get(&left(&used)).await.ok();
    app.advance(5 * DAY);
    assert_eq!(app.auth.clean_up().await.unwrap(), 1);
    app.operator().get(&left(&permanent)).await.ok();
}

#[tokio::test]
async fn gotrue_counts_from_the_sign_up_and_nothing_is_deleted_where_it_is_off() {
    let app = TestApp::with(|config| {
        gotrue(config);
        kept_ten_days(config);
    })
    .await;
    let session = signed_in(&app).await;
    app.advance(10 * DAY - 60);
    app.refresh(&text(&session, "refresh_token")).await.ok();
    assert_eq!(app.auth.clean_up().await.unwrap(), 0);
    app.advance(61);
    let (off, _) = app
        .replica_with(|config| config.external.anonymous_users_enabled = false)
        .await;
    assert_eq!(off.clean_up().await.unwrap(), 0);
    assert_eq!(app.auth.clean_up().await.unwrap(), 1);
    assert_eq!(users(&app).await, 0);
}

#[tokio::test]
async fn rows_of_the_application_do_not_stop_the_rest_of_the_cleanup() {
    let app = TestApp::with(kept_ten_days).await;
    signed_in(&app).await;
    let sql = app.sql().await;
    let rows = "create table carts (owner uuid references users (id));
                insert into carts select id from users;
                insert into refresh_tokens (token, revoked, updated_at, created_at)
                values ('a', true, '2020-01-01', '2020-01-01')";
    sql.batch_execute(rows).await.unwrap();
    app.advance(11 * DAY);
    assert_eq!(app.auth.clean_up().await.unwrap(), 1);
    assert_eq!(users(&app).await, 1);
    sql.batch_execute("drop table carts").await.unwrap();
    assert_eq!(app.auth.clean_up().await.unwrap(), 1);
    assert_eq!(users(&app).await, 0);
}
