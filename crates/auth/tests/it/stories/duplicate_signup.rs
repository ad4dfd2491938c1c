//! A sign-up with an address that has signed up before.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use innkeeper_auth::config::Profile;
use innkeeper_rest::Method;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::support::{Answer, TestApp, redacted};

const PASSWORD: &str = "correct horse";

async fn sign_up(app: &TestApp, email: &str, password: &str) -> Answer {
    let data = json!({ "name": "Ada", "big": 1e5, "zero": -0.0, "z": [1, { "y": 2, "a": 3 }] });
    let body = json!({ "email": email, "password": password, "data": data });
    app.post("/signup", body).await
}

/// Collects the distinct times in a body.
fn times(body: &Value, into: &mut BTreeSet<String>) {
    match body {
        Value::String(text) if text.parse::<jiff::Timestamp>().is_ok() => {
            into.insert(text.clone());
        }
        Value::Array(elements) => elements.iter().for_each(|element| times(element, into)),
        Value::Object(members) => members.values().for_each(|value| times(value, into)),
        _ => {}
    }
}

/// Returns all that a close observer sees of a response, with placeholders for values that always differ.
fn look(answer: &Answer, email: &str) -> (u16, String, usize, Vec<Option<String>>) {
    let mut seen = BTreeSet::new();
    times(&answer.body, &mut seen);
    let mut text = answer.text.replace(email, "[email]");
    let ids = ["/id", "/identities/0/identity_id"].map(|place| answer.text_at(place));
    for id in &ids {
        assert_eq!(uuid::Uuid::parse_str(id).unwrap().get_version_num(), 4);
        text = text.replace(id, "[id]");
    }
    for time in &seen {
        text = text.replace(time, "[time]");
    }
    let headers = [
        "content-type",
        "cache-control",
        "referrer-policy",
        "x-sb-error-code",
    ];
    let headers = headers.map(|name| answer.header(name).map(str::to_owned));
    (answer.status, text, seen.len(), headers.to_vec())
}

#[tokio::test]
async fn a_repeated_sign_up_cannot_be_told_from_a_first_one() {
    let app = TestApp::start().await;
    app.signed_up("ada@example.com", PASSWORD).await;
    let body = json!({ "email": "ben@example.com", "password": PASSWORD });
    app.post("/signup", body).await.ok();
    app.mailbox.next_to("ben@example.com").await;
    // Only operators may see the data of this invited user.
    let invited = json!({ "email": "cem@example.com", "data": { "secret": true } });
    app.post_as(&app.service_key(), "/invite", invited)
        .await
        .ok();
    app.mailbox.next_to("cem@example.com").await;
    app.advance(900);

    let confirmed = sign_up(&app, "ada@example.com", "another password").await;
    let unconfirmed = sign_up(&app, "ben@example.com", "another password").await;
    let invited = sign_up(&app, "cem@example.com", "another password").await;
    let fresh = sign_up(&app, "new@example.com", "another password").await;
    let expected = look(&fresh, "new@example.com");
    assert_eq!(expected.0, 200);
    assert_eq!(expected.2, 1, "all times are the same: {}", fresh.text);
    assert_eq!(look(&confirmed, "ada@example.com"), expected);
    assert_eq!(look(&unconfirmed, "ben@example.com"), expected);
    assert_eq!(look(&invited, "cem@example.com"), expected);

    // The confirmed account is unchanged, and its owner gets no mail.
    for email in ["ben@example.com", "cem@example.com", "new@example.com"] {
        app.mailbox.next_to(email).await;
    }
    assert_eq!(app.mailbox.count_to("ada@example.com"), 0);
    app.sign_in("ada@example.com", PASSWORD).await.ok();
    app.sign_in("ada@example.com", "another password")
        .await
        .refused(400, "invalid_credentials");
}

#[tokio::test]
async fn operators_see_a_repeated_sign_up_in_the_audit_log() {
    let app = TestApp::start().await;
    let user = app.signed_up("ada@example.com", PASSWORD).await;
    app.advance(900);
    sign_up(&app, "ada@example.com", PASSWORD).await.ok();
    let log = app.get_as(&app.service_key(), "/admin/audit").await.ok();
    let newest = &log[0]["payload"];
    assert_eq!(newest["action"], "user_repeated_signup");
    assert_eq!(newest["actor_id"], user["user"]["id"]);
}

