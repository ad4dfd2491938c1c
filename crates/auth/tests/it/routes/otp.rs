//! `POST /otp`.

use futures_util::future::join_all;
use innkeeper_auth::config::Profile;
use innkeeper_rest::Method;
use serde_json::{Value, json};

use crate::support::mail_flows::without_pauses;
use crate::support::{API_VERSION_2024, Answer, TestApp};

async fn ask(app: &TestApp, is_dated: bool, body: Value) -> Answer {
    let headers = if is_dated {
        &[API_VERSION_2024][..]
    } else {
        &[]
    };
    app.send(Method::POST, "/otp", headers, Some(&body)).await
}

#[tokio::test]
async fn what_create_user_means_depends_on_profile_and_header() {
    enum Then {
        SignedUp,
        Ignored,
        Refused,
    }
    use Profile::{Gotrue, Std};
    use Then::{Ignored, Refused, SignedUp};
    for (profile, is_dated, create_user, then) in [
        (Std, false, json!(null), SignedUp),
        (Std, false, json!(true), Ignored),
        (Std, false, json!(false), Ignored),
        (Std, true, json!(null), SignedUp),
        (Std, true, json!(true), SignedUp),
        (Std, true, json!(false), Ignored),
        (Gotrue, false, json!(null), SignedUp),
        (Gotrue, false, json!(true), SignedUp),
        (Gotrue, false, json!(false), Refused),
        (Gotrue, true, json!(true), SignedUp),
        (Gotrue, true, json!(false), Refused),
    ] {
        let app = TestApp::with(|config| config.profile = profile).await;
        let case = format!("{profile:?}, header {is_dated}, {create_user}");
        let body = json!({ "email": "ada@example.com", "create_user": create_user });
        let answer = ask(&app, is_dated, body).await;
        match then {
            SignedUp => {
                assert_eq!(answer.ok(), json!({}), "{case}");
                let mail = app.mailbox.next_to("ada@example.com").await;
                assert!(mail.link().as_str().contains("type=signup"), "{case}");
                assert_eq!(app.accounts("ada@example.com").await, 1, "{case}");
            }
            Ignored => {
                assert_eq!(answer.ok(), json!({}), "{case}");
                app.assert_no_mail("ada@example.com").await;
                assert_eq!(app.accounts("ada@example.com").await, 0, "{case}");
            }
            Refused => {
                let body = answer.refused(422, "otp_disabled");
                let message = if is_dated {
                    &body["message"]
                } else {
                    &body["msg"]
                };
                assert_eq!(message, "Signups not allowed for otp", "{case}");
                app.assert_no_mail("ada@example.com").await;
                assert_eq!(app.accounts("ada@example.com").await, 0, "{case}");
            }
        }
    }
}

#[tokio::test]
async fn a_known_user_gets_a_mail_whatever_create_user_says() {
    let app = TestApp::with(without_pauses).await;
    app.confirmed("ada@example.com").await;
    app.mail_of_signup("bob@example.com").await;
    for is_dated in [false, true] {
        for create_user in [json!(null), json!(true), json!(false)] {
            for (email, kind) in [
                ("ada@example.com", "type=magiclink"),
                ("bob@example.com", "type=signup"),
            ] {
                let body = json!({ "email": email, "create_user": create_user });
                assert_eq!(ask(&app, is_dated, body).await.ok(), json!({}));
                let mail = app.mailbox.next_to(email).await;
                assert!(mail.link().as_str().contains(kind), "{}", mail.link());
            }
        }
    }
    assert_eq!(app.accounts("ada@example.com").await, 1);
    assert_eq!(app.accounts("bob@example.com").await, 1);
}

#[tokio::test]
async fn the_magic_link_and_its_code_sign_the_user_in() {
    let app = TestApp::with(without_pauses).await;
    app.confirmed("ada@example.com").await;
    let mail = app.mail_of("/otp", "ada@example.com").await;
    assert_eq!(mail.subject(), "Your Magic Link");
    let session = app
        .verify_code("magiclink", "ada@example.com", &mail.code())
        .await
        .ok();
    assert_eq!(session["type"], "magiclink");
    let mail = app.mail_of("/otp", "ada@example.com").await;
    assert_eq!(app.follow(&mail).await.said("type"), "magiclink");
    // A magic link does not remove the password of a confirmed account.
    app.sign_in("ada@example.com", "correct horse").await.ok();
}

