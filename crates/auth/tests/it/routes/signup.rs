//! `POST /signup`. A second sign-up with an address is tested in `stories/duplicate_signup`.

use std::fs;

use innkeeper_auth::config::Profile;
use innkeeper_rest::Method;
use serde_json::{Value, json};

use crate::support::mail_flows::without_pauses;
use crate::support::sms::{Protocol, SmsProvider};
use crate::support::{API_VERSION_2024, TestApp, redacted};

const PASSWORD: &str = "correct horse";

fn body(email: &str) -> Value {
    json!({ "email": email, "password": PASSWORD })
}

/// Returns the response for an account that awaits confirmation.
fn waiting(email: &str) -> Value {
    json!({
        "id": "[uuid]",
        "aud": "authenticated",
        "role": "authenticated",
        "email": email,
        "phone": "",
        "confirmation_sent_at": "[time]",
        "app_metadata": { "provider": "email", "providers": ["email"] },
        "user_metadata": {
            "sub": "[uuid]",
            "email": email,
            "email_verified": false,
            "phone_verified": false,
        },
        "identities": [{
            "identity_id": "[uuid]",
            "id": "[uuid]",
            "user_id": "[uuid]",
            "identity_data": {
                "sub": "[uuid]",
                "email": email,
                "email_verified": false,
                "phone_verified": false,
            },
            "provider": "email",
            "last_sign_in_at": "[time]",
            "created_at": "[time]",
            "updated_at": "[time]",
            "email": email,
        }],
        "created_at": "[time]",
        "updated_at": "[time]",
        "is_anonymous": false,
    })
}

