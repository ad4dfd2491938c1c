//! Changes of phone number, and the nonce of a change of password by text message.

use innkeeper_auth::config::{MessageKind, Profile};
use serde_json::json;

use super::{PASSWORD, PHONE, both_profiles, count, signed_in, std_app, verify};
use crate::support::TestApp;
use crate::support::profile::gotrue;
use crate::support::sms::{Protocol, SmsProvider};
use crate::support::tokens::text;

const NEXT: &str = "491701234567";

#[tokio::test]
async fn a_number_changes_when_the_new_one_confirms() {
    for (app, provider) in both_profiles().await {
        let session = signed_in(&app, &provider, PHONE).await;
        let token = text(&session, "access_token");
        let change = json!({ "phone": "+49 170 1234567" });
        let user = app.put_as(&token, "/user", change).await.ok();
        assert_eq!(user["new_phone"], NEXT);
        assert!(user["phone_change_sent_at"].is_string());
        assert_eq!(user["phone"], PHONE);
        let message = provider.next().await;
        assert_eq!(message.to, NEXT);
        let code = message.code();
        for (kind, phone) in [("sms", PHONE), ("sms", NEXT), ("phone_change", PHONE)] {
            verify(&app, kind, phone, &code)
                .await
                .refused(403, "otp_expired");
        }
        let session = verify(&app, "phone_change", NEXT, &code).await.ok();
        let user = &session["user"];
        assert_eq!(user["phone"], NEXT);
        assert_eq!(user.get("new_phone"), None);
        assert_eq!(user["identities"].as_array().unwrap().len(), 1);
        assert_eq!(user["identities"][0]["identity_data"]["phone"], NEXT);
        verify(&app, "phone_change", NEXT, &code)
            .await
            .refused(403, "otp_expired");
        app.advance(61);
        signed_in(&app, &provider, NEXT).await;
    }
}

#[tokio::test]
async fn a_user_with_an_address_adds_a_number() {
    for (app, provider) in both_profiles().await {
        let session = app.signed_up("ada@example.com", PASSWORD).await;
        let token = text(&session, "access_token");
        app.put_as(&token, "/user", json!({ "phone": PHONE }))
            .await
            .ok();
        let code = provider.next().await.code();
        let session = verify(&app, "phone_change", PHONE, &code).await.ok();
        let user = &session["user"];
        assert_eq!(
            (&user["email"], &user["phone"]),
            (&json!("ada@example.com"), &json!(PHONE))
        );
        assert!(user["phone_confirmed_at"].is_string());
        assert_eq!(user["app_metadata"]["providers"], json!(["email", "phone"]));
        app.advance(61);
        let by_phone = signed_in(&app, &provider, PHONE).await;
        assert_eq!(by_phone["user"]["id"], session["user"]["id"]);
        let body = json!({ "phone": PHONE, "password": PASSWORD });
        app.post("/token?grant_type=password", body).await.ok();
    }
}

#[tokio::test]
async fn an_anonymous_user_becomes_permanent_with_a_number() {
    for profile in [Profile::Std, Profile::Gotrue] {
        let provider = SmsProvider::start(Protocol::Twilio).await;
        let app = TestApp::with(|config| {
            if profile == Profile::Gotrue {
                gotrue(config);
            }
            provider.configure(config);
            config.external.anonymous_users_enabled = true;
        })
        .await;
        let session = app.post("/signup", json!({})).await.ok();
        let token = text(&session, "access_token");
        let change = json!({ "phone": PHONE, "password": PASSWORD });
        app.put_as(&token, "/user", change).await.ok();
        let code = provider.next().await.code();
        let permanent = verify(&app, "phone_change", PHONE, &code).await.ok();
        assert_eq!(permanent["user"]["id"], session["user"]["id"]);
        assert_eq!(permanent["user"]["is_anonymous"], false);
        let body = json!({ "phone": PHONE, "password": PASSWORD });
        app.post("/token?grant_type=password", body).await.ok();
    }
}

