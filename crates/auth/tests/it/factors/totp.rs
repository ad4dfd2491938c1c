//! Authenticator apps, from the QR code to the removal.

use serde_json::json;

use super::{
    EMAIL, PASSWORD, answer, both_profiles, challenge, claims_of, code_in, enrol, factor_actions,
    gotrue_app, low_session, protected, std_app, verify, wrong_code,
};
use crate::support::tokens::text;

#[tokio::test]
async fn an_app_is_added_by_its_qr_code_and_first_code() {
    for app in both_profiles().await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        let answered = enrol(&app, &token, "My phone").await;
        assert_eq!(answered.header("cache-control"), Some("no-store"));
        let enrolled = answered.ok();
        assert_eq!(enrolled["type"], "totp");
        assert_eq!(enrolled["friendly_name"], "My phone");
        let (secret, uri) = (
            text(&enrolled["totp"], "secret"),
            text(&enrolled["totp"], "uri"),
        );
        assert_eq!(secret.len(), 32);
        assert!(uri.starts_with("otpauth://totp/localhost:ada@example.com?"));
        assert!(uri.contains(&format!("secret={secret}")));
        let image = text(&enrolled["totp"], "qr_code");
        assert!(image.starts_with("<svg ") && !image.contains('#'));

        let user = app.get_as(&token, "/user").await.ok();
        let listed = &user["factors"][0];
        assert_eq!(listed["id"], enrolled["id"]);
        assert_eq!(listed["status"], "unverified");
        assert_eq!(listed["phone"], "");
        assert!(listed.get("secret").is_none(), "{listed}");

        let factor = text(&enrolled, "id");
        let target = format!("/factors/{factor}/challenge");
        let opened = app.post_as(&token, &target, json!({})).await.ok();
        assert_eq!(opened["type"], "totp");
        let end = app.clock.now().as_second() + 300;
        assert_eq!(opened["expires_at"], end);
        let code = code_in(&app, &secret, 0);
        let raised = verify(&app, &token, &factor, &text(&opened, "id"), &code).await;
        assert_eq!(raised.header("cache-control"), Some("no-store"));
        let raised = raised.ok();
        assert_eq!(raised["token_type"], "bearer");
        assert_eq!(raised["user"]["factors"][0]["status"], "verified");
        let claims = claims_of(&raised);
        assert_eq!(claims["aal"], "aal2");
        assert_eq!(claims["session_id"], claims_of(&session)["session_id"]);
        assert_eq!(
            factor_actions(&app).await,
            [
                "factor_in_progress",
                "challenge_created",
                "verification_attempted"
            ]
        );
    }
}

#[tokio::test]
async fn a_challenge_needs_no_body() {
    let app = std_app(|_| {}).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let token = text(&session, "access_token");
    let factor = text(&enrol(&app, &token, "").await.ok(), "id");
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str())];
    let target = format!("/factors/{factor}/challenge");
    let opened = app.send(http::Method::POST, &target, &headers, None).await;
    opened.ok();
}

#[tokio::test]
async fn the_issuer_is_that_of_the_request() {
    let app = std_app(|_| {}).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let token = text(&session, "access_token");
    let body = json!({ "factor_type": "totp", "issuer": "My Shop" });
    let enrolled = app.post_as(&token, "/factors", body).await.ok();
    let uri = text(&enrolled["totp"], "uri");
    assert!(uri.contains("issuer=My%20Shop"), "{uri}");
    assert_eq!(enrolled["friendly_name"], "");
    let body = json!({ "factor_type": "totp", "friendly_name": "x", "issuer": "x".repeat(256) });
    app.post_as(&token, "/factors", body)
        .await
        .refused(400, "validation_failed");
}

/// Accounts without an address have a QR code, too.
#[tokio::test]
async fn an_account_without_an_address_is_named_by_its_number() {
    let app = std_app(|config| {
        config.external.phone_enabled = true;
        config.sms.autoconfirm = true;
    })
    .await;
    let body = json!({ "phone": "+49301234567", "password": PASSWORD });
    let session = app.post("/signup", body).await.ok();
    let enrolled = enrol(&app, &text(&session, "access_token"), "app").await;
    let uri = enrolled.text_at("/totp/uri");
    assert!(uri.contains(":49301234567?"), "{uri}");
}