#[tokio::test]
async fn with_autoconfirm_a_new_user_gets_a_magic_link() {
    let app = TestApp::autoconfirm().await;
    let mail = app.mail_of("/otp", "ada@example.com").await;
    assert_eq!(mail.subject(), "Your Magic Link");
    assert!(mail.link().as_str().contains("type=magiclink"));
    let session = app.verify_link("magiclink", &mail.token()).await.ok();
    assert!(session["user"]["email_confirmed_at"].is_string());
    assert_eq!(session["user"]["user_metadata"]["email_verified"], true);
    let audit = app.get_as(&app.service_key(), "/admin/audit").await.text;
    assert!(audit.contains("user_signedup"), "{audit}");
}

#[tokio::test]
async fn closed_sign_up_lets_known_users_in_and_hides_who_they_are() {
    for profile in [Profile::Std, Profile::Gotrue] {
        let app = TestApp::with(|config| {
            config.profile = profile;
            config.disable_signup = true;
        })
        .await;
        app.confirmed("ada@example.com").await;
        app.mail_of("/otp", "ada@example.com").await;
        let answer = ask(&app, true, json!({ "email": "eve@example.com" })).await;
        if profile == Profile::Std {
            assert_eq!(answer.ok(), json!({}));
        } else {
            let body = answer.refused(422, "signup_disabled");
            assert_eq!(body["message"], "Signups not allowed for this instance");
        }
        app.assert_no_mail("eve@example.com").await;
        assert_eq!(app.accounts("eve@example.com").await, 0);
        // An invited user counts as known before the confirmation.
        let body = json!({ "email": "bob@example.com" });
        app.post_as(&app.service_key(), "/invite", body).await.ok();
        app.mailbox.next_to("bob@example.com").await;
        app.mail_of("/otp", "bob@example.com").await;
    }
}

#[tokio::test]
async fn data_becomes_the_metadata_of_new_users_only() {
    let app = TestApp::with(without_pauses).await;
    let body = json!({ "email": "Ada@Example.com", "data": { "name": "Ada", "n": [1] } });
    assert_eq!(ask(&app, true, body).await.ok(), json!({}));
    let mail = app.mailbox.next_to("ada@example.com").await;
    let session = app.verify_link("signup", &mail.token()).await.ok();
    assert_eq!(session["user"]["user_metadata"]["name"], "Ada");
    assert_eq!(session["user"]["user_metadata"]["n"], json!([1]));
    assert_eq!(
        session["user"]["app_metadata"],
        json!({ "provider": "email", "providers": ["email"] })
    );
    let body = json!({ "email": "ada@example.com", "data": { "name": "Eve" } });
    ask(&app, true, body).await.ok();
    let mail = app.mailbox.next_to("ada@example.com").await;
    let session = app.verify_link("magiclink", &mail.token()).await.ok();
    assert_eq!(session["user"]["user_metadata"]["name"], "Ada");
}

#[tokio::test]
async fn many_requests_at_once_for_a_new_address_make_one_account() {
    for autoconfirm in [false, true] {
        let app = TestApp::with(|config| {
            without_pauses(config);
            config.mailer.autoconfirm = autoconfirm;
        })
        .await;
        let ask = |_| app.post("/otp", json!({ "email": "ada@example.com" }));
        for answer in join_all((0..30).map(ask)).await {
            assert_eq!(answer.ok(), json!({}));
        }
        assert_eq!(app.accounts("ada@example.com").await, 1);
        for _ in 0..30 {
            app.mailbox.next_to("ada@example.com").await;
        }
    }
}

#[tokio::test]
async fn an_address_or_a_number_is_needed_and_not_both() {
    let app = TestApp::with(|config| config.external.phone_enabled = true).await;
    for (body, message) in [
        (json!({}), "One of email or phone must be set"),
        (json!(null), "One of email or phone must be set"),
        (
            json!({ "email": null, "phone": "" }),
            "One of email or phone must be set",
        ),
        (
            json!({ "email": "ada@example.com", "phone": "4930123456" }),
            "Only an email address or phone number should be provided",
        ),
        (
            json!({ "email": "ada@example.com", "channel": "sms" }),
            "Channel should only be specified with Phone OTP",
        ),
        (
            json!({ "phone": "invalid" }),
            "Invalid phone number format (E.164 required)",
        ),
    ] {
        let plain = ask(&app, false, body.clone()).await;
        assert_eq!(plain.refused(400, "validation_failed")["msg"], message);
        let dated = ask(&app, true, body).await;
        assert_eq!(dated.refused(400, "validation_failed")["message"], message);
    }
}

