//! Messages that cannot be sent while the client waits, in the gotrue profile.

use std::time::Duration;

use innkeeper_auth::config::Config;
use jiff::SignedDuration;
use serde_json::json;

use super::{PASSWORD, PHONE, count, gotrue_app, signed_in, verify};
use crate::support::TestApp;
use crate::support::profile::gotrue;
use crate::support::sms::{Behaviour, Protocol, SmsProvider};
use crate::support::tokens::text;

#[tokio::test]
async fn a_message_that_fails_leaves_nothing_behind() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = gotrue_app(&provider, |_| {}).await;
    provider.behave(Behaviour::Refuse("no such number".to_owned()));
    for (target, body) in [
        ("/otp", json!({ "phone": PHONE })),
        ("/signup", json!({ "phone": PHONE, "password": PASSWORD })),
    ] {
        app.post(target, body).await.refused(422, "sms_send_failed");
        assert_eq!(count(&app, "select count(*) from users").await, 0);
        assert_eq!(count(&app, "select count(*) from one_time_tokens").await, 0);
        assert_eq!(
            count(&app, "select count(*) from audit_log_entries").await,
            0
        );
    }
    // Nor does the number have to wait.
    provider.behave(Behaviour::Accept);
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
}

#[tokio::test]
async fn a_failed_message_ends_neither_the_last_code_nor_changes_the_account() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = gotrue_app(&provider, |config| {
        config.sms.otp_exp = SignedDuration::from_mins(10);
    })
    .await;
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
    let code = provider.next().await.code();
    app.advance(61);
    provider.behave(Behaviour::Refuse("out of credit".to_owned()));
    app.post("/otp", json!({ "phone": PHONE }))
        .await
        .refused(422, "sms_send_failed");
    let session = verify(&app, "sms", PHONE, &code).await.ok();
    let token = text(&session, "access_token");
    let change = json!({ "phone": "4917", "data": { "name": "Ada" } });
    let refused = app.put_as(&token, "/user", change).await;
    let message = refused.refused(422, "sms_send_failed")["msg"].clone();
    assert_eq!(
        message,
        "Error sending phone_change OTP to provider: out of credit"
    );
    let user = app.get_as(&token, "/user").await.ok();
    assert_eq!(user.get("new_phone"), None);
    assert_eq!(user["user_metadata"].get("name"), None);
    let message = app
        .get_as(&token, "/reauthenticate")
        .await
        .refused(422, "sms_send_failed")["msg"]
        .clone();
    assert_eq!(
        message,
        "Error sending reauthentication OTP to provider: out of credit"
    );
}

#[tokio::test]
async fn a_silent_provider_ends_the_request_in_time() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = gotrue_app(&provider, |config| {
        config.internal_http_timeout = SignedDuration::from_millis(300);
        // Nothing else ends the request.
        config.api.max_request_duration = SignedDuration::from_hours(1);
    })
    .await;
    provider.behave(Behaviour::Silence);
    let answered = app.post("/otp", json!({ "phone": PHONE }));
    let answer = tokio::time::timeout(Duration::from_mins(1), answered)
        .await
        .unwrap()
        .refused(422, "sms_send_failed");
    assert_eq!(
        answer["msg"],
        "Error sending confirmation OTP to provider: the provider did not answer"
    );
    assert_eq!(count(&app, "select count(*) from users").await, 0);
}

#[tokio::test]
async fn a_silent_provider_occupies_no_connection_to_the_database() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = gotrue_app(&provider, |config| {
        config.database.max_pool_size = 2;
    })
    .await;
    provider.behave(Behaviour::Silence);
    let client = std::sync::Arc::new(app);
    let waiting: Vec<_> = (0..4)
        .map(|number| {
            let app = std::sync::Arc::clone(&client);
            tokio::spawn(async move {
                let phone = format!("4930000{number}");
                app.post("/otp", json!({ "phone": phone })).await.status
            })
        })
        .collect();
    provider.wait_for(4).await;
    let body = json!({ "email": "ada@example.com", "password": PASSWORD });
    client.post("/signup", body).await.ok();
    for request in waiting {
        request.abort();
    }
}

type ConfigChange = fn(&mut Config);

#[tokio::test]
async fn credentials_that_are_missing_fail_at_once_and_without_a_call() {
    let forget: [(Protocol, ConfigChange, &str); 5] = [
        (
            Protocol::Twilio,
            |config| config.sms.twilio.auth_token = None,
            "SMS_TWILIO_ACCOUNT_SID, _AUTH_TOKEN and _MESSAGE_SERVICE_SID",
        ),
        (
            Protocol::TwilioVerify,
            |config| config.sms.twilio_verify.account_sid = None,
            "SMS_TWILIO_VERIFY_ACCOUNT_SID, _AUTH_TOKEN and _MESSAGE_SERVICE_SID",
        ),
        (
            Protocol::Messagebird,
            |config| config.sms.messagebird.originator = None,
            "SMS_MESSAGEBIRD_ACCESS_KEY and _ORIGINATOR",
        ),
        (
            Protocol::Textlocal,
            |config| config.sms.textlocal.api_key = None,
            "SMS_TEXTLOCAL_API_KEY and _SENDER",
        ),
        (
            Protocol::Vonage,
            |config| config.sms.vonage.from = None,
            "SMS_VONAGE_API_KEY, _API_SECRET and _FROM",
        ),
    ];
    for (protocol, forget, names) in forget {
        let provider = SmsProvider::start(protocol).await;
        let app = gotrue_app(&provider, forget).await;
        let answer = app
            .post("/otp", json!({ "phone": PHONE }))
            .await
            .refused(422, "sms_send_failed");
        let expected = format!(
            "Error sending confirmation OTP to provider: the settings {names} are required"
        );
        assert_eq!(answer["msg"], expected);
        assert_eq!(provider.count(), 0);
    }
    let app = TestApp::with(|config| {
        gotrue(config);
        config.external.phone_enabled = true;
    })
    .await;
    let answer = app
        .post("/otp", json!({ "phone": PHONE }))
        .await
        .refused(422, "sms_send_failed");
    let expected = "Error sending confirmation OTP to provider: no SMS provider is configured";
    assert_eq!(answer["msg"], expected);
}

#[tokio::test]
async fn requests_that_send_nothing_do_not_need_the_provider() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = gotrue_app(&provider, |_| {}).await;
    signed_in(&app, &provider, PHONE).await;
    provider.behave(Behaviour::Refuse("out of credit".to_owned()));
    let body = json!({ "phone": PHONE, "password": PASSWORD });
    app.advance(61);
    let decoy = app.post("/signup", body).await.ok();
    assert_eq!(decoy["identities"], json!([]));
    app.post("/resend", json!({ "type": "sms", "phone": "4918" }))
        .await
        .ok();
    assert_eq!(provider.count(), 1);
}
