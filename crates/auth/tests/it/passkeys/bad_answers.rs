//! Damaged answers of authenticators at a sign-in.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::{EMAIL, both_profiles, owner, sign_in, sign_in_options, std_app, verify};
use crate::support::authenticator::encode;

#[tokio::test]
async fn damaged_members_are_refused() {
    for app in both_profiles().await {
        let mut ada = owner(&app, EMAIL).await;
        let values = [
            json!(null),
            json!(7),
            json!(""),
            json!("***"),
            json!("AA"),
            json!({}),
            json!("A".repeat(50_000)),
        ];
        let members = [
            "/type",
            "/response",
            "/response/authenticatorData",
            "/response/clientDataJSON",
            "/response/signature",
        ];
        for member in members {
            for value in &values {
                let started = sign_in_options(&app).await;
                let mut credential = ada.authenticator.get(&started["options"]);
                *credential.pointer_mut(member).unwrap() = value.clone();
                verify(&app, &started, &credential)
                    .await
                    .refused(400, "webauthn_verification_failed");
            }
        }
        sign_in(&app, &mut ada.authenticator).await.ok();
    }
}

#[tokio::test]
async fn truncated_and_changed_bytes_are_refused() {
    let app = std_app(|_| {}).await;
    let mut ada = owner(&app, EMAIL).await;
    for member in [
        "/response/authenticatorData",
        "/response/clientDataJSON",
        "/response/signature",
    ] {
        for change in 0..4 {
            let started = sign_in_options(&app).await;
            let mut credential = ada.authenticator.get(&started["options"]);
            let text = credential.pointer(member).and_then(Value::as_str).unwrap();
            let mut bytes = URL_SAFE_NO_PAD.decode(text).unwrap();
            match change {
                0 => bytes.truncate(bytes.len() / 2),
                1 => bytes.truncate(bytes.len() - 1),
                2 => bytes.push(0),
                _ => bytes[20] ^= 1,
            }
            *credential.pointer_mut(member).unwrap() = json!(encode(&bytes));
            verify(&app, &started, &credential)
                .await
                .refused(400, "webauthn_verification_failed");
        }
    }
}
