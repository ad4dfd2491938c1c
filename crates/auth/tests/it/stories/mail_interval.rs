//! The interval between two mails to one address, which does not reveal who has an account.

use futures_util::future::join_all;
use innkeeper_auth::config::Config;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::support::profile::gotrue;
use crate::support::{Answer, TestApp};

/// Asserts that the request was refused for this many seconds.
#[track_caller]
fn assert_wait(answer: Answer, seconds: u64) {
    let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    let body = answer.refused(429, "over_email_send_rate_limit");
    assert!(
        wait <= seconds && wait + 30 > seconds,
        "{wait} of {seconds}"
    );
    let message = format!("For security purposes, you can only request this after {wait} seconds.");
    assert_eq!(body["msg"], message);
}

/// Asserts that the second mail is refused for this long after the first, and no longer.
async fn assert_interval(app: &TestApp, seconds: u64, target: &str, body: Value) {
    assert_wait(app.post(target, body.clone()).await, seconds);
    app.advance(i64::try_from(seconds).unwrap() / 2);
    let answer = app.post(target, body.clone()).await;
    let wait: i64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert_wait(answer, seconds - seconds / 2);
    // After exactly the announced time, the request succeeds.
    app.advance(wait);
    app.post(target, body.clone()).await.ok();
    assert_wait(app.post(target, body).await, seconds);
}

/// Asserts the intervals of confirmation, change, magic link, recovery and nonce under some settings.
async fn assert_intervals(change: fn(&mut Config), expected: [u64; 5]) {
    let app = TestApp::with(change).await;
    let [confirmation, email_change, magic_link, recovery, nonce] = expected;
    app.signed_up("ada@example.com", "correct horse").await;
    let body = json!({ "email": "bob@example.com", "password": "correct horse" });
    app.post("/signup", body.clone()).await.ok();
    assert_interval(&app, confirmation, "/signup", body).await;
    // A confirmation that is requested again counts as the same mail.
    let body = json!({ "email": "bob@example.com", "type": "signup" });
    assert_wait(app.post("/resend", body.clone()).await, confirmation);
    app.advance(i64::try_from(confirmation).unwrap() + 1);
    app.post("/resend", body.clone()).await.ok();
    assert_interval(&app, confirmation, "/resend", body).await;

    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let fresh = session["access_token"].as_str().unwrap();
    let body = json!({ "email": "new@example.com" });
    app.put_as(fresh, "/user", body.clone()).await.ok();
    assert_wait(app.put_as(fresh, "/user", body.clone()).await, email_change);
    app.advance(i64::try_from(email_change).unwrap());
    app.put_as(fresh, "/user", body).await.ok();
    app.advance(i64::try_from(email_change).unwrap());
    let body = json!({ "email": "ada@example.com", "type": "email_change" });
    app.post("/resend", body.clone()).await.ok();
    assert_interval(&app, email_change, "/resend", body).await;

    let body = json!({ "email": "ada@example.com" });
    app.post("/otp", body.clone()).await.ok();
    assert_interval(&app, magic_link, "/otp", body.clone()).await;
    app.advance(i64::try_from(magic_link).unwrap());
    app.post("/recover", body.clone()).await.ok();
    assert_interval(&app, recovery, "/recover", body).await;

    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let fresh = session["access_token"].as_str().unwrap();
    app.get_as(fresh, "/reauthenticate").await.ok();
    assert_wait(app.get_as(fresh, "/reauthenticate").await, nonce);
    app.advance(i64::try_from(nonce).unwrap());
    app.get_as(fresh, "/reauthenticate").await.ok();
}

#[tokio::test]
async fn without_the_setting_std_waits_fifteen_minutes_or_one() {
    Box::pin(assert_intervals(|_| {}, [900, 900, 60, 60, 60])).await;
}

#[tokio::test]
async fn the_setting_governs_every_mail() {
    let change = |config: &mut Config| {
        config.smtp.max_frequency = Some(SignedDuration::from_secs(200));
    };
    Box::pin(assert_intervals(change, [200; 5])).await;
}

#[tokio::test]
async fn gotrue_waits_one_minute() {
    Box::pin(assert_intervals(gotrue, [60; 5])).await;
}

