//! How many passkeys a user may have, and how often one may be requested.

use serde_json::json;

use super::{EMAIL, PASSWORD, add_passkey, register, registration_options, std_app};
use crate::support::authenticator::Authenticator;
use crate::support::captcha::CaptchaService;
use crate::support::tokens::text;

#[tokio::test]
async fn a_user_has_a_maximum_of_passkeys() {
    let app = std_app(|config| config.webauthn.max_passkeys = 2).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let token = text(&session, "access_token");
    // Begun while there was room.
    let early = registration_options(&app, &token).await.ok();
    for _ in 0..2 {
        add_passkey(&app, &token, &mut Authenticator::new())
            .await
            .ok();
    }
    registration_options(&app, &token)
        .await
        .refused(422, "too_many_passkeys");
    let credential = Authenticator::new().create(&early["options"]);
    register(&app, &token, &early, &credential)
        .await
        .refused(422, "too_many_passkeys");
}

#[tokio::test]
async fn registrations_at_the_same_time_do_not_exceed_the_maximum() {
    let app = std_app(|config| config.webauthn.max_passkeys = 1).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let token = text(&session, "access_token");
    let mut started = Vec::new();
    for _ in 0..4 {
        let options = registration_options(&app, &token).await.ok();
        let credential = Authenticator::new().create(&options["options"]);
        started.push((options, credential));
    }
    let all = started
        .iter()
        .map(|(options, credential)| register(&app, &token, options, credential));
    let all = futures_util::future::join_all(all).await;
    let added = all.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(added, 1);
}

#[tokio::test]
async fn challenges_for_everybody_are_limited_by_address() {
    let app = std_app(|config| config.rate_limit.passkey = 2.0).await;
    let target = "/passkeys/authentication/options";
    for _ in 0..2 {
        app.post(target, json!({})).await.ok();
    }
    app.post(target, json!({}))
        .await
        .refused(429, "over_request_rate_limit");
}

#[tokio::test]
async fn challenges_for_everybody_need_a_captcha_if_there_is_one() {
    let service = CaptchaService::start();
    let app = std_app(|config| {
        service.configure(config, innkeeper_auth::config::CaptchaProvider::Hcaptcha);
    })
    .await;
    let target = "/passkeys/authentication/options";
    app.post(target, json!({}))
        .await
        .refused(400, "captcha_failed");
}