#[tokio::test]
async fn the_pretended_id_stays_the_same_and_tells_nothing() {
    let app = TestApp::start().await;
    let user = app.signed_up("ada@example.com", PASSWORD).await;
    app.signed_up("ben@example.com", PASSWORD).await;
    app.advance(900);
    let first = sign_up(&app, "ada@example.com", PASSWORD).await.ok();
    app.advance(900);
    let second = sign_up(&app, "ADA@example.com", "another password")
        .await
        .ok();
    app.advance(900);
    let replica = app.replica().await;
    let body = json!({ "email": "ada@example.com", "password": PASSWORD });
    let third = replica.post("/signup").json(&body).send().await;
    let third: Value = third.json().unwrap();
    for again in [&second, &third] {
        assert_eq!(again["id"], first["id"]);
        assert_eq!(
            again["identities"][0]["identity_id"],
            first["identities"][0]["identity_id"]
        );
    }
    assert_ne!(first["created_at"], second["created_at"]);
    assert_ne!(first["id"], user["user"]["id"]);
    let other = sign_up(&app, "ben@example.com", PASSWORD).await.ok();
    assert_ne!(other["id"], first["id"]);
}

#[tokio::test]
async fn a_sign_up_looks_the_same_before_and_after_the_owner_confirms() {
    let app = TestApp::start().await;
    // All that differs between two responses is the time.
    let observed = async || {
        app.advance(900);
        let before = app.clock.now();
        let answer = sign_up(&app, "ada@example.com", PASSWORD).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let mut seen = BTreeSet::new();
        times(&answer.body, &mut seen);
        assert_eq!(seen.len(), 1, "all times are the same: {}", answer.text);
        let mut headers: Vec<String> = Vec::new();
        for (name, value) in answer.headers() {
            if !["x-request-id", "date", "etag"].contains(&name.as_str())
                && !name.as_str().contains("ratelimit")
            {
                headers.push(format!("{name}: {value:?}"));
            }
        }
        let time = seen.first().unwrap();
        let of_response: jiff::Timestamp = time.parse().unwrap();
        assert!(of_response > before, "{time} is that of this request");
        (headers, answer.text.replace(time, "[time]"))
    };
    let first = observed().await;
    app.mailbox.next_to("ada@example.com").await;
    let second = observed().await;
    let newest = app.mailbox.next_to("ada@example.com").await.code();
    let session = app.verify_code("signup", "ada@example.com", &newest).await;
    let session = session.ok();
    let confirmed = observed().await;
    let operator = app.operator();
    let banned = json!({ "ban_duration": "9000h" });
    let path = crate::support::operator::path_of(&session["user"]);
    operator.put(&path, banned).await.ok();
    let banned = observed().await;
    operator.delete(&path, None).await.ok();
    let deleted = observed().await;
    for (state, again) in [
        ("waiting", second),
        ("confirmed", confirmed),
        ("banned", banned),
        ("deleted", deleted),
    ] {
        assert_eq!(again, first, "{state}");
    }
    let id = session["user"]["id"].as_str().unwrap();
    assert!(!first.1.contains(id), "{}", first.1);
}

#[tokio::test]
async fn an_address_of_another_audience_is_answered_the_same_way() {
    let app = TestApp::with(|config| config.jwt.audiences = vec!["elsewhere".to_owned()]).await;
    app.signed_up("ada@example.com", PASSWORD).await;
    app.advance(900);
    let here = sign_up(&app, "ada@example.com", PASSWORD).await.ok();
    app.advance(900);
    let body =
        json!({ "email": "ada@example.com", "password": PASSWORD, "data": { "name": "Ada" } });
    let headers = [("X-JWT-AUD", "elsewhere")];
    let answer = app
        .send(Method::POST, "/signup", &headers, Some(&body))
        .await;
    let there = answer.ok();
    assert_eq!(there["aud"], "elsewhere");
    assert_ne!(there["id"], here["id"]);
    let sql = app.sql().await;
    let count: i64 = sql
        .query_one("select count(*) from users", &[])
        .await
        .unwrap()
        .get(0);
    assert_eq!(count, 1);
}