#[tokio::test]
async fn a_code_is_accepted_once() {
    for app in both_profiles().await {
        let ada = protected(&app, EMAIL).await;
        let code = code_in(&app, &ada.secret, 0);
        let first = text(&low_session(&app, EMAIL).await, "access_token");
        let second = text(&low_session(&app, EMAIL).await, "access_token");
        let (one, two) = (
            challenge(&app, &first, &ada.factor).await,
            challenge(&app, &ada.token, &ada.factor).await,
        );
        verify(&app, &first, &ada.factor, &one, &code).await.ok();
        // The other session has ended, and the code is used up in every session.
        verify(&app, &second, &ada.factor, &one, &code)
            .await
            .refused(403, "session_not_found");
        let again = verify(&app, &ada.token, &ada.factor, &two, &code).await;
        let again = again.refused(422, "mfa_verification_failed");
        assert_eq!(again["msg"], "Invalid TOTP code entered");
        // Neither does the code of the step before work any more, but that of the next one does.
        let before = code_in(&app, &ada.secret, -1);
        verify(&app, &ada.token, &ada.factor, &two, &before)
            .await
            .refused(422, "mfa_verification_failed");
        let next = code_in(&app, &ada.secret, 1);
        verify(&app, &ada.token, &ada.factor, &two, &next)
            .await
            .ok();
    }
}

#[tokio::test]
async fn of_many_requests_with_one_code_one_succeeds() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let code = code_in(&app, &ada.secret, 0);
    let mut opened = Vec::new();
    for _ in 0..4 {
        opened.push(challenge(&app, &ada.token, &ada.factor).await);
    }
    let requests = opened
        .iter()
        .map(|opened| verify(&app, &ada.token, &ada.factor, opened, &code));
    let answers = futures_util::future::join_all(requests).await;
    let succeeded = answers.iter().filter(|it| it.status == 200).count();
    assert_eq!(succeeded, 1);
}

#[tokio::test]
async fn clocks_may_differ_by_a_step() {
    let app = std_app(|_| {}).await;
    for (number, (steps, is_accepted)) in [(-2, false), (-1, true), (1, true), (2, false)]
        .into_iter()
        .enumerate()
    {
        let email = format!("ada{number}@example.com");
        let session = app.signed_up(&email, PASSWORD).await;
        let token = text(&session, "access_token");
        let enrolled = enrol(&app, &token, "app").await.ok();
        let code = code_in(&app, &text(&enrolled["totp"], "secret"), steps);
        let answered = answer(&app, &token, &text(&enrolled, "id"), &code).await;
        assert_eq!(answered.status == 200, is_accepted, "{steps}");
    }
}

#[tokio::test]
async fn a_challenge_is_answered_in_time_and_once() {
    for app in both_profiles().await {
        let ada = protected(&app, EMAIL).await;
        let opened = challenge(&app, &ada.token, &ada.factor).await;
        app.advance(301);
        let code = code_in(&app, &ada.secret, 0);
        verify(&app, &ada.token, &ada.factor, &opened, &code)
            .await
            .refused(422, "mfa_challenge_expired");
        let opened = challenge(&app, &ada.token, &ada.factor).await;
        app.advance(299);
        let code = code_in(&app, &ada.secret, 0);
        verify(&app, &ada.token, &ada.factor, &opened, &code)
            .await
            .ok();
        let next = code_in(&app, &ada.secret, 1);
        verify(&app, &ada.token, &ada.factor, &opened, &next)
            .await
            .refused(422, "mfa_ip_address_mismatch");
    }
}

/// As in GoTrue; std lets phones change between networks.
#[tokio::test]
async fn a_challenge_is_bound_to_its_address_in_gotrue() {
    for (app, is_bound) in [
        (std_app(|_| {}).await, false),
        (gotrue_app(|_| {}).await, true),
    ] {
        let ada = protected(&app, EMAIL).await;
        let opened = challenge(&app, &ada.token, &ada.factor).await;
        let sql = app.sql().await;
        sql.execute("update mfa_challenges set ip_address = '10.1.2.3'", &[])
            .await
            .unwrap();
        let code = code_in(&app, &ada.secret, 0);
        let answered = verify(&app, &ada.token, &ada.factor, &opened, &code).await;
        if is_bound {
            answered.refused(422, "mfa_ip_address_mismatch");
        } else {
            answered.ok();
        }
    }
}