#[tokio::test]
async fn a_number_is_refused_while_there_is_no_provider() {
    for profile in [Profile::Std, Profile::Gotrue] {
        let app = TestApp::with(|config| config.profile = profile).await;
        for create_user in [true, false] {
            let body =
                json!({ "phone": "+49 30 123456", "create_user": create_user, "channel": "sms" });
            // In GoTrue a number without an account comes first.
            let (status, code) = match (profile, create_user) {
                (Profile::Gotrue, false) => (422, "otp_disabled"),
                _ => (400, "phone_provider_disabled"),
            };
            ask(&app, true, body).await.refused(status, code);
        }
    }
}

#[tokio::test]
async fn a_malformed_address_is_refused() {
    let app = TestApp::start().await;
    for email in [
        "xx:;x@x.x",
        "ada",
        "ada@example.com\r\nBcc: eve@example.com",
        "а@example.com",
    ] {
        for create_user in [json!(null), json!(true), json!(false)] {
            let body = json!({ "email": email, "create_user": create_user });
            let body = ask(&app, true, body)
                .await
                .refused(400, "validation_failed");
            assert_eq!(
                body["message"],
                "Unable to validate email address: invalid format"
            );
        }
    }
    let gotrue = TestApp::with(|config| config.profile = Profile::Gotrue).await;
    let body = json!({ "email": "ada", "create_user": false });
    ask(&gotrue, true, body).await.refused(422, "otp_disabled");
    let long = format!("{}@example.com", "a".repeat(250));
    ask(&app, true, json!({ "email": long }))
        .await
        .refused(400, "validation_failed");
}

#[tokio::test]
async fn fields_of_another_type_are_bad_json() {
    let app = TestApp::start().await;
    for body in [
        json!({ "email": 1 }),
        json!({ "email": ["ada@example.com"] }),
        json!({ "email": "ada@example.com", "create_user": "yes" }),
        json!({ "email": "ada@example.com", "data": "text" }),
        json!({ "email": "ada@example.com", "code_challenge": {} }),
        json!([1]),
    ] {
        ask(&app, false, body.clone())
            .await
            .refused(400, "bad_json");
        ask(&app, true, body).await.refused(400, "bad_json");
    }
    for body in ["", "{\"email\":", "email=ada@example.com"] {
        let answer = app.client.post("/otp").body(body.to_owned()).send().await;
        Answer::new(answer).refused(400, "bad_json");
    }
    assert_eq!(app.accounts("ada@example.com").await, 0);
}

#[tokio::test]
async fn what_the_database_cannot_keep_is_refused() {
    let app = TestApp::start().await;
    for data in [
        json!({ "a": "\u{0}" }),
        json!({ "a\u{0}": { "b": 1 } }),
        json!({ "a": ["\u{0}"] }),
    ] {
        let body = json!({ "email": "ada@example.com", "data": data });
        ask(&app, true, body).await.refused(400, "bad_json");
    }
    assert_eq!(app.accounts("ada@example.com").await, 0);
    // No mail was sent, so the interval between mails does not apply.
    app.mail_of("/otp", "ada@example.com").await;
}

#[tokio::test]
async fn captcha_tokens_are_ignored_while_captcha_is_off() {
    let app = TestApp::start().await;
    let body = json!({
        "email": "ada@example.com", "gotrue_meta_security": { "captcha_token": "x" },
        "captcha_token": "x", "unknown": [1, 2],
    });
    assert_eq!(ask(&app, true, body).await.ok(), json!({}));
}

#[tokio::test]
async fn links_can_be_switched_off() {
    for (email_enabled, magic_link_enabled) in [(false, true), (true, false)] {
        let app = TestApp::with(|config| {
            config.external.email_enabled = email_enabled;
            config.external.email_magic_link_enabled = magic_link_enabled;
        })
        .await;
        for target in ["/otp", "/magiclink"] {
            let body = json!({ "email": "ada@example.com" });
            app.post(target, body)
                .await
                .refused(422, "email_provider_disabled");
        }
    }
}

#[tokio::test]
async fn only_authorized_addresses_get_mail_if_any_are_named() {
    let app = TestApp::with(|config| {
        config.external.email_authorized_addresses = vec!["Ada@example.com".to_owned()];
    })
    .await;
    app.confirmed("eve@example.com").await;
    for (target, body) in [
        ("/otp", json!({ "email": "eve@example.com" })),
        ("/otp", json!({ "email": "nobody@example.com" })),
        ("/recover", json!({ "email": "eve@example.com" })),
        ("/recover", json!({ "email": "nobody@example.com" })),
        (
            "/resend",
            json!({ "email": "eve@example.com", "type": "signup" }),
        ),
        (
            "/signup",
            json!({ "email": "nobody@example.com", "password": "correct horse" }),
        ),
    ] {
        app.post(target, body)
            .await
            .refused(400, "email_address_not_authorized");
    }
    app.mail_of("/otp", "ada@example.com").await;
}
