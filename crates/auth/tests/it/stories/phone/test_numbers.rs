//! Numbers for tests, which get no message and always the same code.

use innkeeper_auth::config::{Config, Profile, Rate};
use innkeeper_service::clock::Clock;
use innkeeper_service::secret::Secret;
use jiff::SignedDuration;
use serde_json::json;

use super::{PHONE, gotrue_app, std_app, verify};
use crate::support::TestApp;
use crate::support::sms::{Protocol, SmsProvider};

const CODE: &str = "135790";

fn with_test_number(config: &mut Config) {
    let code = Secret::new(CODE.to_owned());
    config.sms.test_otp.insert(PHONE.to_owned(), code);
}

async fn apps(provider: &SmsProvider) -> [TestApp; 2] {
    [
        std_app(provider, with_test_number).await,
        gotrue_app(provider, with_test_number).await,
    ]
}

#[tokio::test]
async fn a_number_for_tests_signs_in_with_its_code_and_without_a_message() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    for app in apps(&provider).await {
        let answer = app
            .post("/otp", json!({ "phone": format!("+{PHONE}") }))
            .await;
        assert_eq!(answer.text, "{}");
        verify(&app, "sms", PHONE, "000000")
            .await
            .refused(403, "otp_expired");
        verify(&app, "sms", PHONE, CODE).await.ok();
        // The interval holds for them too.
        app.post("/otp", json!({ "phone": PHONE }))
            .await
            .refused(429, "over_sms_send_rate_limit");
        app.advance(61);
        let answer = app.post("/otp", json!({ "phone": PHONE })).await;
        assert_eq!(answer.text, "{}");
        verify(&app, "sms", PHONE, CODE).await.ok();
        assert_eq!(provider.count(), 0);
        // Used again: only GoTrue has it always valid.
        let again = verify(&app, "sms", PHONE, CODE).await;
        let expected = match app.config.profile {
            Profile::Std => 403,
            Profile::Gotrue => 200,
        };
        assert_eq!(again.status, expected);
    }
}

#[tokio::test]
async fn the_message_of_a_number_for_tests_has_an_id_in_gotrue() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = gotrue_app(&provider, with_test_number).await;
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
    app.advance(61);
    let resend = json!({ "type": "sms", "phone": PHONE });
    let answer = app.post("/resend", resend).await.ok();
    assert_eq!(answer, json!({ "message_id": "test-otp" }));
}

#[tokio::test]
async fn numbers_for_tests_are_not_counted() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |config| {
        with_test_number(config);
        config.rate_limit.sms_sent = Rate::PerHour(0);
    })
    .await;
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
    verify(&app, "sms", PHONE, CODE).await.ok();
}

#[tokio::test]
async fn after_its_time_a_number_for_tests_is_an_ordinary_one() {
    for profile in [Profile::Std, Profile::Gotrue] {
        let provider = SmsProvider::start(Protocol::Twilio).await;
        let end = Clock::manual().now() + SignedDuration::from_secs(100);
        let until_end = |config: &mut Config| {
            with_test_number(config);
            config.sms.test_otp_valid_until = Some(end);
        };
        let app = match profile {
            Profile::Std => std_app(&provider, until_end).await,
            Profile::Gotrue => gotrue_app(&provider, until_end).await,
        };
        app.post("/otp", json!({ "phone": PHONE })).await.ok();
        verify(&app, "sms", PHONE, CODE).await.ok();
        assert_eq!(provider.count(), 0);
        app.advance(100);
        app.post("/otp", json!({ "phone": PHONE })).await.ok();
        let message = provider.next().await;
        assert_eq!(message.to, PHONE);
        if message.code() != CODE {
            verify(&app, "sms", PHONE, CODE)
                .await
                .refused(403, "otp_expired");
        }
    }
}