#[tokio::test]
async fn a_number_changes_at_once_where_the_setting_says_so() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |config| {
        config.sms.autoconfirm = true;
        config.mailer.notifications = [MessageKind::PhoneChanged].into();
    })
    .await;
    let session = app.signed_up("ada@example.com", PASSWORD).await;
    let token = text(&session, "access_token");
    for (phone, named) in [(PHONE, vec![PHONE]), (NEXT, vec![PHONE, NEXT])] {
        let user = app
            .put_as(&token, "/user", json!({ "phone": phone }))
            .await
            .ok();
        assert_eq!(user["phone"], phone);
        assert!(user["phone_confirmed_at"].is_string());
        let mail = app.mailbox.next_to("ada@example.com").await;
        assert_eq!(mail.subject(), "Your phone number was changed");
        for number in named {
            assert!(mail.text.contains(number), "{}", mail.text);
        }
    }
    assert_eq!(provider.count(), 0);
    let other = json!({ "phone": "4917", "password": PASSWORD });
    let other = app.post("/signup", other).await.ok();
    let token = text(&other, "access_token");
    app.put_as(&token, "/user", json!({ "phone": NEXT }))
        .await
        .refused(422, "phone_exists");
}

#[tokio::test]
async fn the_owner_is_told_by_mail_that_the_number_was_changed() {
    for is_on in [true, false] {
        let provider = SmsProvider::start(Protocol::Twilio).await;
        let app = std_app(&provider, |config| {
            if is_on {
                config.mailer.notifications = [MessageKind::PhoneChanged].into();
            }
        })
        .await;
        let session = app.signed_up("ada@example.com", PASSWORD).await;
        let token = text(&session, "access_token");
        app.put_as(&token, "/user", json!({ "phone": PHONE }))
            .await
            .ok();
        let code = provider.next().await.code();
        verify(&app, "phone_change", PHONE, &code).await.ok();
        if is_on {
            let mail = app.mailbox.next_to("ada@example.com").await;
            assert_eq!(mail.subject(), "Your phone number was changed");
            assert!(mail.text.contains(PHONE));
        }
        let mails = "select count(*) from innkeeper_outbox where kind like 'phone_changed%'";
        assert_eq!(count(&app, mails).await, i64::from(is_on));
    }
}

#[tokio::test]
async fn a_new_request_ends_the_code_of_the_last_one() {
    for (app, provider) in both_profiles().await {
        let session = signed_in(&app, &provider, PHONE).await;
        let token = text(&session, "access_token");
        app.put_as(&token, "/user", json!({ "phone": NEXT }))
            .await
            .ok();
        let first = provider.next().await.code();
        app.advance(60);
        app.put_as(&token, "/user", json!({ "phone": "4917" }))
            .await
            .ok();
        let second = provider.next().await.code();
        verify(&app, "phone_change", NEXT, &first)
            .await
            .refused(403, "otp_expired");
        let session = verify(&app, "phone_change", "4917", &second).await.ok();
        assert_eq!(session["user"]["phone"], "4917");
    }
}

#[tokio::test]
async fn the_code_of_a_change_is_sent_again_for_either_number() {
    for (app, provider) in both_profiles().await {
        let session = signed_in(&app, &provider, PHONE).await;
        let token = text(&session, "access_token");
        app.put_as(&token, "/user", json!({ "phone": NEXT }))
            .await
            .ok();
        provider.next().await;
        for phone in [PHONE, NEXT] {
            app.advance(61);
            let body = json!({ "type": "phone_change", "phone": phone });
            app.post("/resend", body).await.ok();
            assert_eq!(provider.next().await.to, NEXT);
        }
        // Nobody wants this number.
        let body = json!({ "type": "phone_change", "phone": "4917" });
        app.post("/resend", body).await.ok();
        assert_eq!(provider.count(), 4);
    }
}