#[tokio::test]
async fn names_are_unique_and_factors_are_limited() {
    for app in both_profiles().await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        enrol(&app, &token, "one").await.ok();
        let again = enrol(&app, &token, "one").await;
        again.refused(422, "mfa_factor_name_conflict");
        enrol(&app, &token, "").await.ok();
        let unnamed = enrol(&app, &token, "").await;
        unnamed.refused(422, "mfa_factor_name_conflict");
        for number in 2..10 {
            enrol(&app, &token, &number.to_string()).await.ok();
        }
        enrol(&app, &token, "eleventh")
            .await
            .refused(422, "too_many_enrolled_mfa_factors");
        // Factors that were never challenged make room after five minutes.
        app.advance(301);
        enrol(&app, &token, "eleventh").await.ok();
        let user = app.get_as(&token, "/user").await.ok();
        assert_eq!(user["factors"].as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn requests_at_the_same_time_cannot_exceed_the_limit() {
    let app = std_app(|config| config.mfa.max_enrolled = 2).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let token = text(&session, "access_token");
    let names: Vec<String> = (0..6).map(|number| number.to_string()).collect();
    let requests = names.iter().map(|name| enrol(&app, &token, name));
    let answers = futures_util::future::join_all(requests).await;
    assert_eq!(answers.iter().filter(|it| it.status == 200).count(), 2);
}

#[tokio::test]
async fn the_first_verified_app_ends_unverified_ones() {
    let app = std_app(|_| {}).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let token = text(&session, "access_token");
    enrol(&app, &token, "forgotten").await.ok();
    let kept = enrol(&app, &token, "kept").await.ok();
    let code = code_in(&app, &text(&kept["totp"], "secret"), 0);
    let raised = answer(&app, &token, &text(&kept, "id"), &code).await.ok();
    assert_eq!(raised["user"]["factors"].as_array().unwrap().len(), 1);
    let user = app.get_as(&token, "/user").await.ok();
    assert_eq!(user["factors"].as_array().unwrap().len(), 1);
    assert_eq!(user["factors"][0]["friendly_name"], "kept");
}

#[tokio::test]
async fn types_are_switched_on_and_off() {
    let app = std_app(|config| {
        config.mfa.totp.enroll = false;
        config.mfa.phone.enroll = false;
    })
    .await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let token = text(&session, "access_token");
    for (kind, code) in [
        ("totp", "mfa_totp_enroll_not_enabled"),
        ("phone", "mfa_phone_enroll_not_enabled"),
        ("webauthn", "mfa_webauthn_enroll_not_enabled"),
    ] {
        let body = json!({ "factor_type": kind, "phone": "+49301234567" });
        app.post_as(&token, "/factors", body)
            .await
            .refused(422, code);
    }
    let app = std_app(|config| config.mfa.totp.verify = false).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let token = text(&session, "access_token");
    let factor = text(&enrol(&app, &token, "app").await.ok(), "id");
    for way in ["challenge", "verify"] {
        let target = format!("/factors/{factor}/{way}");
        app.post_as(&token, &target, json!({ "code": "123456" }))
            .await
            .refused(422, "mfa_totp_verify_not_enabled");
    }
}

#[tokio::test]
async fn a_wrong_code_raises_nothing() {
    for app in both_profiles().await {
        let ada = protected(&app, EMAIL).await;
        let low = low_session(&app, EMAIL).await;
        let token = text(&low, "access_token");
        let wrong = wrong_code(&app, &ada.secret);
        let refused = answer(&app, &token, &ada.factor, &wrong).await;
        refused.refused(422, "mfa_verification_failed");
        let renewed = app.refresh(&text(&low, "refresh_token")).await.ok();
        assert_eq!(claims_of(&renewed)["aal"], "aal1");
    }
}

#[tokio::test]
async fn an_app_is_removed_by_a_session_that_used_it() {
    for app in both_profiles().await {
        let ada = protected(&app, EMAIL).await;
        let low = text(&low_session(&app, EMAIL).await, "access_token");
        let target = format!("/factors/{}", ada.factor);
        app.delete_as(&low, &target, None)
            .await
            .refused(422, "insufficient_aal");
        let removed = app.delete_as(&ada.token, &target, None).await.ok();
        assert_eq!(removed, json!({ "id": ada.factor }));
        let user = app.get_as(&ada.token, "/user").await.ok();
        assert!(user.get("factors").is_none(), "{user}");
        // The session falls back to the first level.
        let renewed = app.refresh(&text(&ada.session, "refresh_token")).await;
        let renewed = renewed.ok();
        assert_eq!(claims_of(&renewed)["aal"], "aal1");
        assert_eq!(super::methods_of(&renewed), ["password"]);
        app.delete_as(&ada.token, &target, None)
            .await
            .refused(404, "mfa_factor_not_found");
        let actions = factor_actions(&app).await;
        assert_eq!(actions.last().unwrap(), "factor_unenrolled");
    }
}

#[tokio::test]
async fn an_app_that_was_never_verified_can_be_removed_by_anybody_signed_in() {
    let app = std_app(|_| {}).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let token = text(&session, "access_token");
    let factor = text(&enrol(&app, &token, "app").await.ok(), "id");
    let target = format!("/factors/{factor}");
    app.delete_as(&token, &target, None).await.ok();
}

#[tokio::test]
async fn unverified_apps_of_others_stay() {
    let app = std_app(|_| {}).await;
    let eve = app.signed_up("eve@example.com", PASSWORD).await;
    let token = text(&eve, "access_token");
    let begun = enrol(&app, &token, "app").await.ok();
    protected(&app, EMAIL).await;
    let code = code_in(&app, &text(&begun["totp"], "secret"), 0);
    answer(&app, &token, &text(&begun, "id"), &code).await.ok();
}

/// Whoever has opened the app a while ago and types its code now is not sent back to the start.
#[tokio::test]
async fn a_factor_that_was_challenged_makes_no_room() {
    let app = std_app(|_| {}).await;
    let session = app.signed_up(EMAIL, PASSWORD).await;
    let token = text(&session, "access_token");
    let begun = text(&enrol(&app, &token, "begun").await.ok(), "id");
    challenge(&app, &token, &begun).await;
    app.advance(301);
    enrol(&app, &token, "next").await.ok();
    let user = app.get_as(&token, "/user").await.ok();
    assert_eq!(user["factors"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_challenge_is_answered_by_the_factor_that_it_is_for() {
    for app in both_profiles().await {
        let ada = protected(&app, EMAIL).await;
        let other = enrol(&app, &ada.token, "other").await.ok();
        let opened = challenge(&app, &ada.token, &ada.factor).await;
        let code = code_in(&app, &text(&other["totp"], "secret"), 0);
        verify(&app, &ada.token, &text(&other, "id"), &opened, &code)
            .await
            .refused(422, "mfa_factor_not_found");
    }
}

/// Sessions that were raised with another factor keep their level.
#[tokio::test]
async fn removing_an_app_lowers_only_the_sessions_that_used_it() {
    for app in both_profiles().await {
        let ada = protected(&app, EMAIL).await;
        let second = enrol(&app, &ada.token, "second").await.ok();
        let secret = text(&second["totp"], "secret");
        let factor = text(&second, "id");
        let code = code_in(&app, &secret, 0);
        answer(&app, &ada.token, &factor, &code).await.ok();
        let low = text(&low_session(&app, EMAIL).await, "access_token");
        let code = code_in(&app, &ada.secret, 0);
        let other = answer(&app, &low, &ada.factor, &code).await.ok();
        let target = format!("/factors/{factor}");
        app.delete_as(&ada.token, &target, None).await.ok();
        let renewed = app.refresh(&text(&other, "refresh_token")).await.ok();
        assert_eq!(claims_of(&renewed)["aal"], "aal2");
        assert_eq!(super::methods_of(&renewed), ["totp", "password"]);
        let sql = app.sql().await;
        let query = "select aal::text from sessions order by 1";
        let rows = sql.query(query, &[]).await.unwrap();
        let levels: Vec<&str> = rows.iter().map(|row| row.get(0)).collect();
        assert_eq!(levels, ["aal1", "aal2"]);
    }
}
