//! The limit on mails of the whole server, shared by all replicas.

use futures_util::future::join_all;
use innkeeper_auth::config::{Config, Rate};
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::support::faults::post_to;
use crate::support::mail_flows::without_pauses;
use crate::support::{Answer, TestApp};

const CODE: &str = "over_email_send_rate_limit";

fn limited(config: &mut Config, rate: Rate) {
    without_pauses(config);
    config.rate_limit.email_sent = rate;
}

fn sign_up(number: usize) -> Value {
    json!({ "email": format!("user-{number}@example.com"), "password": "correct horse" })
}

fn retry_after(answer: Answer) -> u64 {
    let seconds = answer.header("retry-after").unwrap().parse().unwrap();
    answer.refused(429, CODE);
    seconds
}

#[tokio::test]
async fn all_endpoints_that_send_share_the_mails_of_an_hour() {
    let app = TestApp::with(|config| limited(config, Rate::PerHour(6))).await;
    app.confirmed("ada@example.com").await;
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let token = session["access_token"].as_str().unwrap().to_owned();
    let ada = json!({ "email": "ada@example.com" });
    app.post("/signup", sign_up(0)).await.ok();
    app.invite("eve@example.com").await;
    app.post("/magiclink", ada.clone()).await.ok();
    app.post("/recover", ada.clone()).await.ok();
    // Both addresses get a mail, which counts as two.
    let change = json!({ "email": "new@example.com" });
    app.put_as(&token, "/user", change.clone()).await.ok();

    let key = app.service_key();
    let invite = json!({ "email": "bob@example.com" });
    let answers = [
        app.post("/signup", sign_up(1)).await,
        app.post_as(&key, "/invite", invite).await,
        app.post("/magiclink", ada.clone()).await,
        app.post("/recover", ada.clone()).await,
        app.post("/otp", ada.clone()).await,
        app.post(
            "/resend",
            json!({ "type": "signup", "email": "user-0@example.com" }),
        )
        .await,
        app.put_as(&token, "/user", change).await,
        app.get_as(&token, "/reauthenticate").await,
    ];
    for answer in answers {
        let seconds = retry_after(answer);
        assert!((60..=3600).contains(&seconds), "{seconds}");
    }
    assert_eq!(app.accounts("user-1@example.com").await, 0);
    assert_eq!(app.accounts("bob@example.com").await, 0);
    // A link that the operator delivers does not count as a mail.
    let link = json!({ "type": "magiclink", "email": "ada@example.com" });
    app.operator().post("/admin/generate_link", link).await.ok();

    app.advance(3601);
    app.post("/recover", ada).await.ok();
}

#[tokio::test]
async fn a_bucket_gains_one_mail_after_each_pause() {
    let rate = Rate::Bucket {
        size: 2,
        refill: SignedDuration::from_hours(10),
    };
    let app = TestApp::with(|config| limited(config, rate)).await;
    let mut number = 0;
    let mut next = || {
        number += 1;
        app.post("/signup", sign_up(number))
    };
    next().await.ok();
    next().await.ok();
    let seconds = retry_after(next().await);
    assert!((32_400..=36_000).contains(&seconds), "{seconds}");
    app.advance(36_000);
    next().await.ok();
    retry_after(next().await);
    // The bucket holds no more than two.
    app.advance(30 * 24 * 3600);
    next().await.ok();
    next().await.ok();
    retry_after(next().await);
}

#[tokio::test]
async fn replicas_count_together() {
    let app = TestApp::with(|config| limited(config, Rate::PerHour(5))).await;
    let replica = app.replica().await;
    let bodies: Vec<Value> = (0..12).map(sign_up).collect();
    let answers = join_all(bodies.iter().enumerate().map(|(number, body)| {
        let (app, replica) = (&app, &replica);
        async move {
            if number % 2 == 0 {
                app.post("/signup", body.clone()).await
            } else {
                post_to(replica, "/signup", body).await
            }
        }
    }))
    .await;
    let taken = answers.iter().filter(|answer| answer.status == 200);
    assert_eq!(taken.count(), 5);
}

#[tokio::test]
async fn the_limit_does_not_tell_who_has_an_account() {
    let app = TestApp::with(|config| limited(config, Rate::PerHour(3))).await;
    app.confirmed("ada@example.com").await;
    let ask = async |email: &str| {
        let answer = app.post("/recover", json!({ "email": email })).await;
        (answer.status, answer.text)
    };
    for email in ["ada@example.com", "nobody@example.com", "ada@example.com"] {
        assert_eq!(ask(email).await.0, 200);
    }
    let (status, _) = ask("ada@example.com").await;
    assert_eq!((status, ask("nobody@example.com").await.0), (429, 429));
}

#[tokio::test]
async fn a_request_that_fails_or_must_wait_is_not_counted() {
    let app = TestApp::with(|config| {
        config.rate_limit.email_sent = Rate::PerHour(3);
    })
    .await;
    app.confirmed("ada@example.com").await;
    let ada = json!({ "email": "ada@example.com" });
    app.post("/recover", ada.clone()).await.ok();
    for _ in 0..5 {
        app.post("/recover", ada.clone()).await.refused(429, CODE);
        let taken = app
            .post_as(&app.service_key(), "/invite", ada.clone())
            .await;
        taken.refused(422, "email_exists");
    }
    app.invite("eve@example.com").await;
    app.post("/signup", sign_up(0)).await.ok();
    app.post("/signup", sign_up(1)).await.refused(429, CODE);
    // A sign-up that the server's limit refused need not also wait for the address's interval.
    app.advance(3601);
    app.post("/signup", sign_up(1)).await.ok();
}

#[tokio::test]
async fn a_limit_of_zero_sends_nothing_and_keeps_nobody_out_who_needs_no_mail() {
    let zero_bucket = Rate::Bucket {
        size: 0,
        refill: SignedDuration::from_mins(1),
    };
    for rate in [Rate::PerHour(0), zero_bucket] {
        let app = TestApp::with(|config| limited(config, rate)).await;
        assert_eq!(retry_after(app.post("/signup", sign_up(0)).await), 3600);
        assert_eq!(app.accounts("user-0@example.com").await, 0);
        let (_, open) = app
            .replica_with(|config| config.mailer.autoconfirm = true)
            .await;
        let session = post_to(&open, "/signup", &sign_up(1)).await.ok();
        assert!(session["access_token"].is_string());
    }
}
