//! Phone numbers as second factors, with codes by text message.

use innkeeper_auth::config::{Config, FactorSwitches, HookKind};
use serde_json::{Value, json};

use super::{
    EMAIL, PASSWORD, answer, claims_of, code_in, factor_actions, gotrue_app, low_session,
    methods_of, std_app, verify,
};
use crate::support::hook::{Receiver, Reply};
use crate::support::sms::{Protocol, SmsProvider, VERIFY_CODE};
use crate::support::tokens::text;
use crate::support::{Answer, TestApp};

const PHONE: &str = "+49301234567";

fn with_phone(config: &mut Config) {
    config.mfa.phone = FactorSwitches {
        enroll: true,
        verify: true,
    };
}

async fn enrol(app: &TestApp, token: &str, phone: &str) -> Answer {
    let body = json!({ "factor_type": "phone", "friendly_name": phone, "phone": phone });
    app.post_as(token, "/factors", body).await
}

async fn challenge(app: &TestApp, token: &str, factor: &str, body: Value) -> Answer {
    let target = format!("/factors/{factor}/challenge");
    app.post_as(token, &target, body).await
}

async fn both_profiles(provider: &SmsProvider) -> [TestApp; 2] {
    [
        std_app(|config| {
            provider.configure(config);
            with_phone(config);
        })
        .await,
        gotrue_app(|config| {
            provider.configure(config);
            with_phone(config);
        })
        .await,
    ]
}

#[tokio::test]
async fn a_number_is_added_and_verified_by_its_code() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    for app in both_profiles(&provider).await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        let enrolled = enrol(&app, &token, PHONE).await.ok();
        assert_eq!(enrolled["type"], "phone");
        assert_eq!(enrolled["phone"], PHONE);
        assert!(enrolled.get("totp").is_none());
        let factor = text(&enrolled, "id");
        let opened = challenge(&app, &token, &factor, json!({})).await.ok();
        assert_eq!(opened["type"], "phone");
        let message = provider.next().await;
        assert_eq!(message.to, "49301234567");
        let opened = text(&opened, "id");
        verify(&app, &token, &factor, &opened, "000000x")
            .await
            .refused(422, "mfa_verification_failed");
        let raised = verify(&app, &token, &factor, &opened, &message.code()).await;
        let raised = raised.ok();
        assert_eq!(claims_of(&raised)["aal"], "aal2");
        assert_eq!(methods_of(&raised), ["mfa/phone", "password"]);
        let user = &raised["user"];
        assert_eq!(user["factors"][0]["phone"], "49301234567");
        verify(&app, &token, &factor, &opened, &message.code())
            .await
            .refused(422, "mfa_ip_address_mismatch");
        let actions = factor_actions(&app).await;
        assert!(actions.contains(&"challenge_created".to_owned()));
    }
}

/// Somebody who knows the password begins to add a number before the owner adds an app.
#[tokio::test]
async fn a_number_that_was_begun_before_does_not_lead_to_the_second_level() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    for app in both_profiles(&provider).await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let first = text(&session, "access_token");
        let begun = text(&enrol(&app, &first, PHONE).await.ok(), "id");
        let enrolled = super::enrol(&app, &first, "app").await.ok();
        let code = code_in(&app, &text(&enrolled["totp"], "secret"), 0);
        let raised = answer(&app, &first, &text(&enrolled, "id"), &code).await;
        let high = text(&raised.ok(), "access_token");

        let low = text(&low_session(&app, EMAIL).await, "access_token");
        let opened = challenge(&app, &low, &begun, json!({})).await.ok();
        let (opened, code) = (text(&opened, "id"), provider.next().await.code());
        verify(&app, &low, &begun, &opened, &code)
            .await
            .refused(403, "insufficient_aal");
        // The owner can go on with it.
        verify(&app, &high, &begun, &opened, &code).await.ok();
    }
}

#[tokio::test]
async fn a_number_gets_one_code_in_a_minute() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    for app in both_profiles(&provider).await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        let factor = text(&enrol(&app, &token, PHONE).await.ok(), "id");
        challenge(&app, &token, &factor, json!({})).await.ok();
        let first = provider.next().await;
        let soon = challenge(&app, &token, &factor, json!({})).await;
        assert!(soon.header("retry-after").is_some());
        soon.refused(429, "over_sms_send_rate_limit");
        app.advance(61);
        let opened = challenge(&app, &token, &factor, json!({})).await.ok();
        let second = provider.next().await;
        let opened = text(&opened, "id");
        // Each challenge has a code of its own.
        if first.code() != second.code() {
            verify(&app, &token, &factor, &opened, &first.code())
                .await
                .refused(422, "mfa_verification_failed");
        }
        verify(&app, &token, &factor, &opened, &second.code())
            .await
            .ok();
    }
}

#[tokio::test]
async fn the_same_number_takes_the_place_of_an_unverified_one() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    for app in both_profiles(&provider).await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        let first = text(&enrol(&app, &token, PHONE).await.ok(), "id");
        let second = text(&enrol(&app, &token, PHONE).await.ok(), "id");
        assert_ne!(first, second);
        let user = app.get_as(&token, "/user").await.ok();
        assert_eq!(user["factors"].as_array().unwrap().len(), 1);
        let opened = challenge(&app, &token, &second, json!({})).await.ok();
        let code = provider.next().await.code();
        let raised = verify(&app, &token, &second, &text(&opened, "id"), &code).await;
        let token = text(&raised.ok(), "access_token");
        enrol(&app, &token, PHONE)
            .await
            .refused(422, "mfa_verified_factor_exists");
    }
}