#[tokio::test]
async fn a_nonce_is_sent_to_the_number_of_a_user_without_an_address() {
    for profile in [Profile::Std, Profile::Gotrue] {
        let provider = SmsProvider::start(Protocol::Twilio).await;
        let app = TestApp::with(|config| {
            if profile == Profile::Gotrue {
                gotrue(config);
            }
            provider.configure(config);
            config.security.update_password_require_reauthentication = true;
        })
        .await;
        let session = signed_in(&app, &provider, PHONE).await;
        let refresh = text(&session, "refresh_token");
        // GoTrue wants a nonce from sessions older than a day.
        app.advance(25 * 3600);
        let session = app.refresh(&refresh).await.ok();
        let token = text(&session, "access_token");
        let change = |nonce: &str| json!({ "password": PASSWORD, "nonce": nonce });
        app.put_as(&token, "/user", change(""))
            .await
            .refused(400, "reauthentication_needed");
        let answer = app.get_as(&token, "/reauthenticate").await.ok();
        let expected = match profile {
            Profile::Std => json!({}),
            Profile::Gotrue => json!({ "message_id": "SM77" }),
        };
        assert_eq!(answer, expected);
        let message = provider.next().await;
        assert_eq!(message.to, PHONE);
        app.get_as(&token, "/reauthenticate")
            .await
            .refused(429, "over_sms_send_rate_limit");
        let nonce = message.code();
        app.put_as(&token, "/user", change("not it"))
            .await
            .refused(422, "reauthentication_not_valid");
        // A nonce signs nobody in.
        verify(&app, "sms", PHONE, &nonce)
            .await
            .refused(403, "otp_expired");
        app.put_as(&token, "/user", change(&nonce)).await.ok();
        let body = json!({ "phone": PHONE, "password": PASSWORD });
        app.post("/token?grant_type=password", body).await.ok();
    }
}

#[tokio::test]
async fn a_nonce_goes_to_the_address_of_a_user_who_also_has_a_number() {
    for (app, provider) in both_profiles().await {
        let body = json!({
            "email": "ada@example.com", "phone": PHONE, "password": PASSWORD,
            "email_confirm": true, "phone_confirm": true,
        });
        app.operator().create(body).await;
        for by in [
            json!({ "email": "ada@example.com", "password": PASSWORD }),
            json!({ "phone": PHONE, "password": PASSWORD }),
        ] {
            let session = app.post("/token?grant_type=password", by).await.ok();
            let token = text(&session, "access_token");
            app.get_as(&token, "/reauthenticate").await.ok();
            let nonce = app.mailbox.next_to("ada@example.com").await.code();
            assert_eq!(nonce.len(), 6);
            app.advance(61);
        }
        assert_eq!(provider.count(), 0);
    }
}

#[tokio::test]
async fn a_nonce_by_text_message_lives_as_long_as_a_code() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |config| {
        config.security.update_password_require_reauthentication = true;
    })
    .await;
    let session = signed_in(&app, &provider, PHONE).await;
    let token = text(&session, "access_token");
    app.get_as(&token, "/reauthenticate").await.ok();
    let nonce = provider.next().await.code();
    app.advance(61);
    let change = json!({ "password": PASSWORD, "nonce": nonce });
    app.put_as(&token, "/user", change)
        .await
        .refused(422, "reauthentication_not_valid");
}

#[tokio::test]
async fn an_unconfirmed_number_gets_no_nonce() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |_| {}).await;
    let session = signed_in(&app, &provider, PHONE).await;
    let token = text(&session, "access_token");
    let sql = app.sql().await;
    sql.batch_execute("update users set phone_confirmed_at = null")
        .await
        .unwrap();
    let body = app
        .get_as(&token, "/reauthenticate")
        .await
        .refused(422, "phone_not_confirmed");
    assert_eq!(body["msg"], "Please verify your phone first.");
}

#[tokio::test]
async fn a_number_that_an_operator_sets_ends_the_codes_to_the_old_one() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |_| {}).await;
    let session = signed_in(&app, &provider, PHONE).await;
    app.advance(61);
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
    let code = provider.next().await.code();
    let path = format!("/admin/users/{}", session["user"]["id"].as_str().unwrap());
    let body = json!({ "phone": NEXT, "phone_confirm": true });
    let user = app.put_as(&app.service_key(), &path, body).await.ok();
    assert_eq!(
        user["identities"][0]["identity_data"],
        json!({
            "sub": user["id"], "phone": NEXT, "phone_verified": true, "email_verified": false,
        })
    );
    for phone in [PHONE, NEXT] {
        verify(&app, "sms", phone, &code)
            .await
            .refused(403, "otp_expired");
    }
}
