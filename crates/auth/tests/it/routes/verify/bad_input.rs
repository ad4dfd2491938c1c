//! `POST /verify`: refused requests.

use innkeeper_rest::Method;
use serde_json::{Value, json};

use crate::support::mail_flows::without_pauses;
use crate::support::{API_VERSION_2024, TestApp};

/// Returns the message of a refusal, which must be the same in both shapes.
async fn refusal(app: &TestApp, body: &Value, status: u16, code: &str) -> String {
    let plain = app
        .post("/verify", body.clone())
        .await
        .refused(status, code);
    assert_eq!(plain["code"], status, "{body}");
    let dated = app.post_versioned("/verify", body.clone()).await;
    assert_eq!(dated.header("x-supabase-api-version"), Some("2024-01-01"));
    let dated = dated.refused(status, code);
    assert_eq!(dated["code"], code, "{body}");
    assert_eq!(plain["msg"], dated["message"], "{body}");
    plain["msg"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_token_or_a_hash_is_needed_and_not_both() {
    let app = TestApp::start().await;
    for body in [
        json!({ "type": "signup", "email": "ada@example.com" }),
        json!({ "type": "signup", "email": "ada@example.com", "token": "", "token_hash": null }),
        json!({ "type": "signup", "email": "ada@example.com", "token": "1", "token_hash": "2" }),
    ] {
        let message = refusal(&app, &body, 400, "validation_failed").await;
        assert_eq!(message, "Verify requires either a token or a token hash");
    }
    for extra in ["email", "phone", "redirect_to"] {
        let body = json!({ "type": "signup", "token_hash": "2", extra: "something" });
        let message = refusal(&app, &body, 400, "validation_failed").await;
        assert_eq!(message, "Only the token_hash and type should be provided");
    }
}

#[tokio::test]
async fn an_address_or_a_number_is_needed_and_not_both() {
    let app = TestApp::start().await;
    for body in [
        json!({ "type": "signup", "token": "123456" }),
        json!({ "type": "sms", "token": "123456", "email": "", "phone": null }),
        json!({ "type": "sms", "token": "123456", "email": "ada@example.com", "phone": "4930123456" }),
    ] {
        let message = refusal(&app, &body, 400, "validation_failed").await;
        assert_eq!(
            message,
            "Only an email address or phone number should be provided on verify"
        );
    }
}

#[tokio::test]
async fn malformed_addresses_and_numbers_are_named() {
    let app = TestApp::start().await;
    for email in [
        "xx:;x@x.x",
        "ada",
        "ada@",
        "@example.com",
        "ad\ra@example.com",
        "аda@example.com",
    ] {
        let body = json!({ "type": "signup", "token": "123456", "email": email });
        let message = refusal(&app, &body, 422, "validation_failed").await;
        assert_eq!(message, "Invalid email format");
    }
    for phone in ["invalid", "+0123", "1", "1234567890123456", "49\n30"] {
        let body = json!({ "type": "sms", "token": "123456", "phone": phone });
        let message = refusal(&app, &body, 400, "validation_failed").await;
        assert_eq!(message, "Invalid phone number format (E.164 required)");
    }
}

#[tokio::test]
async fn codes_of_text_messages_are_wrong_while_none_are_sent() {
    let app = TestApp::start().await;
    for kind in ["sms", "phone_change", "signup", "email"] {
        let body = json!({
            "type": kind, "token": "123456", "phone": "+49 30 123456",
            "redirect_to": "http://localhost:3000/in",
        });
        let message = refusal(&app, &body, 403, "otp_expired").await;
        assert_eq!(message, "Token has expired or is invalid");
    }
}

#[tokio::test]
async fn a_type_is_needed_that_exists() {
    let app = TestApp::start().await;
    for kind in [json!(null), json!("")] {
        let body = json!({ "type": kind, "token": "123456", "email": "ada@example.com" });
        let message = refusal(&app, &body, 400, "validation_failed").await;
        assert_eq!(message, "Verify requires a verification type");
    }
    for kind in [
        "SIGNUP",
        "reauthentication",
        "phone",
        "sign\nup",
        &"x".repeat(10_000),
    ] {
        let body = json!({ "type": kind, "token": "123456", "email": "ada@example.com" });
        let message = refusal(&app, &body, 400, "validation_failed").await;
        assert_eq!(message, "Unsupported verification type");
    }
}

#[tokio::test]
async fn fields_of_another_type_and_broken_bodies_are_bad_json() {
    let app = TestApp::start().await;
    for body in [
        json!({ "type": 1, "token": "123456", "email": "ada@example.com" }),
        json!({ "type": "signup", "token": 123_456, "email": "ada@example.com" }),
        json!({ "type": "signup", "token": "123456", "email": ["ada@example.com"] }),
        json!({ "type": "signup", "token_hash": {} }),
        json!({ "type": "signup", "token_hash": "\u{0}" }),
        json!({ "type": "sign\u{0}up", "token": "123456", "email": "ad\u{0}a@example.com" }),
        json!([]),
        json!("signup"),
    ] {
        refusal(&app, &body, 400, "bad_json").await;
    }
    for body in [
        "",
        "{",
        r#"{"type":"signup","#,
        "type=signup&token=1",
        "\u{0}",
    ] {
        for header in [("content-type", "application/json"), API_VERSION_2024] {
            let request = app.client.post("/verify").header(header.0, header.1);
            let answer = request.body(body.to_owned()).send().await;
            assert_eq!(answer.status(), 400, "{body}");
            assert_eq!(answer.header("x-sb-error-code"), Some("bad_json"), "{body}");
        }
    }
    // `null` counts as an empty object.
    refusal(&app, &json!(null), 400, "validation_failed").await;
}

#[tokio::test]
async fn oversize_and_odd_secrets_are_just_wrong() {
    let app = TestApp::with(without_pauses).await;
    let mail = app.mail_of_signup("ada@example.com").await;
    let long = "7".repeat(500_000);
    for odd in [
        long.as_str(),
        "\u{1}\r\n",
        "٣٣٣٣٣٣",
        "-1",
        " ",
        "' or true --",
    ] {
        app.verify_link("signup", odd)
            .await
            .refused(403, "otp_expired");
        app.verify_code("recovery", "ada@example.com", odd)
            .await
            .refused(403, "otp_expired");
        let target = format!(
            "/verify?type=signup&token={}",
            encode(odd.get(..30).unwrap_or(odd))
        );
        app.get(&target).await.sent_back_with("otp_expired");
    }
    let body = json!({ "type": "signup", "token_hash": "7".repeat(1_100_000) });
    app.post("/verify", body)
        .await
        .refused(413, "request_entity_too_large");
    app.verify_link("signup", &mail.token()).await.ok();
}

#[tokio::test]
async fn a_code_with_blanks_or_in_part_is_not_the_code() {
    let app = TestApp::start().await;
    let mail = app.mail_of_signup("ada@example.com").await;
    let code = mail.code();
    for near in [format!(" {code}"), format!("{code} "), code[1..].to_owned()] {
        app.verify_code("signup", "ada@example.com", &near)
            .await
            .refused(403, "otp_expired");
    }
    app.verify_code("signup", "ada@example.com", &code)
        .await
        .ok();
}

#[tokio::test]
async fn other_methods_are_not_allowed() {
    let app = TestApp::start().await;
    let answer = app
        .send(Method::PUT, "/verify", &[], Some(&json!({})))
        .await;
    assert_eq!(answer.header("allow"), Some("GET, HEAD, POST"));
    answer.failed(405);
}

fn encode(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