#[tokio::test]
async fn magic_link_and_recovery_share_a_timer() {
    let app = TestApp::start().await;
    app.confirmed("ada@example.com").await;
    let body = json!({ "email": "ada@example.com" });
    app.post("/recover", body.clone()).await.ok();
    for target in ["/otp", "/magiclink", "/recover"] {
        assert_wait(app.post(target, body.clone()).await, 60);
    }
    app.advance(61);
    app.post("/magiclink", body.clone()).await.ok();
    assert_wait(app.post("/recover", body).await, 60);
    // Another address has its own timer, regardless of spelling.
    app.post("/recover", json!({ "email": "bob@example.com" }))
        .await
        .ok();
    let body = json!({ "email": "BOB@example.com" });
    assert_wait(app.post("/otp", body).await, 60);
}

#[tokio::test]
async fn neither_answer_nor_limit_tells_who_has_an_account() {
    for is_like_gotrue in [false, true] {
        for (target, extra) in [
            ("/recover", json!({})),
            ("/otp", json!({})),
            ("/magiclink", json!({})),
            ("/resend", json!({ "type": "signup" })),
            ("/resend", json!({ "type": "email_change" })),
        ] {
            // GoTrue lets nobody wait for a mail that was not sent; `like_gotrue_mails` has those.
            if target == "/resend" && is_like_gotrue {
                continue;
            }
            let app = TestApp::with(|config| {
                if is_like_gotrue {
                    gotrue(config);
                }
            })
            .await;
            app.confirmed("known@example.com").await;
            // Signed up long ago and never confirmed.
            app.mail_of_signup("waiting@example.com").await;
            app.advance(1000);
            let mut seen = Vec::new();
            for email in [
                "known@example.com",
                "waiting@example.com",
                "nobody@example.com",
            ] {
                let mut body = extra.clone();
                body["email"] = json!(email);
                let mut answers = Vec::new();
                for _ in 0..2 {
                    let mut answer = app.post(target, body.clone()).await;
                    if answer.body["message_id"].is_string() {
                        answer.body["message_id"] = json!("random");
                    }
                    let seconds = answer.header("retry-after").unwrap_or("none").to_owned();
                    let shown = answer.body.to_string().replace(&seconds, "some");
                    answers.push((answer.status, shown));
                }
                seen.push(answers);
            }
            assert_eq!(seen[0], seen[1], "{target} {extra}");
            assert_eq!(seen[0], seen[2], "{target} {extra}");
            assert_eq!((seen[0][0].0, seen[0][1].0), (200, 429), "{target} {extra}");
        }
    }
}

#[tokio::test]
async fn of_many_requests_at_once_one_is_sent() {
    let app = TestApp::start().await;
    app.confirmed("ada@example.com").await;
    let replica = app.replica().await;
    let body = json!({ "email": "ada@example.com" });
    let here = join_all((0..10).map(|_| app.post("/recover", body.clone())));
    let there = join_all((0..10).map(|_| replica.post("/recover").json(&body).send()));
    let (here, there) = tokio::join!(here, there);
    let mut statuses: Vec<u16> = here.iter().map(|answer| answer.status).collect();
    statuses.extend(
        there
            .iter()
            .map(innkeeper_rest::testing::TestResponse::status),
    );
    statuses.sort_unstable();
    assert_eq!(statuses[0], 200);
    assert_eq!(statuses[1..], [429; 19]);
    app.mailbox.next_to("ada@example.com").await;
    app.assert_no_mail("ada@example.com").await;
}

#[tokio::test]
async fn invitations_are_not_counted() {
    let app = TestApp::start().await;
    for _ in 0..3 {
        let body = json!({ "email": "ada@example.com" });
        app.post_as(&app.service_key(), "/invite", body).await.ok();
        app.mailbox.next_to("ada@example.com").await;
    }
}

#[tokio::test]
async fn addresses_are_counted_and_not_kept() {
    let app = TestApp::start().await;
    app.post("/recover", json!({ "email": "nobody@example.com" }))
        .await
        .ok();
    app.assert_no_row_holds("nobody").await;
}

#[tokio::test]
async fn upkeep_forgets_no_pause_that_still_counts() {
    let app = TestApp::with(|config| {
        config.smtp.max_frequency = Some(SignedDuration::from_hours(72));
    })
    .await;
    let body = json!({ "email": "nobody@example.com" });
    app.post("/recover", body.clone()).await.ok();
    app.advance(71 * 3600);
    app.auth.keep_up().await.unwrap();
    app.post("/recover", body.clone())
        .await
        .refused(429, "over_email_send_rate_limit");
    app.advance(26 * 3600);
    app.auth.keep_up().await.unwrap();
    let row = app
        .sql()
        .await
        .query_one("select count(*) from innkeeper_mail_sent", &[])
        .await;
    assert_eq!(row.unwrap().get::<_, i64>(0), 0);
}
