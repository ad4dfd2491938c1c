//! The limit on mails of the whole server, shared by all replicas, and the share of each client.

use std::net::SocketAddr;

use futures_util::future::join_all;
use innkeeper_auth::config::{Config, Rate};
use innkeeper_rest::Shared;
use innkeeper_rest::testing::Client;
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

/// Sends a request from another client address, so that nobody exceeds the share of one client.
async fn post_from(client: &Client<Shared>, peer: u8, target: &str, body: &Value) -> Answer {
    let peer = SocketAddr::from(([192, 0, 2, peer], 40_000));
    let request = client.post(target).from_peer(peer).json(body);
    Answer::new(request.send().await)
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
    let post = async |peer: u8, target: &str, body: Value| {
        post_from(&app.client, peer, target, &body).await
    };
    post(1, "/signup", sign_up(0)).await.ok();
    app.invite("eve@example.com").await;
    post(2, "/magiclink", ada.clone()).await.ok();
    post(3, "/recover", ada.clone()).await.ok();
    // Both addresses get a mail, which counts as two.
    let change = json!({ "email": "new@example.com" });
    app.put_as(&token, "/user", change.clone()).await.ok();

    let key = app.service_key();
    let invite = json!({ "email": "bob@example.com" });
    let resent = json!({ "type": "signup", "email": "user-0@example.com" });
    let answers = [
        post(4, "/signup", sign_up(1)).await,
        post(5, "/magiclink", ada.clone()).await,
        post(6, "/recover", ada.clone()).await,
        post(7, "/otp", ada.clone()).await,
        post(8, "/resend", resent).await,
        app.put_as(&token, "/user", change).await,
        app.get_as(&token, "/reauthenticate").await,
    ];
    for answer in answers {
        let seconds = retry_after(answer);
        assert!((60..=3600).contains(&seconds), "{seconds}");
    }
    assert_eq!(app.accounts("user-1@example.com").await, 0);
    // Operators have a reserve, of one mail here.
    app.post_as(&key, "/invite", invite).await.ok();
    let invite = json!({ "email": "carl@example.com" });
    retry_after(app.post_as(&key, "/invite", invite).await);
    assert_eq!(app.accounts("carl@example.com").await, 0);
    // A link that the operator delivers does not count as a mail.
    let link = json!({ "type": "magiclink", "email": "ada@example.com" });
    app.operator().post("/admin/generate_link", link).await.ok();

    app.advance(3601);
    post(9, "/recover", ada).await.ok();
}

#[tokio::test]
async fn a_bucket_gains_one_mail_after_each_pause() {
    let rate = Rate::Bucket {
        size: 2,
        refill: SignedDuration::from_hours(10),
    };
    let app = TestApp::with(|config| limited(config, rate)).await;
    let mut number = 0_u8;
    let mut next = async || {
        number += 1;
        let body = sign_up(usize::from(number));
        post_from(&app.client, number, "/signup", &body).await
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
        let clients = [&app.client, &replica];
        async move {
            let peer = u8::try_from(number).unwrap();
            post_from(clients[number % 2], peer, "/signup", body).await
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
    let ask = async |peer: u8, email: &str| {
        let body = json!({ "email": email });
        let answer = post_from(&app.client, peer, "/recover", &body).await;
        (answer.status, answer.text)
    };
    let (ada, nobody) = ("ada@example.com", "nobody@example.com");
    // Only mails that are sent count.
    for (peer, email) in (1..).zip([ada, nobody, nobody, nobody, ada, ada]) {
        assert_eq!(ask(peer, email).await.0, 200);
    }
    let (known, unknown) = (ask(7, ada).await, ask(8, nobody).await);
    assert_eq!(known.0, 429, "{known:?}");
    assert_eq!(known, unknown);
}

#[tokio::test]
async fn a_change_to_an_address_of_somebody_else_counts_like_any_other() {
    for target in ["ben@example.com", "new@example.com"] {
        let app = TestApp::with(|config| limited(config, Rate::PerHour(3))).await;
        app.confirmed("ada@example.com").await;
        app.confirmed("ben@example.com").await;
        let session = app.sign_in("ada@example.com", "correct horse").await.ok();
        let token = session["access_token"].as_str().unwrap();
        let change = json!({ "email": target });
        app.put_as(token, "/user", change.clone()).await.ok();
        // Two of three mails are used up.
        let early = app.put_as(token, "/user", change).await;
        assert!(retry_after(early) > 0, "{target}");
        let ada = json!({ "email": "ada@example.com" });
        post_from(&app.client, 2, "/recover", &ada).await.ok();
        let last = post_from(&app.client, 3, "/recover", &ada).await;
        assert!(retry_after(last) > 0, "{target}");
    }
}

#[tokio::test]
async fn a_request_that_fails_or_must_wait_is_not_counted() {
    let app = TestApp::with(|config| {
        config.rate_limit.email_sent = Rate::PerHour(3);
    })
    .await;
    app.confirmed("ada@example.com").await;
    let ada = json!({ "email": "ada@example.com" });
    let post = async |peer: u8, target: &str, body: Value| {
        post_from(&app.client, peer, target, &body).await
    };
    post(1, "/recover", ada.clone()).await.ok();
    for peer in 2..7 {
        post(peer, "/recover", ada.clone()).await.refused(429, CODE);
        let taken = app
            .post_as(&app.service_key(), "/invite", ada.clone())
            .await;
        taken.refused(422, "email_exists");
    }
    app.invite("eve@example.com").await;
    post(7, "/signup", sign_up(0)).await.ok();
    post(8, "/signup", sign_up(1)).await.refused(429, CODE);
    // A sign-up that the server's limit refused need not also wait for the address's interval.
    app.advance(3601);
    post(9, "/signup", sign_up(1)).await.ok();
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

#[tokio::test]
async fn one_client_does_not_use_up_the_mails_of_everybody() {
    let app = TestApp::with(|config| limited(config, Rate::PerHour(30))).await;
    app.confirmed("ada@example.com").await;
    let recover = async |peer: u8, email: &str| {
        let body = json!({ "email": email });
        post_from(&app.client, peer, "/recover", &body).await
    };
    let attacker = 200;
    for number in 0..10 {
        let email = format!("nobody-{number}@example.com");
        recover(attacker, &email).await.ok();
    }
    // Its share is used up, and the answer does not depend on the address.
    for email in ["nobody@example.com", "ada@example.com"] {
        retry_after(recover(attacker, email).await);
    }
    // More requests than mails in an hour, but no mail was sent yet.
    for peer in 0..25 {
        recover(peer, "nobody@example.com").await.ok();
    }
    recover(25, "ada@example.com").await.ok();
    app.mailbox.next_to("ada@example.com").await;
}

#[tokio::test]
async fn no_client_takes_all_mails_of_a_small_limit() {
    let app = TestApp::with(|config| limited(config, Rate::PerHour(6))).await;
    app.confirmed("ada@example.com").await;
    let ada = json!({ "email": "ada@example.com" });
    let recover = async |peer: u8| post_from(&app.client, peer, "/recover", &ada).await;
    for _ in 0..2 {
        recover(1).await.ok();
    }
    retry_after(recover(1).await);
    recover(2).await.ok();
}