#[tokio::test]
async fn a_code_is_not_in_the_database_of_std() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let [std, gotrue] = both_profiles(&provider).await;
    for (app, is_plain) in [(std, false), (gotrue, true)] {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        let factor = text(&enrol(&app, &token, PHONE).await.ok(), "id");
        challenge(&app, &token, &factor, json!({})).await.ok();
        let code = provider.next().await.code();
        let sql = app.sql().await;
        let query = "select otp_code from mfa_challenges";
        let stored: String = sql.query_one(query, &[]).await.unwrap().get(0);
        assert_eq!(stored == code, is_plain);
    }
}

/// Twilio Verify makes and checks the codes itself.
#[tokio::test]
async fn a_provider_may_check_the_code() {
    let provider = SmsProvider::start(Protocol::TwilioVerify).await;
    for app in both_profiles(&provider).await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        let factor = text(&enrol(&app, &token, PHONE).await.ok(), "id");
        let opened = challenge(&app, &token, &factor, json!({})).await.ok();
        let opened = text(&opened, "id");
        verify(&app, &token, &factor, &opened, "111111")
            .await
            .refused(422, "mfa_verification_failed");
        verify(&app, &token, &factor, &opened, VERIFY_CODE)
            .await
            .ok();
    }
}

#[tokio::test]
async fn a_hook_sends_the_code_and_is_told_the_occasion() {
    let receiver = Receiver::start(|_| Reply::Json(json!({}))).await;
    let app = std_app(|config| {
        receiver.configure(config, HookKind::SendSms);
        with_phone(config);
    })
    .await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let token = text(&session, "access_token");
    let factor = text(&enrol(&app, &token, PHONE).await.ok(), "id");
    let opened = challenge(&app, &token, &factor, json!({})).await.ok();
    let call = receiver.next().await;
    assert_eq!(call.body["sms"]["sms_type"], "mfa");
    assert_eq!(call.body["sms"]["phone"], "49301234567");
    let code = text(&call.body["sms"], "otp");
    verify(&app, &token, &factor, &text(&opened, "id"), &code)
        .await
        .ok();
}

#[tokio::test]
async fn the_text_and_the_length_of_a_code_are_settings() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(|config| {
        provider.configure(config);
        with_phone(config);
        config.mfa.phone_otp_length = 8;
        "{{ .Code }} is your second factor".clone_into(&mut config.mfa.phone_template);
    })
    .await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let token = text(&session, "access_token");
    let factor = text(&enrol(&app, &token, PHONE).await.ok(), "id");
    challenge(&app, &token, &factor, json!({})).await.ok();
    let message = provider.next().await;
    assert!(message.text.ends_with(" is your second factor"));
    assert_eq!(message.code().len(), 8);
    let odd = json!({ "channel": "pigeon" });
    challenge(&app, &token, &factor, odd)
        .await
        .refused(400, "validation_failed");
}

/// A session may use one factor after another.
#[tokio::test]
async fn a_second_number_is_used_by_another_session() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    for app in both_profiles(&provider).await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        let factor = text(&enrol(&app, &token, PHONE).await.ok(), "id");
        let opened = challenge(&app, &token, &factor, json!({})).await.ok();
        let code = provider.next().await.code();
        verify(&app, &token, &factor, &text(&opened, "id"), &code)
            .await
            .ok();
        app.advance(61);
        let low = text(&low_session(&app, EMAIL).await, "access_token");
        let opened = challenge(&app, &low, &factor, json!({})).await.ok();
        let code = provider.next().await.code();
        let raised = verify(&app, &low, &factor, &text(&opened, "id"), &code).await;
        assert_eq!(claims_of(&raised.ok())["aal"], "aal2");
    }
}

/// Two requests at the same moment, which both see that no code was sent yet.
#[tokio::test]
async fn of_two_challenges_at_the_same_moment_one_sends_a_code() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    for app in both_profiles(&provider).await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        let factor = text(&enrol(&app, &token, PHONE).await.ok(), "id");
        let held = app.hold("select 1 from mfa_factors for update").await;
        let (one, two, ()) = tokio::join!(
            challenge(&app, &token, &factor, json!({})),
            challenge(&app, &token, &factor, json!({})),
            held.release_to(2)
        );
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 429]);
        provider.next().await;
    }
}

#[tokio::test]
async fn of_two_answers_with_one_code_at_the_same_moment_one_counts() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    for app in both_profiles(&provider).await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let mut token = text(&session, "access_token");
        let factor = text(&enrol(&app, &token, PHONE).await.ok(), "id");
        // When the number is added, and when it is used later.
        for _ in 0..2 {
            let opened = challenge(&app, &token, &factor, json!({})).await.ok();
            let (opened, code) = (text(&opened, "id"), provider.next().await.code());
            let held = app.hold("select 1 from users for no key update").await;
            let (one, two, ()) = tokio::join!(
                verify(&app, &token, &factor, &opened, &code),
                verify(&app, &token, &factor, &opened, &code),
                held.release_to(2)
            );
            let mut statuses = [one.status, two.status];
            statuses.sort_unstable();
            assert_eq!(statuses, [200, 422]);
            app.advance(61);
            token = text(&low_session(&app, EMAIL).await, "access_token");
        }
    }
}
