//! What answers tell about the numbers of other people.

use serde_json::{Value, json};

use super::{PASSWORD, PHONE, count, gotrue_app, signed_in, std_app, verify};
use crate::support::sms::{Protocol, SmsProvider};
use crate::support::tokens::text;
use crate::support::{Answer, redacted};

const UNKNOWN: &str = "4917";

/// Returns an answer without what differs between two answers of any kind.
fn shape(answer: &Answer, phone: &str) -> (u16, Value) {
    let text = answer.body.to_string().replace(phone, "[phone]");
    let body: Value = serde_json::from_str(&text).unwrap();
    (answer.status, redacted(&body))
}

/// Returns the body of a request about a number.
type BodyOf = fn(&str) -> Value;

#[tokio::test]
async fn std_answers_alike_for_numbers_with_and_without_an_account() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |_| {}).await;
    signed_in(&app, &provider, PHONE).await;
    app.advance(3600);
    let requests: [(&str, BodyOf); 5] = [
        (
            "/signup",
            |phone| json!({ "phone": phone, "password": PASSWORD, "data": { "name": "Ada" } }),
        ),
        (
            "/otp",
            |phone| json!({ "phone": phone, "create_user": false }),
        ),
        ("/otp", |phone| json!({ "phone": phone })),
        ("/resend", |phone| json!({ "type": "sms", "phone": phone })),
        (
            "/resend",
            |phone| json!({ "type": "phone_change", "phone": phone }),
        ),
    ];
    for (index, (target, body)) in requests.into_iter().enumerate() {
        let mut shapes = Vec::new();
        for phone in [PHONE, &format!("49170{index}")] {
            // Once, and again within the interval.
            for _ in 0..2 {
                let answer = app.post_versioned(target, body(phone)).await;
                shapes.push(shape(&answer, phone));
            }
        }
        assert_eq!(shapes[..2], shapes[2..], "{target}");
        app.advance(3600);
    }
    for phone in [PHONE, UNKNOWN] {
        let wrong = json!({ "phone": phone, "password": "wrong horse" });
        app.post("/token?grant_type=password", wrong)
            .await
            .refused(400, "invalid_credentials");
        verify(&app, "sms", phone, "000000")
            .await
            .refused(403, "otp_expired");
    }
    let other = app.signed_up("eve@example.com", PASSWORD).await;
    let eve = text(&other, "access_token");
    let mut shapes = Vec::new();
    for phone in [PHONE, "4918"] {
        let before = provider.count();
        let answer = app.put_as(&eve, "/user", json!({ "phone": phone })).await;
        shapes.push(shape(&answer, phone));
        app.advance(61);
        let is_taken = phone == PHONE;
        if !is_taken {
            provider.wait_for(before + 1).await;
        }
    }
    assert_eq!(shapes[0], shapes[1]);
}

#[tokio::test]
async fn a_taken_number_gets_no_message_and_cannot_be_taken_over() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |_| {}).await;
    signed_in(&app, &provider, PHONE).await;
    app.advance(61);
    let signup = json!({ "phone": PHONE, "password": "stolen horse" });
    let decoy = app.post("/signup", signup).await.ok();
    assert_eq!(decoy["phone"], PHONE);
    let session = app.signed_up("eve@example.com", PASSWORD).await;
    let eve = text(&session, "access_token");
    let user = app
        .put_as(&eve, "/user", json!({ "phone": PHONE }))
        .await
        .ok();
    assert_eq!(user["new_phone"], PHONE);
    app.advance(61);
    let resend = json!({ "type": "phone_change", "phone": PHONE });
    app.post("/resend", resend).await.ok();
    assert_eq!(provider.count(), 1);
    let stolen = json!({ "phone": PHONE, "password": "stolen horse" });
    app.post("/token?grant_type=password", stolen)
        .await
        .refused(400, "invalid_credentials");
}

#[tokio::test]
async fn gotrue_tells_what_gotrue_tells() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = gotrue_app(&provider, |_| {}).await;
    signed_in(&app, &provider, PHONE).await;
    let body = json!({ "phone": UNKNOWN, "create_user": false });
    let refused = app.post("/otp", body).await.refused(422, "otp_disabled");
    assert_eq!(refused["msg"], "Signups not allowed for otp");
    let signup = json!({ "phone": PHONE, "password": PASSWORD });
    app.advance(61);
    let decoy = app.post("/signup", signup).await.ok();
    assert_eq!(
        (&decoy["identities"], &decoy["role"], &decoy["phone"]),
        (&json!([]), &json!(""), &json!(PHONE))
    );
    let session = app.signed_up("eve@example.com", PASSWORD).await;
    let eve = text(&session, "access_token");
    app.put_as(&eve, "/user", json!({ "phone": PHONE }))
        .await
        .refused(422, "phone_exists");
    let body = json!({ "type": "sms", "phone": UNKNOWN });
    assert_eq!(app.post("/resend", body).await.ok(), json!({}));
    assert_eq!(provider.count(), 1);
}

#[tokio::test]
async fn a_number_that_nobody_has_is_not_signed_up_with_create_user() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |_| {}).await;
    for create_user in [true, false] {
        let body = json!({ "phone": PHONE, "create_user": create_user });
        let answer = app.post("/otp", body).await;
        assert_eq!((answer.status, answer.text.as_str()), (200, "{}"));
        app.advance(61);
    }
    assert_eq!(count(&app, "select count(*) from users").await, 0);
    assert_eq!(provider.count(), 0);
    // Official clients mean the opposite.
    let body = json!({ "phone": PHONE, "create_user": true });
    app.post_versioned("/otp", body).await.ok();
    assert_eq!(provider.next().await.to, PHONE);
    assert_eq!(count(&app, "select count(*) from users").await, 1);
}

#[tokio::test]
async fn closed_sign_ups_are_closed_to_numbers_too() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = std_app(&provider, |config| config.disable_signup = true).await;
    let body = json!({ "phone": PHONE, "password": PASSWORD });
    app.post("/signup", body)
        .await
        .refused(422, "signup_disabled");
    app.post("/otp", json!({ "phone": PHONE })).await.ok();
    assert_eq!(count(&app, "select count(*) from users").await, 0);
    assert_eq!(provider.count(), 0);
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = gotrue_app(&provider, |config| config.disable_signup = true).await;
    app.post("/otp", json!({ "phone": PHONE }))
        .await
        .refused(422, "signup_disabled");
    assert_eq!(provider.count(), 0);
}
