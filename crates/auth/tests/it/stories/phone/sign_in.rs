//! Sign-in with a code, without a password.

use innkeeper_auth::config::Profile;
use serde_json::{Value, json};

use super::{PHONE, actions, both_profiles, count, signed_in, std_app, verify};
use crate::support::sms::{Protocol, SmsProvider};
use crate::support::tokens::{parts_of, text};

#[tokio::test]
async fn a_number_signs_in_with_the_code_that_it_gets() {
    for (app, provider) in both_profiles().await {
        let answer = app.post("/otp", json!({ "phone": "+49 30 1234567" })).await;
        assert_eq!((answer.status, answer.text.as_str()), (200, "{}"));
        let message = provider.next().await;
        assert_eq!(message.to, PHONE);
        assert_eq!(
            message.text,
            format!("Your code is {}", message.code()),
            "{message:?}"
        );
        assert_eq!(message.code().len(), 6);
        let session = verify(&app, "sms", PHONE, &message.code()).await.ok();
        let is_std = app.config.profile == Profile::Std;
        assert_eq!(session.get("type"), is_std.then(|| json!("sms")).as_ref());
        let user = &session["user"];
        assert_eq!(
            (&user["phone"], &user["email"]),
            (&json!(PHONE), &json!(""))
        );
        assert!(user["phone_confirmed_at"].is_string() && user["confirmed_at"].is_string());
        assert!(user.get("email_confirmed_at").is_none());
        assert_eq!(
            user["app_metadata"],
            json!({ "provider": "phone", "providers": ["phone"] })
        );
        let identity = &user["identities"][0];
        assert_eq!(identity["provider"], "phone");
        assert_eq!(identity["id"], user["id"]);
        let mut data = json!({
            "sub": user["id"], "phone_verified": is_std, "email_verified": false,
        });
        if is_std {
            data["phone"] = json!(PHONE);
        }
        assert_eq!(identity["identity_data"], data);
        let (_, claims) = parts_of(&text(&session, "access_token"));
        assert_eq!(claims["phone"], PHONE);
        assert_eq!(claims["amr"][0]["method"], "otp");
        // The code works once.
        verify(&app, "sms", PHONE, &message.code())
            .await
            .refused(403, "otp_expired");
        assert_eq!(
            actions(&app).await[..3],
            ["user_confirmation_requested", "user_signedup", "login"].map(str::to_owned)
        );
    }
}

#[tokio::test]
async fn a_known_number_signs_in_to_the_same_account() {
    for (app, provider) in both_profiles().await {
        let first = signed_in(&app, &provider, PHONE).await;
        app.advance(61);
        let again = signed_in(&app, &provider, &format!("+{PHONE}")).await;
        assert_eq!(again["user"]["id"], first["user"]["id"]);
        assert_eq!(count(&app, "select count(*) from users").await, 1);
        let requested = actions(&app).await;
        assert!(requested.contains(&"user_recovery_requested".to_owned()));
        let signed_up = requested.iter().filter(|it| *it == "user_signedup");
        assert_eq!(signed_up.count(), 1, "{requested:?}");
    }
}

#[tokio::test]
async fn the_data_of_the_request_is_that_of_the_new_user() {
    for (app, provider) in both_profiles().await {
        let body = json!({ "phone": PHONE, "data": { "name": "Ada" }, "channel": "sms" });
        app.post("/otp", body).await.ok();
        let code = provider.next().await.code();
        let session = verify(&app, "sms", PHONE, &code).await.ok();
        assert_eq!(session["user"]["user_metadata"]["name"], "Ada");
        let is_std = app.config.profile == Profile::Std;
        assert_eq!(session["user"]["user_metadata"]["phone_verified"], is_std);
    }
}

#[tokio::test]
async fn a_code_belongs_to_its_number_and_its_type() {
    for (app, provider) in both_profiles().await {
        app.post("/otp", json!({ "phone": PHONE })).await.ok();
        app.post("/otp", json!({ "phone": "4917" })).await.ok();
        let codes = [provider.next().await, provider.next().await];
        let code_of = |phone: &str| codes.iter().find(|it| it.to == phone).unwrap().code();
        let of_ada = code_of(PHONE);
        verify(&app, "sms", "4917", &of_ada)
            .await
            .refused(403, "otp_expired");
        for kind in ["phone_change", "signup", "email", "magiclink"] {
            verify(&app, kind, PHONE, &of_ada)
                .await
                .refused(403, "otp_expired");
        }
        verify(&app, "sms", "491799", &of_ada)
            .await
            .refused(403, "otp_expired");
        verify(&app, "sms", PHONE, &of_ada).await.ok();
    }
}

