//! Password guessing is slowed down, alike for known and unknown users, and never locks an account.

use serde_json::{Value, json};

use crate::support::{Answer, TestApp};

const GRANT: &str = "/token?grant_type=password";
const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";
const THIEF: &str = "192.0.2.66";
const HOME: &str = "198.51.100.7";

fn body(email: &str, password: &str) -> Value {
    json!({ "email": email, "password": password })
}

/// Tries a password from a client address.
async fn attempt(app: &TestApp, address: &str, email: &str, password: &str) -> Answer {
    app.post_from(address, GRANT, &body(email, password)).await
}

/// Fails to sign in ten times.
async fn ten_failures(app: &TestApp, address: &str, email: &str) {
    for _ in 0..10 {
        attempt(app, address, email, "wrong horse")
            .await
            .refused(400, "invalid_credentials");
    }
}

/// Asserts that the attempt was throttled, and returns the seconds to wait.
fn wait(answer: Answer) -> i64 {
    let wait = answer.header("retry-after").unwrap().parse().unwrap();
    let body = answer.refused(429, "over_request_rate_limit");
    assert_eq!(
        body["msg"],
        format!("Too many failed attempts, try again in {wait} seconds")
    );
    wait
}

#[tokio::test]
async fn from_the_tenth_failure_on_guesses_wait_longer_and_longer() {
    let app = TestApp::autoconfirm().await;
    app.signed_up(ADA, PASSWORD).await;
    ten_failures(&app, THIEF, ADA).await;
    let mut waits = Vec::new();
    for _ in 0..8 {
        let seconds = wait(attempt(&app, THIEF, ADA, "wrong horse").await);
        waits.push(seconds);
        app.advance(seconds);
        attempt(&app, THIEF, ADA, "wrong horse")
            .await
            .refused(400, "invalid_credentials");
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
}

#[tokio::test]
async fn known_and_unknown_users_are_throttled_alike_in_both_shapes() {
    let app = TestApp::autoconfirm().await;
    app.signed_up(ADA, PASSWORD).await;
    let mut told = Vec::new();
    for email in [ADA, "nobody@example.com"] {
        ten_failures(&app, THIEF, email).await;
        // Even with the right password: an attacker who guesses it must not learn so immediately.
        for password in ["wrong horse", PASSWORD] {
            let answer = attempt(&app, THIEF, email, password).await;
            told.push((answer.status, answer.text.clone()));
            wait(answer);
        }
        let request = app
            .client
            .post(GRANT)
            .from_peer((THIEF.parse::<std::net::IpAddr>().unwrap(), 1).into())
            .header("X-Supabase-Api-Version", "2024-01-01")
            .json(&body(email, "wrong horse"));
        let dated = Answer::new(request.send().await);
        let dated = dated.refused(429, "over_request_rate_limit");
        assert_eq!(dated["code"], "over_request_rate_limit");
    }
    told.dedup();
    assert_eq!(told.len(), 1, "{told:?}");
}

#[tokio::test]
async fn a_thief_cannot_keep_the_owner_out() {
    let app = TestApp::autoconfirm().await;
    app.signed_up(ADA, PASSWORD).await;
    ten_failures(&app, THIEF, ADA).await;
    wait(attempt(&app, THIEF, ADA, "wrong horse").await);
    attempt(&app, HOME, ADA, PASSWORD).await.ok();
    // The owner's typo is throttled, too, but with the shortest wait.
    attempt(&app, HOME, ADA, "correct hoarse")
        .await
        .refused(400, "invalid_credentials");
    let seconds = wait(attempt(&app, HOME, ADA, PASSWORD).await);
    assert_eq!(seconds, 1);
    app.advance(seconds);
    attempt(&app, HOME, ADA, PASSWORD).await.ok();
    // Other accounts are not affected.
    attempt(&app, THIEF, "bob@example.com", PASSWORD)
        .await
        .refused(400, "invalid_credentials");
}

#[tokio::test]
async fn failures_are_forgotten() {
    let app = TestApp::autoconfirm().await;
    app.signed_up(ADA, PASSWORD).await;
    ten_failures(&app, THIEF, ADA).await;
    app.advance(601);
    ten_failures(&app, THIEF, ADA).await;
}

#[tokio::test]
async fn how_many_failures_and_for_how_long_are_settings() {
    let app = TestApp::with(|config| {
        config.security.password_failures = 2;
        config.security.password_failures_window = jiff::SignedDuration::from_secs(60);
    })
    .await;
    for _ in 0..2 {
        attempt(&app, THIEF, ADA, "wrong horse")
            .await
            .refused(400, "invalid_credentials");
    }
    wait(attempt(&app, THIEF, ADA, "wrong horse").await);
    app.advance(61);
    attempt(&app, THIEF, ADA, "wrong horse")
        .await
        .refused(400, "invalid_credentials");
}

#[tokio::test]
async fn an_unknown_user_costs_the_kind_of_hash_that_most_users_have() {
    let app = TestApp::autoconfirm().await;
    for email in [ADA, "bob@example.com", "eve@example.com"] {
        app.signed_up(email, PASSWORD).await;
    }
    let sql = app.sql().await;
    sql.execute(
        "update users set encrypted_password
            = '$2y$10$abcdefghijklmnopqrstuu23JPZtHcGhwXSF41f93o/7vBdDut3Xu'
          where email <> $1",
        &[&ADA],
    )
    .await
    .unwrap();
    let (auth, client) = app.replica_with(|_| {}).await;
    for (email, bcrypt) in [("nobody@example.com", 1), ("bob@example.com", 2)] {
        let request = client.post(GRANT).json(&body(email, "wrong horse"));
        Answer::new(request.send().await).refused(400, "invalid_credentials");
        let counts = auth.hash_counts();
        assert_eq!((counts.bcrypt, counts.argon2), (bcrypt, 0), "{email}");
    }
    // If all users have Argon2 hashes, an unknown user costs an Argon2 hash.
    sql.execute("delete from users where email <> $1", &[&ADA])
        .await
        .unwrap();
    let (auth, client) = app.replica_with(|_| {}).await;
    let request = client
        .post(GRANT)
        .json(&body("nobody@example.com", "wrong horse"));
    Answer::new(request.send().await).refused(400, "invalid_credentials");
    assert_eq!(auth.hash_counts().argon2, 1);
}

#[tokio::test]
async fn a_sign_up_without_confirmation_gives_no_more_guesses() {
    let app = TestApp::autoconfirm().await;
    app.operator().create(body(ADA, PASSWORD)).await;
    let guess = |password: &str| {
        let body = body(ADA, password);
        let app = &app;
        async move { app.post_from(THIEF, "/signup", &body).await }
    };
    for _ in 0..10 {
        guess("wrong horse")
            .await
            .refused(400, "user_already_exists");
    }
    wait(guess("wrong horse").await);
    wait(guess(PASSWORD).await);
    wait(attempt(&app, THIEF, ADA, PASSWORD).await);
    // The owner signs up from another address.
    app.post_from(HOME, "/signup", &body(ADA, PASSWORD))
        .await
        .ok();
}
