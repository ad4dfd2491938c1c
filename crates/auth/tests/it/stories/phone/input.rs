//! Phone numbers in every wrong form.

use serde_json::{Value, json};

use super::{PASSWORD, both_profiles, count, signed_in};
use crate::support::tokens::text;

const WRONG: [&str; 22] = [
    "1",
    "+",
    " ",
    "+ ",
    "0",
    "030 1234567",
    "+030123",
    "0049 30 1234567",
    "1234567890123456",
    "+49-30-1234567",
    "+49.30.1234567",
    "+49 (30) 1234567",
    "+49/30",
    "49+30",
    "++4930",
    "4930+",
    "tel:+4930",
    "ada@example.com",
    "４９３０１２",
    "49\u{a0}30",
    "49\n30",
    "49\t30",
];

#[tokio::test]
async fn a_number_in_a_wrong_form_is_told_so_and_creates_nothing() {
    for (app, provider) in both_profiles().await {
        let session = signed_in(&app, &provider, "4930").await;
        let token = text(&session, "access_token");
        for wrong in WRONG {
            let requests = [
                ("/signup", json!({ "phone": wrong, "password": PASSWORD })),
                ("/otp", json!({ "phone": wrong })),
                ("/resend", json!({ "type": "sms", "phone": wrong })),
                ("/resend", json!({ "type": "phone_change", "phone": wrong })),
                (
                    "/verify",
                    json!({ "type": "sms", "phone": wrong, "token": "123456" }),
                ),
            ];
            let mut answers = Vec::new();
            for (target, body) in requests {
                answers.push(app.post(target, body).await);
            }
            answers.push(app.put_as(&token, "/user", json!({ "phone": wrong })).await);
            for answer in answers {
                let body = answer.refused(400, "validation_failed");
                let message = "Invalid phone number format (E.164 required)";
                assert_eq!(body["msg"], message, "{wrong:?}");
            }
        }
        assert_eq!(provider.count(), 1);
        assert_eq!(count(&app, "select count(*) from users").await, 1);
    }
}

#[tokio::test]
async fn other_types_than_text_are_not_numbers() {
    for (app, provider) in both_profiles().await {
        for wrong in [
            json!(4930),
            json!(true),
            json!(["4930"]),
            json!({ "e164": "4930" }),
        ] {
            for (target, body) in [
                ("/signup", json!({ "phone": wrong, "password": PASSWORD })),
                ("/otp", json!({ "phone": wrong })),
                ("/otp", json!({ "phone": "4930", "channel": wrong })),
                (
                    "/verify",
                    json!({ "type": "sms", "phone": wrong, "token": "1" }),
                ),
            ] {
                app.post(target, body).await.refused(400, "bad_json");
            }
        }
        assert_eq!(provider.count(), 0);
        assert_eq!(count(&app, "select count(*) from users").await, 0);
    }
}

#[tokio::test]
async fn a_number_takes_the_place_of_an_address_and_not_more() {
    for (app, provider) in both_profiles().await {
        let both = |more: Value| {
            let mut body = json!({ "email": "ada@example.com", "phone": "4930" });
            body.as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            body
        };
        for (target, body) in [
            ("/signup", both(json!({ "password": PASSWORD }))),
            ("/otp", both(json!({}))),
            (
                "/token?grant_type=password",
                both(json!({ "password": PASSWORD })),
            ),
            ("/verify", both(json!({ "type": "sms", "token": "123456" }))),
            ("/resend", both(json!({ "type": "sms" }))),
        ] {
            app.post(target, body)
                .await
                .refused(400, "validation_failed");
        }
        let challenge = json!({
            "phone": "4930", "password": PASSWORD, "code_challenge_method": "plain",
            "code_challenge": "a".repeat(43),
        });
        app.post("/signup", challenge)
            .await
            .refused(400, "validation_failed");
        let weak = json!({ "phone": "4930", "password": "short" });
        app.post("/signup", weak)
            .await
            .refused(422, "weak_password");
        assert_eq!(provider.count(), 0);
        assert_eq!(count(&app, "select count(*) from users").await, 0);
    }
}

#[tokio::test]
async fn a_password_may_not_be_the_number() {
    let [(app, _), _] = both_profiles().await;
    let body = json!({ "phone": "+49301234567", "password": "49301234567" });
    app.post("/signup", body)
        .await
        .refused(422, "weak_password");
}