#[tokio::test]
async fn the_pause_between_sign_ups_is_the_same_for_known_and_unknown_addresses() {
    for (setting, pause) in [(None, 900), (Some(7), 7)] {
        let app = TestApp::with(|config| {
            config.smtp.max_frequency = setting.map(SignedDuration::from_secs);
        })
        .await;
        app.signed_up("ada@example.com", PASSWORD).await;
        app.advance(pause);
        let mut refusals = Vec::new();
        for email in ["ada@example.com", "new@example.com"] {
            sign_up(&app, email, PASSWORD).await.ok();
            app.advance(pause - 3);
            let early = sign_up(&app, email, PASSWORD).await;
            let wait: i64 = early.header("retry-after").unwrap().parse().unwrap();
            assert!((1..=3).contains(&wait), "{wait}");
            let body = early.refused(429, "over_email_send_rate_limit");
            let said =
                format!("For security purposes, you can only request this after {wait} seconds.");
            assert_eq!(body["msg"], json!(said));
            refusals.push(
                body.as_object()
                    .unwrap()
                    .keys()
                    .cloned()
                    .collect::<Vec<_>>(),
            );
            app.advance(wait);
            sign_up(&app, email, PASSWORD).await.ok();
        }
        assert_eq!(refusals[0], refusals[1]);
    }
}

#[tokio::test]
async fn a_sign_up_that_fails_does_not_use_up_the_pause() {
    let app = TestApp::start().await;
    let body = json!({ "email": "ada@example.com", "password": PASSWORD });
    let too_long = "a".repeat(300);
    let headers = [("X-JWT-AUD", too_long.as_str())];
    app.send(Method::POST, "/signup", &headers, Some(&body))
        .await
        .refused(400, "validation_failed");
    app.post("/signup", body).await.ok();
}

#[tokio::test]
async fn the_gotrue_profile_shows_a_duplicate_by_its_missing_identities() {
    let app = TestApp::with(|config| config.profile = Profile::Gotrue).await;
    app.signed_up("ada@example.com", PASSWORD).await;
    app.advance(60);
    let data = json!({ "name": "Eve" });
    let body = json!({ "email": "ada@example.com", "password": PASSWORD, "data": data });
    let first = app.post("/signup", body.clone()).await.ok();
    assert_eq!(
        redacted(&first),
        json!({
            "id": "[uuid]",
            "aud": "authenticated",
            "role": "",
            "email": "ada@example.com",
            "phone": "",
            "confirmation_sent_at": "[time]",
            "app_metadata": { "provider": "email", "providers": ["email"] },
            "user_metadata": { "name": "Eve" },
            "identities": [],
            "created_at": "[time]",
            "updated_at": "[time]",
            "is_anonymous": false,
        })
    );
    app.advance(60);
    let second = app.post("/signup", body).await.ok();
    assert_ne!(second["id"], first["id"]);
    sign_up(&app, "new@example.com", PASSWORD).await.ok();
    app.mailbox.next_to("new@example.com").await;
    assert_eq!(app.mailbox.count_to("ada@example.com"), 0);
}

#[tokio::test]
async fn without_confirmation_a_duplicate_is_refused() {
    let std = TestApp::autoconfirm().await;
    let gotrue = TestApp::with(|config| {
        config.profile = Profile::Gotrue;
        config.mailer.autoconfirm = true;
    })
    .await;
    let body = json!({ "email": "ada@example.com", "password": "another password" });
    for (app, undated) in [(&std, 400), (&gotrue, 422)] {
        app.signed_up("ada@example.com", PASSWORD).await;
        let plain = app.post("/signup", body.clone()).await;
        assert_eq!(
            plain.refused(undated, "user_already_exists"),
            json!({
                "code": undated,
                "error_code": "user_already_exists",
                "msg": "User already registered",
            })
        );
        let dated = app.post_versioned("/signup", body.clone()).await;
        assert_eq!(
            dated.refused(422, "user_already_exists"),
            json!({ "code": "user_already_exists", "message": "User already registered" })
        );
        app.sign_in("ada@example.com", PASSWORD).await.ok();
    }
}