#[tokio::test]
async fn a_code_lives_as_long_as_the_setting_says() {
    for (seconds, is_valid) in [(59, true), (60, false)] {
        for (app, provider) in both_profiles().await {
            app.post("/otp", json!({ "phone": PHONE })).await.ok();
            let code = provider.next().await.code();
            app.advance(seconds);
            let answer = verify(&app, "sms", PHONE, &code).await;
            assert_eq!(answer.status == 200, is_valid, "{seconds}: {}", answer.text);
        }
    }
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |config| {
        config.sms.otp_exp = jiff::SignedDuration::from_mins(10);
        config.sms.otp_length = 9;
        "Dein Code für die Kneipe: {{ .Code }}".clone_into(&mut config.sms.template);
    })
    .await;
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
    let message = provider.next().await;
    let code = message.code();
    assert_eq!(code.len(), 9);
    assert_eq!(message.text, format!("Dein Code für die Kneipe: {code}"));
    app.advance(599);
    verify(&app, "sms", PHONE, &code).await.ok();
}

#[tokio::test]
async fn a_code_can_be_guessed_five_times() {
    for (app, provider) in both_profiles().await {
        app.post("/otp", json!({ "phone": PHONE })).await.ok();
        let code = provider.next().await.code();
        for _ in 0..5 {
            verify(&app, "sms", PHONE, "000000x")
                .await
                .refused(403, "otp_expired");
        }
        verify(&app, "sms", PHONE, &code)
            .await
            .refused(403, "otp_expired");
    }
}

#[tokio::test]
async fn a_banned_user_does_not_sign_in_with_a_code() {
    for (app, provider) in both_profiles().await {
        let session = signed_in(&app, &provider, PHONE).await;
        let id = session["user"]["id"].as_str().unwrap();
        let path = format!("/admin/users/{id}");
        app.put_as(&app.service_key(), &path, json!({ "ban_duration": "1h" }))
            .await
            .ok();
        app.advance(61);
        app.post("/otp", json!({ "phone": PHONE })).await.ok();
        let code = provider.next().await.code();
        verify(&app, "sms", PHONE, &code)
            .await
            .refused(403, "user_banned");
    }
}

#[tokio::test]
async fn a_message_of_a_sign_up_is_sent_again_on_request() {
    for (app, provider) in both_profiles().await {
        app.post("/otp", json!({ "phone": PHONE })).await.ok();
        let first = provider.next().await.code();
        let resend = json!({ "type": "sms", "phone": "+49301234567" });
        app.post_versioned("/resend", resend.clone())
            .await
            .refused(429, "over_sms_send_rate_limit");
        app.advance(60);
        let answer = app.post_versioned("/resend", resend.clone()).await.ok();
        let is_gotrue = app.config.profile == innkeeper_auth::config::Profile::Gotrue;
        let expected = if is_gotrue {
            json!({ "message_id": "SM77" })
        } else {
            json!({})
        };
        assert_eq!(answer, expected);
        let second = provider.next().await.code();
        if first != second {
            verify(&app, "sms", PHONE, &first)
                .await
                .refused(403, "otp_expired");
        }
        verify(&app, "sms", PHONE, &second).await.ok();
        // Now there is nothing to confirm.
        app.advance(61);
        let answer = app.post_versioned("/resend", resend).await.ok();
        assert_eq!(answer, json!({}));
        assert_eq!(provider.count(), 2);
    }
}

#[tokio::test]
async fn a_resend_to_a_number_is_answered_with_a_message_id() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |_| {}).await;
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
    provider.next().await;
    for kind in ["sms", "phone_change"] {
        app.advance(61);
        // Nothing waits for the second number.
        for phone in [PHONE, "4917"] {
            let body = json!({ "type": kind, "phone": phone });
            let answer = app.post("/resend", body).await.ok();
            let names: Vec<&String> = answer.as_object().unwrap().keys().collect();
            assert_eq!(names, ["message_id"], "{kind} {phone}");
            let id = text(&answer, "message_id");
            assert!(uuid::Uuid::parse_str(&id).is_ok(), "{id}");
        }
    }
    assert_eq!(provider.next().await.to, PHONE);
    assert_eq!(provider.count(), 2);
}

#[tokio::test]
async fn a_code_of_gotrue_stays_valid() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |_| {}).await;
    let user: Value = app
        .post_as(
            &app.service_key(),
            "/admin/users",
            json!({ "phone": PHONE }),
        )
        .await
        .ok();
    let hash = aws_lc_rs::digest::digest(
        &aws_lc_rs::digest::SHA224,
        format!("{PHONE}135790").as_bytes(),
    );
    let hash = crate::support::hex(hash.as_ref());
    let sent_at = app.clock.now().to_string();
    let sql = app.sql().await;
    let statement = format!(
        "update users set confirmation_token = '{hash}', confirmation_sent_at = '{sent_at}' where id = '{}'",
        user["id"].as_str().unwrap()
    );
    sql.batch_execute(&statement).await.unwrap();
    // The hash is no link: nobody has got one.
    let body = json!({ "type": "signup", "token_hash": hash });
    app.post("/verify", body).await.refused(403, "otp_expired");
    verify(&app, "sms", PHONE, "135790").await.ok();
}
