//! Passwords and password hashes at `POST /admin/users`.

use innkeeper_auth::config::{Config, Profile};
use serde_json::json;
use uuid::Uuid;

use crate::support::TestApp;
use crate::support::operator::count;

/// Hashes made by other implementations, and their passwords.
const HASHES: [(&str, &str); 4] = [
    (
        "$2a$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e",
        "correct horse",
    ),
    (
        "$argon2id$v=19$m=64,t=1,p=2$YSBzYWx0IG9mIDE2IGJ5Lg==$0NNyljZFIyogUZf/8njo/w==",
        "correct horse",
    ),
    (
        "$argon2i$v=19$m=4096,t=3,p=1$YSBzYWx0IG9mIDE2IGJ5Lg$eElpkbNhiKjzcjOD0sRXCwwjdQ8E128CbndYbkBwKh4",
        "correct horse",
    ),
    (
        "$fbscrypt$v=1,n=10,r=8,p=2,ss=Bw==$c2l4dGVlbiBieXRlIHNhbHQ=$5++Q274Gjd9dXC/mJQNAUALpz1UON/0rsox3avyRwbY=",
        "plain scrypt",
    ),
];

#[tokio::test]
async fn without_a_password_a_user_has_none() {
    let app = TestApp::start().await;
    let operator = app.operator();
    for password in [json!(null), json!("")] {
        let email = format!("{}@example.com", Uuid::new_v4());
        operator
            .create(json!({ "email": email, "password": password, "email_confirm": true }))
            .await;
        for guess in ["", "password"] {
            let answer = app.sign_in(&email, guess).await;
            assert_eq!(answer.status, 400, "{}", answer.text);
        }
    }
    let sql = "select count(*) from users where encrypted_password is null";
    assert_eq!(count(&app.sql().await, sql).await, 2);
}

#[tokio::test]
async fn a_new_users_password_is_not_judged_but_has_a_limit() {
    for (profile, limit) in [(Profile::Std, 4096), (Profile::Gotrue, 72)] {
        let app = TestApp::with(|config| config.profile = profile).await;
        let operator = app.operator();
        let long = "x".repeat(limit);
        for password in ["a", &long] {
            let email = format!("{}@example.com", Uuid::new_v4());
            let body = json!({ "email": email, "password": password, "email_confirm": true });
            operator.create(body).await;
            app.sign_in(&email, password).await.ok();
        }
        let body = json!({ "email": "long@example.com", "password": format!("{long}x") });
        let refusal = operator.post("/admin/users", body).await;
        let refusal = refusal.refused(400, "validation_failed");
        let expected = format!("Password cannot be longer than {limit} characters");
        assert_eq!(refusal["msg"], expected);
    }
}

#[tokio::test]
async fn hashes_of_other_servers_are_taken_over_and_renewed_at_sign_in() {
    let app = TestApp::with(|config| config.hash_cost = Config::for_tests().hash_cost).await;
    let operator = app.operator();
    let sql = app.sql().await;
    for (hash, password) in HASHES {
        let email = format!("{}@example.com", Uuid::new_v4());
        operator
            .create(json!({ "email": email, "password_hash": hash, "email_confirm": true }))
            .await;
        app.sign_in(&email, "wrong horse")
            .await
            .refused(400, "invalid_credentials");
        app.sign_in(&email, password).await.ok();
        let of_user = "select encrypted_password from users where email = $1";
        let row = sql.query_one(of_user, &[&email]).await.unwrap();
        let stored: &str = row.get(0);
        assert!(
            stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{stored}"
        );
        app.sign_in(&email, password).await.ok();
    }
}

#[tokio::test]
async fn broken_hashes_are_refused_and_so_are_a_hash_and_a_password_together() {
    let app = TestApp::start().await;
    let operator = app.operator();
    for hash in [
        "no such kind",
        "$2a$04$tooshort",
        "$2a$31$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e",
        "$argon2id$v=19$m=64,t=1,p=2$!!!$0NNyljZFIyogUZf/8njo/w==",
        "$argon2id$v=19$m=4294967295,t=1,p=2$YSBzYWx0IG9mIDE2IGJ5Lg==$0NNyljZFIyogUZf/8njo/w==",
        "$argon2d$v=19$m=64,t=1,p=2$YSBzYWx0IG9mIDE2IGJ5Lg==$0NNyljZFIyogUZf/8njo/w==",
        "$fbscrypt$v=1,n=40,r=8,p=2,ss=Bw==$c2l4dGVlbiBieXRlIHNhbHQ=$5++Q274Gjd9dXC/mJQNAUALpz1UON/0rsox3avyRwbY=",
        "$fbscrypt$",
        "$1$c2FsdA$YW4gb2xkIG9uZQ",
    ] {
        let body = json!({ "email": "ada@example.com", "password_hash": hash });
        let refusal = operator.post("/admin/users", body).await;
        let refusal = refusal.refused(400, "validation_failed");
        let rest = hash.rsplit('$').next().unwrap();
        assert!(
            rest.is_empty() || !refusal.to_string().contains(rest),
            "{refusal}"
        );
    }
    let (hash, password) = HASHES[0];
    let body = json!({ "email": "ada@example.com", "password_hash": hash, "password": password });
    operator
        .post("/admin/users", body)
        .await
        .refused(400, "validation_failed");
    assert_eq!(
        count(&app.sql().await, "select count(*) from users").await,
        0
    );
}
