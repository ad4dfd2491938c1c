//! The limits of text messages.

use innkeeper_auth::config::{Profile, Rate};
use jiff::SignedDuration;
use serde_json::json;

use super::{PASSWORD, PHONE, both_profiles, gotrue_app, signed_in, std_app};
use crate::support::sms::{Protocol, SmsProvider};
use crate::support::tokens::text;

#[tokio::test]
async fn a_number_waits_for_its_next_message() {
    for (app, provider) in both_profiles().await {
        app.post("/otp", json!({ "phone": PHONE })).await.ok();
        app.advance(10);
        let signup = json!({ "phone": PHONE, "password": PASSWORD });
        for (target, body) in [("/otp", json!({ "phone": PHONE })), ("/signup", signup)] {
            let answer = app.post(target, body).await;
            assert_eq!(answer.header("retry-after"), Some("50"));
            let message = answer.refused(429, "over_sms_send_rate_limit")["msg"].clone();
            assert_eq!(
                message,
                "For security purposes, you can only request this after 50 seconds."
            );
        }
        // Another number does not wait.
        app.post("/otp", json!({ "phone": "4917" })).await.ok();
        app.advance(50);
        app.post("/otp", json!({ "phone": PHONE })).await.ok();
        provider.wait_for(3).await;
    }
}

#[tokio::test]
async fn the_interval_is_a_setting() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |config| {
        config.sms.max_frequency = SignedDuration::from_secs(5);
    })
    .await;
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
    app.advance(4);
    app.post("/otp", json!({ "phone": PHONE }))
        .await
        .refused(429, "over_sms_send_rate_limit");
    app.advance(1);
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |config| {
        config.sms.max_frequency = SignedDuration::ZERO;
    })
    .await;
    for _ in 0..3 {
        app.post("/otp", json!({ "phone": PHONE })).await.ok();
    }
}

#[tokio::test]
async fn the_whole_server_sends_so_many_messages() {
    for (rate, wait) in [
        (Rate::PerHour(2), 3600),
        (
            Rate::Bucket {
                size: 2,
                refill: SignedDuration::from_secs(100),
            },
            100,
        ),
    ] {
        let provider = SmsProvider::start(Protocol::Twilio).await;
        let app = gotrue_app(&provider, |config| config.rate_limit.sms_sent = rate).await;
        for number in 0..2 {
            let body = json!({ "phone": format!("4930{number}") });
            app.post("/otp", body).await.ok();
        }
        let answer = app.post("/otp", json!({ "phone": PHONE })).await;
        let seconds = wait.to_string();
        assert_eq!(answer.header("retry-after"), Some(seconds.as_str()));
        let body = answer.refused(429, "over_sms_send_rate_limit");
        let message = body["msg"].as_str().unwrap();
        assert!(message.starts_with("SMS rate limit exceeded"), "{message}");
        // Mails are counted by themselves.
        app.signed_up("ada@example.com", PASSWORD).await;
        app.advance(wait);
        app.post("/otp", json!({ "phone": PHONE })).await.ok();
    }
}

#[tokio::test]
async fn a_limit_of_none_sends_none() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |config| {
        config.rate_limit.sms_sent = Rate::PerHour(0);
    })
    .await;
    app.post("/otp", json!({ "phone": PHONE }))
        .await
        .refused(429, "over_sms_send_rate_limit");
    assert_eq!(provider.count(), 0);
}

#[tokio::test]
async fn a_client_has_a_third_of_the_messages_in_std() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |config| {
        config.rate_limit.sms_sent = Rate::PerHour(6);
    })
    .await;
    assert_eq!(app.config.profile, Profile::Std);
    for number in 0..2 {
        let body = json!({ "phone": format!("4930{number}") });
        app.post("/otp", body).await.ok();
    }
    for (target, body) in [
        ("/otp", json!({ "phone": PHONE })),
        ("/signup", json!({ "phone": PHONE, "password": PASSWORD })),
        ("/resend", json!({ "type": "sms", "phone": PHONE })),
    ] {
        app.post(target, body)
            .await
            .refused(429, "over_sms_send_rate_limit");
    }
    // Mails have a share of their own.
    app.signed_up("ada@example.com", PASSWORD).await;
}

#[tokio::test]
async fn nothing_is_counted_that_was_not_sent() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |config| {
        config.rate_limit.sms_sent = Rate::PerHour(1000);
    })
    .await;
    for number in 0..5 {
        let body = json!({ "phone": format!("4930{number}"), "create_user": false });
        app.post("/otp", body).await.ok();
    }
    signed_in(&app, &provider, PHONE).await;
    app.advance(61);
    let signup = json!({ "phone": PHONE, "password": PASSWORD });
    app.post("/signup", signup).await.ok();
    let used: i32 = app
        .sql()
        .await
        .query_one(
            "select used from innkeeper_mail_budget where name = 'sms_hour'",
            &[],
        )
        .await
        .unwrap()
        .get(0);
    assert_eq!(used, 1);
}

#[tokio::test]
async fn an_account_cannot_send_messages_to_many_numbers() {
    for (app, provider) in both_profiles().await {
        let session = signed_in(&app, &provider, PHONE).await;
        let token = text(&session, "access_token");
        app.put_as(&token, "/user", json!({ "phone": "49170" }))
            .await
            .ok();
        app.put_as(&token, "/user", json!({ "phone": "49171" }))
            .await
            .refused(429, "over_sms_send_rate_limit");
        let resend = json!({ "type": "phone_change", "phone": PHONE });
        app.post("/resend", resend)
            .await
            .refused(429, "over_sms_send_rate_limit");
        provider.wait_for(2).await;
        app.advance(60);
        app.put_as(&token, "/user", json!({ "phone": "49171" }))
            .await
            .ok();
        provider.wait_for(3).await;
    }
}
