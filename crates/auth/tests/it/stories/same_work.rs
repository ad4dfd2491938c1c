//! An attempt costs the same work whether the account exists or not, so that its duration reveals nothing.

use std::time::{Duration, Instant};

use innkeeper_auth::Auth;
use innkeeper_auth::config::Config;
use innkeeper_auth::password::HashCounts;
use innkeeper_rest::testing::Client;
use serde_json::json;

use crate::support::TestApp;

const PASSWORD: &str = "correct horse";
const ONE: HashCounts = HashCounts {
    argon2: 1,
    bcrypt: 0,
    firebase: 0,
};

fn since(before: HashCounts, after: HashCounts) -> HashCounts {
    HashCounts {
        argon2: after.argon2 - before.argon2,
        bcrypt: after.bcrypt - before.bcrypt,
        firebase: after.firebase - before.firebase,
    }
}

#[tokio::test]
async fn a_wrong_password_costs_one_hash_whoever_it_is_for() {
    let app = TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        config.hash_cost = Config::for_tests().hash_cost;
    })
    .await;
    let key = app.service_key();
    app.signed_up("known@example.com", PASSWORD).await;
    for user in [
        json!({ "email": "passwordless@example.com", "email_confirm": true }),
        json!({ "email": "unconfirmed@example.com", "password": PASSWORD }),
        json!({
            "email": "banned@example.com",
            "password": PASSWORD,
            "email_confirm": true,
            "ban_duration": "1h",
        }),
    ] {
        app.post_as(&key, "/admin/users", user).await.ok();
    }
    let mut bodies = Vec::new();
    for name in ["known", "passwordless", "unconfirmed", "banned", "unknown"] {
        for password in ["not it", "", &"x".repeat(5000)] {
            let before = app.auth.hash_counts();
            let answer = app.sign_in(&format!("{name}@example.com"), password).await;
            bodies.push(answer.text.clone());
            answer.refused(400, "invalid_credentials");
            assert_eq!(since(before, app.auth.hash_counts()), ONE, "{name}");
        }
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1, "{bodies:?}");
}

#[tokio::test]
async fn where_most_hashes_are_of_another_kind_an_unknown_user_costs_one_of_that_kind() {
    let app = TestApp::autoconfirm().await;
    let user = json!({
        "email": "known@example.com",
        "email_confirm": true,
        "password_hash": "$2a$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e",
    });
    app.post_as(&app.service_key(), "/admin/users", user)
        .await
        .ok();
    let auth = Auth::start(app.config.clone(), app.clock.clone())
        .await
        .unwrap();
    let client = Client::new(auth.routes().unwrap()).unwrap();
    for email in ["known@example.com", "unknown@example.com"] {
        let before = auth.hash_counts();
        let body = json!({ "email": email, "password": "not it" });
        let target = "/token?grant_type=password";
        let answer = client.post(target).json(&body).send().await;
        assert_eq!(answer.status(), 400, "{}", answer.text());
        let bcrypt = HashCounts {
            bcrypt: 1,
            ..HashCounts::default()
        };
        assert_eq!(since(before, auth.hash_counts()), bcrypt, "{email}");
    }
}

#[tokio::test]
async fn a_sign_up_costs_one_hash_whether_the_address_is_known_or_not() {
    let app = TestApp::start().await;
    app.signed_up("confirmed@example.com", PASSWORD).await;
    let waiting = json!({ "email": "waiting@example.com", "password": PASSWORD });
    app.post("/signup", waiting).await.ok();
    app.advance(900);
    for name in ["confirmed", "waiting", "new"] {
        let before = app.auth.hash_counts();
        let body = json!({ "email": format!("{name}@example.com"), "password": PASSWORD });
        app.post("/signup", body).await.ok();
        assert_eq!(since(before, app.auth.hash_counts()), ONE, "{name}");
    }
}

#[tokio::test]
async fn a_failed_sign_in_takes_as_long_as_the_costliest_kind_of_hash_whoever_it_is_for() {
    let app = TestApp::autoconfirm().await;
    let key = app.service_key();
    app.signed_up("argon2@example.com", PASSWORD).await;
    let bcrypt =
        |cost: &str| format!("$2a${cost}$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e");
    let firebase = "$fbscrypt$v=1,n=10,r=8,p=2,ss=Bw==$c2l4dGVlbiBieXRlIHNhbHQ=\
                    $5++Q274Gjd9dXC/mJQNAUALpz1UON/0rsox3avyRwbY=";
    for (name, hash) in [
        ("cheap", bcrypt("04")),
        ("costly", bcrypt("11")),
        ("firebase", firebase.to_owned()),
    ] {
        let user = json!({
            "email": format!("{name}@example.com"),
            "email_confirm": true,
            "password_hash": hash,
        });
        app.post_as(&key, "/admin/users", user).await.ok();
    }
    // Before the hashes are sampled, nothing is known about them.
    assert_eq!(app.auth.failure_moment(), Duration::ZERO);
    app.auth.sample_hashes().await.unwrap();
    let moment = app.auth.failure_moment();
    assert!(moment > Duration::from_millis(50), "{moment:?}");
    assert!(moment <= Duration::from_secs(1), "{moment:?}");
    for name in ["argon2", "cheap", "costly", "firebase", "unknown"] {
        let before = app.auth.hash_counts();
        let start = Instant::now();
        let answer = app.sign_in(&format!("{name}@example.com"), "not it").await;
        let passed = start.elapsed();
        answer.refused(400, "invalid_credentials");
        assert!(passed >= moment, "{name}: {passed:?} < {moment:?}");
        let counts = since(before, app.auth.hash_counts());
        assert_eq!(counts.argon2 + counts.bcrypt + counts.firebase, 1, "{name}");
    }
    // Those who know their password do not wait, and a kind that is gone is forgotten.
    let sql = app.sql().await;
    let delete = "delete from users where email = 'costly@example.com'";
    sql.execute(delete, &[]).await.unwrap();
    app.auth.sample_hashes().await.unwrap();
    assert!(app.auth.failure_moment() < moment);
}
