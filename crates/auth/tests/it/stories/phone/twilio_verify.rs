//! Twilio Verify, which makes and checks the codes.

use innkeeper_auth::config::Profile;
use innkeeper_service::secret::Secret;
use serde_json::json;

use super::{PASSWORD, PHONE, count, gotrue_app, std_app, verify};
use crate::support::TestApp;
use crate::support::sms::{Behaviour, Protocol, SmsProvider, VERIFY_CODE};
use crate::support::tokens::text;

async fn both() -> [(TestApp, SmsProvider); 2] {
    let (first, second) = (
        SmsProvider::start(Protocol::TwilioVerify).await,
        SmsProvider::start(Protocol::TwilioVerify).await,
    );
    [
        (std_app(&first, |_| {}).await, first),
        (gotrue_app(&second, |_| {}).await, second),
    ]
}

/// Asserts that the provider was asked about a code.
async fn asked(provider: &SmsProvider, phone: &str, code: &str) {
    let check = provider.next().await;
    assert_eq!(
        (check.to.as_str(), check.checked.as_deref()),
        (phone, Some(code))
    );
}

#[tokio::test]
async fn the_provider_sends_and_checks_the_code() {
    for (app, provider) in both().await {
        let answer = app.post("/otp", json!({ "phone": PHONE })).await;
        assert_eq!(answer.text, "{}");
        // Before the response, in both profiles.
        assert_eq!(provider.count(), 1);
        let message = provider.next().await;
        assert_eq!((message.to.as_str(), message.checked), (PHONE, None));
        verify(&app, "sms", PHONE, "111111")
            .await
            .refused(403, "otp_expired");
        asked(&provider, PHONE, "111111").await;
        // How long the code lives is up to Twilio.
        app.advance(300);
        let session = verify(&app, "sms", PHONE, VERIFY_CODE).await.ok();
        asked(&provider, PHONE, VERIFY_CODE).await;
        assert!(session["user"]["phone_confirmed_at"].is_string());
        // It was used up here, whatever Twilio says.
        verify(&app, "sms", PHONE, VERIFY_CODE)
            .await
            .refused(403, "otp_expired");
        assert_eq!(provider.count(), 3);
    }
}

#[tokio::test]
async fn nobody_is_asked_about_codes_that_were_not_sent_or_guessed_too_often() {
    for (app, provider) in both().await {
        verify(&app, "sms", PHONE, VERIFY_CODE)
            .await
            .refused(403, "otp_expired");
        assert_eq!(provider.count(), 0);
        app.post("/otp", json!({ "phone": PHONE })).await.ok();
        for _ in 0..5 {
            verify(&app, "sms", PHONE, "111111")
                .await
                .refused(403, "otp_expired");
        }
        verify(&app, "sms", PHONE, VERIFY_CODE)
            .await
            .refused(403, "otp_expired");
        assert_eq!(provider.count(), 6);
    }
}

#[tokio::test]
async fn a_provider_that_fails_stores_nothing_and_signs_nobody_in() {
    for (app, provider) in both().await {
        provider.behave(Behaviour::Refuse("out of credit".to_owned()));
        let body = json!({ "phone": PHONE, "password": PASSWORD });
        let answer = app.post("/signup", body).await;
        let message = answer.refused(422, "sms_send_failed")["msg"].clone();
        assert_eq!(
            message,
            "Error sending confirmation OTP to provider: out of credit"
        );
        assert_eq!(count(&app, "select count(*) from users").await, 0);
        provider.behave(Behaviour::Accept);
        app.post("/otp", json!({ "phone": PHONE })).await.ok();
        provider.behave(Behaviour::Raw(503, "{}".to_owned()));
        verify(&app, "sms", PHONE, VERIFY_CODE)
            .await
            .refused(403, "otp_expired");
        provider.behave(Behaviour::Accept);
        verify(&app, "sms", PHONE, VERIFY_CODE).await.ok();
    }
}

#[tokio::test]
async fn a_change_of_number_is_checked_at_the_new_one() {
    for (app, provider) in both().await {
        let session = app.signed_up("ada@example.com", PASSWORD).await;
        let token = text(&session, "access_token");
        app.put_as(&token, "/user", json!({ "phone": PHONE }))
            .await
            .ok();
        assert_eq!(provider.next().await.to, PHONE);
        let changed = verify(&app, "phone_change", PHONE, VERIFY_CODE).await.ok();
        asked(&provider, PHONE, VERIFY_CODE).await;
        assert_eq!(changed["user"]["phone"], PHONE);
    }
}

#[tokio::test]
async fn a_nonce_is_checked_by_the_provider() {
    for profile in [Profile::Std, Profile::Gotrue] {
        let provider = SmsProvider::start(Protocol::TwilioVerify).await;
        let require = |config: &mut innkeeper_auth::config::Config| {
            config.security.update_password_require_reauthentication = true;
        };
        let app = match profile {
            Profile::Std => std_app(&provider, require).await,
            Profile::Gotrue => gotrue_app(&provider, require).await,
        };
        app.post("/otp", json!({ "phone": PHONE })).await.ok();
        let session = verify(&app, "sms", PHONE, VERIFY_CODE).await.ok();
        app.advance(25 * 3600);
        let session = app.refresh(&text(&session, "refresh_token")).await.ok();
        let token = text(&session, "access_token");
        let change = |nonce: &str| json!({ "password": PASSWORD, "nonce": nonce });
        // None was sent.
        app.put_as(&token, "/user", change(VERIFY_CODE))
            .await
            .refused(422, "reauthentication_not_valid");
        assert_eq!(provider.count(), 2);
        app.get_as(&token, "/reauthenticate").await.ok();
        app.put_as(&token, "/user", change("111111"))
            .await
            .refused(422, "reauthentication_not_valid");
        app.put_as(&token, "/user", change(VERIFY_CODE)).await.ok();
        app.put_as(
            &token,
            "/user",
            json!({ "password": "other horse", "nonce": VERIFY_CODE }),
        )
        .await
        .refused(422, "reauthentication_not_valid");
        // Sent, wrong, right.
        assert_eq!(provider.count(), 5);
    }
}

#[tokio::test]
async fn whatsapp_and_numbers_for_tests_work_with_it() {
    let provider = SmsProvider::start(Protocol::TwilioVerify).await;
    let app = std_app(&provider, |config| {
        let code = Secret::new("135790".to_owned());
        config.sms.test_otp.insert("4917".to_owned(), code);
    })
    .await;
    let body = json!({ "phone": PHONE, "channel": "whatsapp" });
    app.post("/otp", body).await.ok();
    assert_eq!(provider.next().await.channel, "whatsapp");
    app.post("/otp", json!({ "phone": "4917" })).await.ok();
    verify(&app, "sms", "4917", "135790").await.ok();
    assert_eq!(provider.count(), 1);
}