#[tokio::test]
async fn until_it_is_confirmed_the_data_of_the_newest_sign_up_counts() {
    let app = TestApp::start().await;
    let body =
        json!({ "email": "ada@example.com", "password": "first password", "data": { "a": 1 } });
    let first = app.post("/signup", body).await.ok();
    let old = app.mailbox.next_to("ada@example.com").await;
    app.advance(900);
    let body =
        json!({ "email": "ada@example.com", "password": "second password", "data": { "b": 2 } });
    let second = app.post("/signup", body).await.ok();
    assert_eq!(second["id"], first["id"]);
    assert_ne!(second["created_at"], first["created_at"]);
    assert_ne!(
        second["confirmation_sent_at"],
        first["confirmation_sent_at"]
    );
    let new = app.mailbox.next_to("ada@example.com").await;

    let code = json!({ "type": "signup", "email": "ada@example.com", "token": old.code() });
    if old.code() != new.code() {
        app.post("/verify", code).await.refused(403, "otp_expired");
    }
    // Only the newest code works, but every link.
    let link = json!({ "type": "signup", "token_hash": old.token() });
    let session = app.post("/verify", link).await.ok();
    let metadata = &session["user"]["user_metadata"];
    assert_eq!((&metadata["a"], &metadata["b"]), (&json!(null), &json!(2)));
    let said = &session["user"]["identities"][0]["identity_data"];
    assert_eq!((&said["a"], &said["b"]), (&json!(null), &json!(2)));
    // Nobody knows whose password it would be.
    for password in ["first password", "second password"] {
        app.sign_in("ada@example.com", password)
            .await
            .refused(400, "invalid_credentials");
    }
}

#[tokio::test]
async fn without_confirmation_an_account_that_nobody_confirmed_goes_to_who_knows_its_password() {
    let app = TestApp::autoconfirm().await;
    let key = app.service_key();
    let created = json!({
        "email": "ada@example.com", "password": PASSWORD, "app_metadata": { "staff": true },
    });
    let created = app.post_as(&key, "/admin/users", created).await.ok();
    assert!(created.get("email_confirmed_at").is_none());
    sign_up(&app, "ada@example.com", "of somebody else")
        .await
        .refused(400, "user_already_exists");
    let session = app.signed_up("ada@example.com", PASSWORD).await;
    assert_eq!(session["user"]["id"], created["id"]);
    assert_eq!(session["user"]["app_metadata"]["staff"], true);
    assert!(session["user"]["email_confirmed_at"].is_string());
    assert_eq!(session["user"]["user_metadata"]["email_verified"], true);
    app.sign_in("ada@example.com", PASSWORD).await.ok();
    app.sign_in("ada@example.com", "of somebody else")
        .await
        .refused(400, "invalid_credentials");
}

#[tokio::test]
async fn without_confirmation_nobody_takes_an_account_that_has_no_password() {
    let app = TestApp::autoconfirm().await;
    let key = app.service_key();
    let created = json!({ "email": "ada@example.com", "app_metadata": { "staff": true } });
    app.post_as(&key, "/admin/users", created).await.ok();
    sign_up(&app, "ada@example.com", PASSWORD)
        .await
        .refused(400, "user_already_exists");
}

/// Counts the accounts with this address.
async fn accounts(app: &TestApp, email: &str) -> i64 {
    let sql = app.sql().await;
    let count = "select count(*) from users where email = $1";
    sql.query_one(count, &[&email]).await.unwrap().get(0)
}

#[tokio::test]
async fn many_sign_ups_at_once_make_one_account() {
    let app = TestApp::with(|config| config.smtp.max_frequency = Some(SignedDuration::ZERO)).await;
    let attempts = (0..12).map(|_| sign_up(&app, "ada@example.com", PASSWORD));
    let answers = join_all(attempts).await;
    let ids: BTreeSet<String> = answers.iter().map(|answer| answer.text_at("/id")).collect();
    assert_eq!(ids.len(), 1, "{ids:?}");
    assert!(answers.iter().all(|answer| answer.status == 200));
    assert_eq!(accounts(&app, "ada@example.com").await, 1);
}

#[tokio::test]
async fn of_many_sign_ups_at_once_one_is_sent_a_mail_within_the_pause() {
    let app = TestApp::start().await;
    let attempts = (0..12).map(|_| sign_up(&app, "ada@example.com", PASSWORD));
    let answers = join_all(attempts).await;
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses[0], 200);
    assert!(
        statuses[1..].iter().all(|&status| status == 429),
        "{statuses:?}"
    );
    app.mailbox.next_to("ada@example.com").await;
    assert_eq!(app.mailbox.count_to("ada@example.com"), 0);
    assert_eq!(accounts(&app, "ada@example.com").await, 1);
}

#[tokio::test]
async fn of_many_sign_ups_at_once_one_is_signed_in_without_confirmation() {
    let app = TestApp::autoconfirm().await;
    let attempts = (0..12).map(|_| sign_up(&app, "ada@example.com", PASSWORD));
    let answers = join_all(attempts).await;
    let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(|it| it.status == 200);
    assert_eq!(won.len(), 1);
    for answer in lost {
        answer.refused(400, "user_already_exists");
    }
    assert_eq!(accounts(&app, "ada@example.com").await, 1);
}
