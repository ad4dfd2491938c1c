//! The protocols of the providers.

use innkeeper_auth::config::Profile;
use serde_json::json;

use super::{PHONE, gotrue_app, std_app, verify};
use crate::support::TestApp;
use crate::support::profile::gotrue;
use crate::support::sms::{Behaviour, Protocol, SmsProvider};

#[tokio::test]
async fn every_provider_is_given_the_code_in_its_own_protocol() {
    for protocol in Protocol::SENDING {
        for profile in [Profile::Std, Profile::Gotrue] {
            let provider = SmsProvider::start(protocol).await;
            let app = match profile {
                Profile::Std => std_app(&provider, |_| {}).await,
                Profile::Gotrue => gotrue_app(&provider, |_| {}).await,
            };
            let settings = app.get("/settings").await.ok();
            assert_eq!(settings["sms_provider"], protocol.name());
            app.post("/otp", json!({ "phone": PHONE })).await.ok();
            let message = provider.next().await;
            assert_eq!(message.to, PHONE, "{protocol:?}");
            verify(&app, "sms", PHONE, &message.code()).await.ok();
        }
    }
}

#[tokio::test]
async fn letters_outside_of_ascii_are_marked_for_vonage() {
    let provider = SmsProvider::start(Protocol::Vonage).await;
    let app = std_app(&provider, |config| {
        "Ihr Schlüssel: {{ .Code }}".clone_into(&mut config.sms.template);
    })
    .await;
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
    let message = provider.next().await;
    assert!(message.text.starts_with("Ihr Schlüssel: "));
}

#[tokio::test]
async fn every_refusal_of_a_provider_is_told_in_gotrue() {
    for protocol in Protocol::SENDING {
        let provider = SmsProvider::start(protocol).await;
        let app = gotrue_app(&provider, |_| {}).await;
        for (behaviour, reason) in [
            (
                Behaviour::Refuse("no such number\r\n".to_owned()),
                "no such number",
            ),
            (
                Behaviour::Raw(502, "<h1>Bad gateway</h1>".to_owned()),
                "the provider gave an unexpected answer with status 502",
            ),
            (
                Behaviour::Raw(200, "{}".to_owned()),
                "the provider gave an unexpected answer with status 200",
            ),
            (
                Behaviour::Raw(200, "x".repeat(300_000)),
                "the provider did not answer",
            ),
        ] {
            provider.behave(behaviour);
            let answer = app
                .post_versioned("/otp", json!({ "phone": PHONE }))
                .await
                .refused(422, "sms_send_failed");
            let expected = format!("Error sending confirmation OTP to provider: {reason}");
            assert_eq!(answer["message"], expected, "{protocol:?}");
        }
    }
}

#[tokio::test]
async fn messagebird_and_twilio_may_accept_a_message_and_fail_all_the_same() {
    let failed = [
        (
            Protocol::Messagebird,
            json!({ "id": "mb1", "recipients": { "totalSentCount": 0 } }),
            "total sent count is 0",
        ),
        (
            Protocol::Twilio,
            json!({ "sid": "SM1", "status": "undelivered", "error_message": "the carrier is away" }),
            "the carrier is away",
        ),
    ];
    for (protocol, body, reason) in failed {
        let provider = SmsProvider::start(protocol).await;
        let app = gotrue_app(&provider, |_| {}).await;
        provider.behave(Behaviour::Raw(201, body.to_string()));
        let answer = app
            .post_versioned("/otp", json!({ "phone": PHONE }))
            .await
            .refused(422, "sms_send_failed");
        let message = answer["message"].as_str().unwrap();
        assert!(message.ends_with(reason), "{message}");
    }
}

#[tokio::test]
async fn a_text_of_a_provider_that_quotes_a_secret_is_cleaned() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = gotrue_app(&provider, |_| {}).await;
    let quoted = "wrong password: twilio & token".to_owned();
    provider.behave(Behaviour::Refuse(quoted));
    let answer = app
        .post_versioned("/otp", json!({ "phone": PHONE }))
        .await
        .refused(422, "sms_send_failed");
    let expected = "Error sending confirmation OTP to provider: wrong password: …";
    assert_eq!(answer["message"], expected);
}

#[tokio::test]
async fn whatsapp_is_a_channel_of_twilio() {
    for content_sid in [None, Some("HX42")] {
        let provider = SmsProvider::start(Protocol::Twilio).await;
        let app = std_app(&provider, |config| {
            config.sms.twilio.content_sid = content_sid.map(str::to_owned);
            config.sms.twilio.message_service_sid = Some("1 555 0100".to_owned());
        })
        .await;
        let body = json!({ "phone": PHONE, "channel": "whatsapp" });
        app.post("/otp", body).await.ok();
        let message = provider.next().await;
        assert_eq!(
            (message.to.as_str(), message.channel.as_str()),
            (PHONE, "whatsapp")
        );
        let fields = &message.request.fields;
        let field = |name: &str| fields.iter().find(|(it, _)| it == name).map(|it| &*it.1);
        assert_eq!(field("From"), Some("whatsapp:+15550100"));
        assert_eq!(field("ContentSid"), content_sid);
        if content_sid.is_some() {
            let expected = json!({ "1": message.code() }).to_string();
            assert_eq!(field("ContentVariables"), Some(expected.as_str()));
            assert_eq!(field("Body"), None);
        }
        verify(&app, "sms", PHONE, &message.code()).await.ok();
    }
}

#[tokio::test]
async fn other_providers_have_no_whatsapp_and_no_other_channels() {
    let provider = SmsProvider::start(Protocol::Vonage).await;
    let app = std_app(&provider, |_| {}).await;
    for channel in ["whatsapp", "pigeon", "SMS"] {
        let signup = json!({ "phone": PHONE, "password": "correct horse", "channel": channel });
        let otp = json!({ "phone": PHONE, "channel": channel });
        for (target, body) in [("/signup", signup), ("/otp", otp)] {
            let answer = app.post(target, body).await;
            let message = answer.refused(400, "validation_failed")["msg"].clone();
            assert!(message.as_str().unwrap().contains("channel"), "{message}");
        }
    }
    assert_eq!(provider.count(), 0);
}

#[tokio::test]
async fn to_try_things_out_messages_are_mails() {
    for profile in [Profile::Std, Profile::Gotrue] {
        let app = TestApp::with(|config| {
            if profile == Profile::Gotrue {
                gotrue(config);
            }
            config.external.phone_enabled = true;
            "mailbox".clone_into(&mut config.sms.provider);
        })
        .await;
        app.post("/otp", json!({ "phone": PHONE })).await.ok();
        let mail = app.mailbox.next_to(&format!("{PHONE}@sms.invalid")).await;
        assert_eq!(mail.subject(), format!("SMS to +{PHONE}"));
        let text = &mail.text;
        let code = text.trim().strip_prefix("Your code is ").unwrap();
        verify(&app, "sms", PHONE, code).await.ok();
    }
}
