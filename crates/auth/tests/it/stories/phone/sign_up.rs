//! Sign-up with a phone number and a password.

use innkeeper_auth::config::Profile;
use serde_json::{Value, json};

use super::{PASSWORD, PHONE, actions, both_profiles, count, std_app, verify};
use crate::support::sms::{Protocol, SmsProvider};
use crate::support::tokens::{parts_of, text};
use crate::support::{TestApp, redacted};

const GRANT: &str = "/token?grant_type=password";

async fn sign_up(app: &TestApp, password: &str) -> Value {
    let body = json!({ "phone": format!("+{PHONE}"), "password": password });
    app.post("/signup", body).await.ok()
}

#[tokio::test]
async fn a_sign_up_is_confirmed_by_its_code_and_signs_in_with_its_password() {
    for (app, provider) in both_profiles().await {
        let user = sign_up(&app, PASSWORD).await;
        assert_eq!(
            (&user["phone"], &user["email"], &user["role"]),
            (&json!(PHONE), &json!(""), &json!("authenticated"))
        );
        assert!(user["confirmation_sent_at"].is_string() && user["created_at"].is_string());
        assert!(user.get("phone_confirmed_at").is_none() && user.get("access_token").is_none());
        assert_eq!(user["identities"][0]["provider"], "phone");
        assert_eq!(user["identities"][0].get("email"), None);
        let code = provider.next().await.code();
        let credentials = json!({ "phone": PHONE, "password": PASSWORD });
        app.post(GRANT, credentials.clone())
            .await
            .refused(400, "phone_not_confirmed");
        let session = verify(&app, "sms", PHONE, &code).await.ok();
        assert!(session["user"]["phone_confirmed_at"].is_string());
        assert_eq!(session.get("message"), None);
        for phone in [
            PHONE.to_owned(),
            format!("+{PHONE}"),
            "+49 301 234567".to_owned(),
        ] {
            let body = json!({ "phone": phone, "password": PASSWORD });
            let session = app.post(GRANT, body).await.ok();
            let (_, claims) = parts_of(&text(&session, "access_token"));
            assert_eq!(claims["amr"][0]["method"], "password");
        }
        let wrong = json!({ "phone": PHONE, "password": "wrong horse" });
        app.post(GRANT, wrong)
            .await
            .refused(400, "invalid_credentials");
        let entries = actions(&app).await;
        for action in ["user_confirmation_requested", "user_signedup", "login"] {
            assert!(entries.contains(&action.to_owned()), "{entries:?}");
        }
    }
}

#[tokio::test]
async fn numbers_are_confirmed_at_once_where_the_setting_says_so() {
    for profile in [Profile::Std, Profile::Gotrue] {
        let provider = SmsProvider::start(Protocol::Twilio).await;
        let app = TestApp::with(|config| {
            if profile == Profile::Gotrue {
                crate::support::profile::gotrue(config);
            }
            provider.configure(config);
            config.sms.autoconfirm = true;
        })
        .await;
        let session = sign_up(&app, PASSWORD).await;
        assert!(session["access_token"].is_string(), "{session}");
        assert!(session["user"]["phone_confirmed_at"].is_string());
        assert_eq!(provider.count(), 0);
        let body = json!({ "phone": PHONE, "password": PASSWORD });
        let again = app.post_versioned("/signup", body).await;
        let body = again.refused(422, "user_already_exists");
        assert_eq!(body["message"], "User already registered");
        // A code is sent all the same, to an account that is confirmed already.
        app.post("/otp", json!({ "phone": "4917" })).await.ok();
        let code = provider.next().await.code();
        assert_eq!(
            count(
                &app,
                "select count(*) from users where phone_confirmed_at is null"
            )
            .await,
            0
        );
        verify(&app, "sms", "4917", &code).await.ok();
    }
}

#[tokio::test]
async fn a_sign_up_without_a_password_may_set_one_with_the_code() {
    for (app, provider) in both_profiles().await {
        app.post("/otp", json!({ "phone": PHONE })).await.ok();
        let code = provider.next().await.code();
        let body = json!({
            "type": "sms", "phone": PHONE, "token": code, "password": PASSWORD,
            "redirect_to": "http://localhost:3000/welcome",
        });
        app.post("/verify", body).await.ok();
        let body = json!({ "phone": PHONE, "password": PASSWORD });
        app.post(GRANT, body).await.ok();
    }
}

#[tokio::test]
async fn two_sign_ups_with_different_passwords_store_none_of_them() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |config| {
        config.sms.otp_exp = jiff::SignedDuration::from_mins(10);
    })
    .await;
    let first = redacted(&sign_up(&app, PASSWORD).await);
    provider.next().await;
    app.advance(61);
    let second = redacted(&sign_up(&app, "another horse").await);
    assert_eq!(first, second);
    let code = provider.next().await.code();
    let session = verify(&app, "sms", PHONE, &code).await.ok();
    let message = session["message"].as_str().unwrap();
    assert!(message.starts_with("The phone number is confirmed. No password was stored"));
    for password in [PASSWORD, "another horse"] {
        let body = json!({ "phone": PHONE, "password": password });
        app.post(GRANT, body)
            .await
            .refused(400, "invalid_credentials");
    }
}

#[tokio::test]
async fn a_code_that_was_not_asked_for_by_the_sign_up_confirms_no_password_of_it() {
    for (app, provider) in both_profiles().await {
        // A stranger signs up with the number, whose owner then signs in with a code.
        sign_up(&app, "stranger's horse").await;
        provider.next().await;
        app.advance(61);
        app.post("/otp", json!({ "phone": PHONE })).await.ok();
        let code = provider.next().await.code();
        verify(&app, "sms", PHONE, &code).await.ok();
        let body = json!({ "phone": PHONE, "password": "stranger's horse" });
        app.post(GRANT, body)
            .await
            .refused(400, "invalid_credentials");
    }
}

#[tokio::test]
async fn the_owner_of_a_number_is_not_kept_away_by_another_audience() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |_| {}).await;
    let token = app.service_key();
    app.post_as(&token, "/admin/users", json!({ "phone": PHONE }))
        .await
        .ok();
    let sql = app.sql().await;
    sql.batch_execute("update users set aud = 'elsewhere'")
        .await
        .unwrap();
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
    let code = provider.next().await.code();
    let session = verify(&app, "sms", PHONE, &code).await.ok();
    assert_eq!(session["user"]["aud"], "authenticated");
}