#[tokio::test]
async fn an_address_that_must_be_confirmed_is_answered_with_the_bare_user() {
    let app = TestApp::start().await;
    let answer = app.post("/signup", body("Ada@Example.com")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(redacted(&answer.body), waiting("ada@example.com"));
    let user = &answer.body;
    assert_eq!(user["user_metadata"]["sub"], user["id"]);
    assert_eq!(user["identities"][0]["id"], user["id"]);
    assert_eq!(user["identities"][0]["user_id"], user["id"]);
    app.mailbox.next_to("ada@example.com").await;
}

#[tokio::test]
async fn what_is_stored_is_what_was_answered() {
    let app = TestApp::start().await;
    let mut said = body("ada@example.com");
    said["data"] = json!({ "name": "Ada", "tags": ["a", { "b": 1.5 }], "none": null });
    let user = app.post("/signup", said).await.ok();
    assert_eq!(user["user_metadata"]["tags"], json!(["a", { "b": 1.5 }]));
    let stored = app.only_user().await;
    assert_eq!(redacted(&stored), redacted(&user));
    // The ids are fabricated, because those of an account that exists must not be shown either.
    assert_ne!(stored["id"], user["id"]);
    assert_ne!(
        stored["identities"][0]["identity_id"],
        user["identities"][0]["identity_id"]
    );
}

#[tokio::test]
async fn the_ids_are_those_of_the_account_in_gotrue() {
    let app = TestApp::with(|config| config.profile = Profile::Gotrue).await;
    let user = app.post("/signup", body("ada@example.com")).await.ok();
    let stored = app.only_user().await;
    assert_eq!(stored["id"], user["id"]);
    assert_eq!(
        stored["identities"][0]["identity_id"],
        user["identities"][0]["identity_id"]
    );
}

#[tokio::test]
async fn data_becomes_metadata_and_does_not_replace_what_the_server_says() {
    let app = TestApp::start().await;
    let data =
        json!({ "name": "Ada", "email": "eve@example.com", "email_verified": true, "sub": "x" });
    let said = json!({ "email": "ada@example.com", "password": PASSWORD, "data": data });
    let user = app.post("/signup", said).await.ok();
    let mut expected = waiting("ada@example.com");
    expected["user_metadata"]["name"] = json!("Ada");
    expected["identities"][0]["identity_data"]["name"] = json!("Ada");
    assert_eq!(redacted(&user), expected);

    let said = json!({ "email": "bob@example.com", "password": PASSWORD, "data": ["Bob"] });
    app.post("/signup", said).await.refused(400, "bad_json");
}

/// Returns the user of a response without confirmation.
fn confirmed(email: &str) -> Value {
    let mut user = waiting(email);
    let members = user.as_object_mut().unwrap();
    members.remove("confirmation_sent_at");
    for name in ["email_confirmed_at", "confirmed_at", "last_sign_in_at"] {
        members.insert(name.to_owned(), json!("[time]"));
    }
    user["user_metadata"]["email_verified"] = json!(true);
    user["identities"][0]["identity_data"]["email_verified"] = json!(true);
    user
}

/// Returns the session of a response without confirmation.
fn session(email: &str) -> Value {
    json!({
        "access_token": "[token]",
        "token_type": "bearer",
        "expires_in": 3600,
        "expires_at": "[seconds]",
        "refresh_token": "[token]",
        "user": confirmed(email),
    })
}

#[tokio::test]
async fn without_confirmation_the_answer_is_a_session() {
    let app = TestApp::autoconfirm().await;
    let answer = app.post_versioned("/signup", body("ada@example.com")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    for name in ["sb-auth-user-id", "sb-auth-session-id"] {
        assert!(answer.header(name).is_some(), "{name}");
    }
    assert_eq!(redacted(&answer.body), session("ada@example.com"));
    let expires_at = answer.body["expires_at"].as_i64().unwrap();
    assert!((expires_at - app.clock.now().as_second() - 3600).abs() <= 1);
    assert_eq!(app.mailbox.count_to("ada@example.com"), 0);

    let token = answer.text_at("/access_token");
    let me = app.get_as(&token, "/user").await.ok();
    assert_eq!(me["id"], answer.body["user"]["id"]);
    app.sign_in("ada@example.com", PASSWORD).await.ok();
}

#[tokio::test]
async fn without_the_version_header_the_user_is_beside_the_session() {
    let app = TestApp::autoconfirm().await;
    let answer = app.post("/signup", body("ada@example.com")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let mut expected = session("ada@example.com");
    let user = confirmed("ada@example.com");
    let members = expected.as_object_mut().unwrap();
    members.extend(user.as_object().unwrap().clone());
    assert_eq!(redacted(&answer.body), expected);
    for (name, value) in answer.body["user"].as_object().unwrap() {
        assert_eq!(answer.body[name], *value, "{name}");
    }
    let me = app
        .get_as(&answer.text_at("/access_token"), "/user")
        .await
        .ok();
    assert_eq!(me["id"], answer.body["id"]);

    let app = TestApp::with(|config| config.external.anonymous_users_enabled = true).await;
    let guest = app.post("/signup", json!({})).await.ok();
    assert_eq!(guest["id"], guest["user"]["id"]);
    assert_eq!(guest["is_anonymous"], true);

    let gotrue = TestApp::with(|config| {
        config.profile = Profile::Gotrue;
        config.mailer.autoconfirm = true;
    })
    .await;
    let answer = gotrue.post("/signup", body("ada@example.com")).await.ok();
    assert!(answer.get("id").is_none(), "{answer}");
    assert!(answer["user"]["id"].is_string());
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a flat table of refusals")]
async fn checks_come_in_the_order_that_clients_rely_on() {
    let closed = TestApp::with(|config| {
        config.disable_signup = true;
        config.external.email_enabled = false;
    })
    .await;
    let no_email = TestApp::with(|config| config.external.email_enabled = false).await;
    let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    for (app, body, status, code, message) in [
        (
            &closed,
            json!({}),
            422,
            "anonymous_provider_disabled",
            "Anonymous sign-ins are disabled",
        ),
        (
            &closed,
            json!({ "password": PASSWORD, "data": {} }),
            422,
            "anonymous_provider_disabled",
            "Anonymous sign-ins are disabled",
        ),
        (
            &closed,
            json!({ "email": "no address" }),
            422,
            "signup_disabled",
            "Signups not allowed for this instance",
        ),
        (
            &no_email,
            json!({ "email": "no address", "phone": "none" }),
            400,
            "validation_failed",
            "Signup requires a valid password",
        ),
        (
            &no_email,
            json!({ "email": "no address", "phone": "none", "password": "short" }),
            422,
            "weak_password",
            "Password should be at least 6 characters.",
        ),
        (
            &no_email,
            json!({ "email": "no address", "phone": "none", "password": PASSWORD, "code_challenge": "x" }),
            400,
            "validation_failed",
            "Only an email address or phone number should be provided on signup.",
        ),
        (
            &no_email,
            json!({ "email": "no address", "password": PASSWORD, "code_challenge": challenge }),
            400,
            "validation_failed",
            "PKCE flow requires code_challenge_method and code_challenge",
        ),
        (
            &no_email,
            json!({ "email": "no address", "password": PASSWORD }),
            400,
            "email_provider_disabled",
            "Email signups are disabled",
        ),
    ] {
        let refused = app.post("/signup", body.clone()).await;
        let refused = refused.refused(status, code);
        assert_eq!(refused["msg"], message, "{body}");
    }
    // The body is parsed before all these checks.
    let broken = closed
        .client
        .post("/signup")
        .body("{\"email\":")
        .send()
        .await;
    assert_eq!(broken.status(), 400);
    assert_eq!(broken.header("x-sb-error-code"), Some("bad_json"));
}

#[tokio::test]
async fn when_sign_up_is_closed_users_come_by_invitation() {
    let app = TestApp::with(|config| {
        without_pauses(config);
        config.disable_signup = true;
        config.external.anonymous_users_enabled = true;
    })
    .await;
    for refused in [body("ada@example.com"), json!({ "data": {} })] {
        app.post("/signup", refused)
            .await
            .refused(422, "signup_disabled");
    }
    // Nobody learns here whether there is an account, and none is made.
    for target in ["/otp", "/magiclink", "/recover"] {
        let body = json!({ "email": "ada@example.com" });
        app.post(target, body).await.ok();
    }
    app.assert_no_mail("ada@example.com").await;
    assert_eq!(app.accounts("ada@example.com").await, 0);
    let invited = json!({ "email": "ada@example.com" });
    app.post_as(&app.service_key(), "/invite", invited)
        .await
        .ok();
    let mail = app.mailbox.next_to("ada@example.com").await;
    let body = json!({ "type": "invite", "token_hash": mail.token(), "password": PASSWORD });
    app.post("/verify", body).await.ok();
    app.sign_in("ada@example.com", PASSWORD).await.ok();
}

#[tokio::test]
async fn a_sign_up_by_phone_is_refused_where_phones_are_off() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    for is_on in [false, true] {
        let app = TestApp::with(|config| {
            provider.configure(config);
            config.external.phone_enabled = is_on;
        })
        .await;
        let body = json!({ "phone": "+49301234567", "password": PASSWORD, "channel": "sms" });
        for (target, body) in [
            ("/signup", body),
            ("/otp", json!({ "phone": "+491701234567" })),
        ] {
            let answer = app.post(target, body).await;
            if is_on {
                answer.ok();
                provider.next().await;
            } else {
                answer.refused(400, "phone_provider_disabled");
            }
        }
        let broken = json!({ "phone": "no number", "password": PASSWORD });
        let code = if is_on {
            "validation_failed"
        } else {
            "phone_provider_disabled"
        };
        app.post("/signup", broken).await.refused(400, code);
    }
}

#[tokio::test]
async fn texts_that_are_no_address_are_refused_in_both_shapes() {
    let app = TestApp::start().await;
    let longest = format!("{}@{}.example", "a".repeat(184), "b".repeat(63));
    assert_eq!(longest.len(), 256);
    for email in [
        "xx:;x@x.x",
        "ada",
        "ada@",
        "@example.com",
        "ada@exam ple.com",
        " ada@example.com",
        "ada@example.com\r\nBcc: eve@example.com",
        "ada\u{7}@example.com",
        "ada@example.com\u{200b}",
        // Cyrillic а, full-width ａ, a letter with a combining accent.
        "\u{430}da@example.com",
        "\u{ff41}da@example.com",
        "a\u{301}da@example.com",
        "ada@ex\u{430}mple.com",
        longest.as_str(),
    ] {
        let message = if email == longest {
            "An email address is too long"
        } else {
            "Unable to validate email address: invalid format"
        };
        let old = app.post("/signup", body(email)).await;
        let expected = json!({ "code": 400, "error_code": "validation_failed", "msg": message });
        assert_eq!(old.refused(400, "validation_failed"), expected, "{email:?}");
        let new = app.post_versioned("/signup", body(email)).await;
        assert_eq!(new.header("x-supabase-api-version"), Some("2024-01-01"));
        let expected = json!({ "code": "validation_failed", "message": message });
        assert_eq!(new.refused(400, "validation_failed"), expected, "{email:?}");
    }
    let fits = longest.replacen('a', "", 1);
    app.post("/signup", body(&fits)).await.ok();
}

#[tokio::test]
async fn a_weak_password_is_refused_with_reasons_in_both_shapes() {
    let app = TestApp::with(|config| {
        config.password.min_length = 8;
        config.password.required_characters = vec!["0123456789".to_owned(), "!:".to_owned()];
    })
    .await;
    let length = "Password should be at least 8 characters.";
    let characters = "Password should contain at least one character of each: 0123456789, !:.";
    let both = format!("{length} {characters}");
    for (password, message, reasons) in [
        ("a1!", length, json!(["length"])),
        ("letters only", characters, json!(["characters"])),
        ("digits 123", characters, json!(["characters"])),
        ("abc", both.as_str(), json!(["length", "characters"])),
    ] {
        let body = json!({ "email": "ada@example.com", "password": password });
        let old = app.post("/signup", body.clone()).await.failed(422);
        let expected = json!({
            "code": 422,
            "error_code": "weak_password",
            "msg": message,
            "weak_password": { "reasons": reasons },
        });
        assert_eq!(old, expected, "{password}");
        let new = app.post_versioned("/signup", body).await.failed(422);
        let expected = json!({
            "code": "weak_password",
            "message": message,
            "weak_password": { "reasons": reasons },
        });
        assert_eq!(new, expected, "{password}");
    }
    let body = json!({ "email": "ada@example.com", "password": "long enough: 1" });
    app.post("/signup", body).await.ok();
}

#[tokio::test]
async fn six_characters_are_enough_unless_said_otherwise() {
    let app = TestApp::start().await;
    let sign_up = |password: &str| {
        let body = json!({ "email": "ada@example.com", "password": password });
        app.post("/signup", body)
    };
    for short in ["12345", "äöüßé"] {
        let refused = sign_up(short).await.refused(422, "weak_password");
        assert_eq!(refused["msg"], "Password should be at least 6 characters.");
    }
    sign_up("äöüßéí").await.ok();
}

#[tokio::test]
async fn a_password_that_leaked_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("leaked.txt");
    // SHA-1 of "password".
    let lines = "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:9\n";
    fs::write(&list, lines).unwrap();
    let app = TestApp::with(|config| config.password.breached_file = Some(list.clone())).await;
    let body = json!({ "email": "ada@example.com", "password": "password" });
    let refused = app
        .post("/signup", body)
        .await
        .refused(422, "weak_password");
    assert_eq!(refused["weak_password"]["reasons"], json!(["pwned"]));
    let body = json!({ "email": "ada@example.com", "password": "password, but longer" });
    app.post("/signup", body).await.ok();
}

#[tokio::test]
async fn a_password_that_is_tried_first_is_refused() {
    let app = TestApp::start().await;
    let gotrue = TestApp::with(|config| {
        config.profile = Profile::Gotrue;
        config.mailer.autoconfirm = true;
    })
    .await;
    for (number, password) in ["123456", "password", "qwertyuiop", "aaaaaaaa", "P@ssword"]
        .into_iter()
        .enumerate()
    {
        let body = json!({ "email": format!("{number}@example.com"), "password": password });
        let refused = app.post("/signup", body.clone()).await;
        let refused = refused.refused(422, "weak_password");
        assert_eq!(
            refused["weak_password"]["reasons"],
            json!(["pwned"]),
            "{password}"
        );
        gotrue.post("/signup", body).await.ok();
    }
}

#[tokio::test]
async fn a_password_of_words_about_its_owner_is_refused() {
    let app = TestApp::autoconfirm().await;
    let data = json!({ "full_name": "Mary Zvyagintseva" });
    let body = |password: &str| json!({ "email": "zqlovelacex@example.com", "password": password, "data": data });
    for password in [
        "zqlovelacex",
        "zqlovelacex@example.com",
        "ZVYAGINTSEVA",
        "Mary Zvyagintseva",
    ] {
        let refused = app.post("/signup", body(password)).await;
        let refused = refused.refused(422, "weak_password");
        assert_eq!(
            refused["weak_password"]["reasons"],
            json!(["pwned"]),
            "{password}"
        );
    }
    let session = app.post("/signup", body("correct horse")).await.ok();
    let token = session["access_token"].as_str().unwrap();
    // So is one that is chosen later.
    for password in ["zqlovelacex", "zvyagintseva", "letmein"] {
        let changed = app
            .put_as(token, "/user", json!({ "password": password }))
            .await;
        changed.refused(422, "weak_password");
    }
}

#[tokio::test]
async fn passwords_have_a_longest_length_that_depends_on_the_profile() {
    let std = TestApp::autoconfirm().await;
    let gotrue = TestApp::with(|config| {
        config.profile = Profile::Gotrue;
        config.mailer.autoconfirm = true;
    })
    .await;
    for (app, longest) in [(&std, 4096), (&gotrue, 72)] {
        let too_long = json!({ "email": "ada@example.com", "password": "x".repeat(longest + 1) });
        let refused = app.post("/signup", too_long).await;
        let refused = refused.refused(400, "validation_failed");
        let message = format!("Password cannot be longer than {longest} characters");
        assert_eq!(refused["msg"], json!(message));

        let password: String = "correct horse ".chars().cycle().take(longest).collect();
        let body = json!({ "email": "ada@example.com", "password": password });
        app.post("/signup", body).await.ok();
        app.sign_in("ada@example.com", &password).await.ok();
        // The password is not truncated before the comparison.
        app.sign_in("ada@example.com", &password[1..])
            .await
            .refused(400, "invalid_credentials");
    }
}

#[tokio::test]
async fn without_a_mail_server_only_sign_ups_that_need_no_mail_work() {
    let no_mail = |autoconfirm: bool| {
        TestApp::with(move |config| {
            config.smtp.host.clear();
            config.mailer.autoconfirm = autoconfirm;
        })
    };
    let app = no_mail(false).await;
    let refused = app.post("/signup", body("ada@example.com")).await;
    let refused = refused.refused(422, "email_provider_disabled");
    assert_eq!(refused["msg"], "This server is not set up to send email");
    let key = app.service_key();
    let list = app.get_as(&key, "/admin/users").await.ok();
    assert_eq!(list["users"], json!([]));
    no_mail(true)
        .await
        .post("/signup", body("ada@example.com"))
        .await
        .ok();
}

#[tokio::test]
async fn a_code_exchange_is_begun_by_a_challenge_with_a_known_method() {
    let app = TestApp::start().await;
    let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    let mut said = body("ada@example.com");
    said["code_challenge"] = json!(challenge);
    for method in ["md5", "S 256", "none"] {
        said["code_challenge_method"] = json!(method);
        app.post("/signup", said.clone())
            .await
            .refused(400, "validation_failed");
    }
    said["code_challenge_method"] = json!("S256");
    said["code_challenge"] = json!("short");
    app.post("/signup", said.clone())
        .await
        .refused(400, "validation_failed");
    said["code_challenge"] = json!(challenge);
    app.post("/signup", said).await.ok();
    let mail = app.mailbox.next_to("ada@example.com").await;
    assert!(mail.token().starts_with("pkce_"));
}

#[tokio::test]
async fn null_is_as_good_as_absent_and_unknown_members_do_not_matter() {
    let app = TestApp::start().await;
    let said = json!({
        "email": "ada@example.com",
        "password": PASSWORD,
        "phone": null,
        "data": null,
        "code_challenge": null,
        "code_challenge_method": null,
        "gotrue_meta_security": { "captcha_token": "any" },
        "captcha_token": "any",
        "more": [1, 2],
    });
    let user = app.post_versioned("/signup", said).await.ok();
    assert_eq!(redacted(&user), waiting("ada@example.com"));
    app.post("/signup", json!(null))
        .await
        .refused(422, "anonymous_provider_disabled");
}

#[tokio::test]
async fn a_user_belongs_to_the_audience_of_the_request() {
    let app = TestApp::with(|config| config.jwt.audiences = vec!["tenants".to_owned()]).await;
    let audience = [("X-JWT-AUD", "tenants")];
    let said = body("ada@example.com");
    let answer = app
        .send(Method::POST, "/signup", &audience, Some(&said))
        .await;
    assert_eq!(answer.ok()["aud"], "tenants");
    let too_long = "a".repeat(256);
    let headers = [("X-JWT-AUD", too_long.as_str()), API_VERSION_2024];
    let said = body("bob@example.com");
    app.send(Method::POST, "/signup", &headers, Some(&said))
        .await
        .refused(400, "validation_failed");
}

#[tokio::test]
async fn a_path_with_a_slash_at_its_end_is_the_same_path() {
    let app = TestApp::start().await;
    app.post("/signup/", body("ada@example.com")).await.ok();
}
