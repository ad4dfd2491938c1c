//! Recovery codes: ten, shown once, each used once.

use serde_json::{Value, json};

use super::{
    EMAIL, PASSWORD, answer, claims_of, code_in, enrol, factor_actions, gotrue_app, low_session,
    methods_of, protected, std_app,
};
use crate::support::tokens::text;
use crate::support::{Answer, TestApp};

const CODES: &str = "/factors/recovery-codes";

async fn make(app: &TestApp, token: &str) -> Vec<String> {
    let made = app.post_as(token, CODES, json!({})).await.ok();
    codes_in(&made)
}

fn codes_in(made: &Value) -> Vec<String> {
    let codes = made["codes"].as_array().unwrap();
    codes
        .iter()
        .map(|code| code.as_str().unwrap().to_owned())
        .collect()
}

async fn use_code(app: &TestApp, token: &str, code: &str) -> Answer {
    let target = format!("{CODES}/verify");
    app.post_as(token, &target, json!({ "code": code })).await
}

#[tokio::test]
async fn a_code_stands_in_for_the_factor_once() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let made = app.post_as(&ada.token, CODES, json!({})).await;
    assert_eq!(made.header("cache-control"), Some("no-store"));
    let made = made.ok();
    assert_eq!(made["type"], "recovery_code");
    assert_eq!(made["total"], 10);
    let codes = codes_in(&made);
    assert_eq!(codes.len(), 10);

    let low = low_session(&app, EMAIL).await;
    let other = low_session(&app, EMAIL).await;
    let token = text(&low, "access_token");
    // As people type it.
    let typed = format!("{}-{}", &codes[3][..8], &codes[3][8..]).to_uppercase();
    let raised = use_code(&app, &token, &typed).await;
    assert_eq!(raised.header("cache-control"), Some("no-store"));
    let raised = raised.ok();
    assert_eq!(claims_of(&raised)["aal"], "aal2");
    assert_eq!(methods_of(&raised), ["mfa/recovery_code", "password"]);
    let renewed = app.refresh(&text(&raised, "refresh_token")).await.ok();
    assert_eq!(claims_of(&renewed)["aal"], "aal2");
    // As after every second factor, sessions without one have ended.
    app.get_as(&text(&other, "access_token"), "/user")
        .await
        .refused(403, "session_not_found");
    let again = use_code(&app, &ada.token, &codes[3]).await;
    again.refused(422, "mfa_verification_failed");
    let status = app.get_as(&ada.token, CODES).await.ok();
    let expected = json!({ "id": made["id"], "total": 10, "remaining": 9 });
    assert_eq!(status, expected);
}

#[tokio::test]
async fn of_many_requests_with_one_code_one_succeeds() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let codes = make(&app, &ada.token).await;
    let requests = (0..4).map(|_| use_code(&app, &ada.token, &codes[0]));
    let answers = futures_util::future::join_all(requests).await;
    let succeeded = answers.iter().filter(|it| it.status == 200).count();
    assert_eq!(succeeded, 1);
}

#[tokio::test]
async fn codes_are_not_in_the_database() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let codes = make(&app, &ada.token).await;
    let sql = app.sql().await;
    let query = "select r::text from innkeeper_recovery_codes r";
    for row in sql.query(query, &[]).await.unwrap() {
        let row: String = row.get(0);
        assert!(!codes.iter().any(|code| row.contains(code)), "{row}");
    }
}

#[tokio::test]
async fn only_the_second_level_makes_and_deletes_codes() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let low = text(&low_session(&app, EMAIL).await, "access_token");
    let again = format!("{CODES}/regenerate");
    app.post_as(&ada.token, &again, json!({}))
        .await
        .refused(404, "mfa_factor_not_found");
    for target in [CODES, again.as_str()] {
        app.post_as(&low, target, json!({}))
            .await
            .refused(403, "insufficient_aal");
    }
    app.delete_as(&low, CODES, None)
        .await
        .refused(403, "insufficient_aal");
    let none = app.get_as(&low, CODES).await.ok();
    assert_eq!(none, json!({ "id": null, "total": 0, "remaining": 0 }));
    // Somebody without a factor has no second level.
    let eve = app.signed_up("eve@example.com", PASSWORD).await;
    app.post_as(&text(&eve, "access_token"), CODES, json!({}))
        .await
        .refused(403, "insufficient_aal");
}

#[tokio::test]
async fn new_codes_take_the_place_of_the_former_ones() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let former = make(&app, &ada.token).await;
    app.post_as(&ada.token, CODES, json!({}))
        .await
        .refused(422, "mfa_verified_factor_exists");
    let target = format!("{CODES}/regenerate");
    let made = app.post_as(&ada.token, &target, json!({})).await.ok();
    let low = text(&low_session(&app, EMAIL).await, "access_token");
    use_code(&app, &low, &former[0])
        .await
        .refused(422, "mfa_verification_failed");
    use_code(&app, &low, &codes_in(&made)[0]).await.ok();
    let actions = factor_actions(&app).await;
    let created = actions.iter().filter(|it| *it == "recovery_codes_created");
    assert_eq!(created.count(), 2);
}

#[tokio::test]
async fn deleted_codes_lower_the_sessions_that_used_them() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let codes = make(&app, &ada.token).await;
    let low = text(&low_session(&app, EMAIL).await, "access_token");
    let raised = use_code(&app, &low, &codes[0]).await.ok();
    let status = app.get_as(&ada.token, CODES).await.ok();
    let deleted = app.delete_as(&ada.token, CODES, None).await.ok();
    assert_eq!(deleted["id"], status["id"]);
    app.delete_as(&ada.token, CODES, None)
        .await
        .refused(404, "mfa_factor_not_found");
    let renewed = app.refresh(&text(&raised, "refresh_token")).await.ok();
    assert_eq!(claims_of(&renewed)["aal"], "aal1");
    let kept = app.refresh(&text(&ada.session, "refresh_token")).await.ok();
    assert_eq!(claims_of(&kept)["aal"], "aal2");
}

#[tokio::test]
async fn codes_go_with_the_last_factor_and_with_the_account() {
    let app = std_app(|_| {}).await;
    let sql = app.sql().await;
    let count = "select count(*) from innkeeper_recovery_codes";
    let ada = protected(&app, EMAIL).await;
    make(&app, &ada.token).await;
    let target = format!("/factors/{}", ada.factor);
    app.delete_as(&ada.token, &target, None).await.ok();
    let left: i64 = sql.query_one(count, &[]).await.unwrap().get(0);
    assert_eq!(left, 0);
    let eve = protected(&app, "eve@example.com").await;
    make(&app, &eve.token).await;
    let user = format!("/admin/users/{}", text(&eve.session["user"], "id"));
    let soft = json!({ "should_soft_delete": true });
    app.delete_as(&app.service_key(), &user, Some(soft))
        .await
        .ok();
    let left: i64 = sql.query_one(count, &[]).await.unwrap().get(0);
    assert_eq!(left, 0);
}

#[tokio::test]
async fn codes_of_others_and_odd_texts_are_wrong() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let eve = protected(&app, "eve@example.com").await;
    let codes = make(&app, &ada.token).await;
    make(&app, &eve.token).await;
    for code in [codes[0].as_str(), "x", &"0".repeat(10_000), "ä ö"] {
        use_code(&app, &eve.token, code)
            .await
            .refused(422, "mfa_verification_failed");
    }
    use_code(&app, &eve.token, "")
        .await
        .refused(400, "validation_failed");
}

/// GoTrue of this schema has no recovery codes.
#[tokio::test]
async fn codes_are_off_in_gotrue() {
    let app = gotrue_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    app.post_as(&ada.token, CODES, json!({}))
        .await
        .refused(422, "mfa_recovery_codes_enroll_not_enabled");
    use_code(&app, &ada.token, "0123456789abcdef")
        .await
        .refused(422, "mfa_recovery_codes_verify_not_enabled");
}

/// The codes stand in for any verified factor, and an unverified one is none.
#[tokio::test]
async fn codes_stay_as_long_as_a_verified_factor_is_left() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    make(&app, &ada.token).await;
    let second = enrol(&app, &ada.token, "second").await.ok();
    let code = code_in(&app, &text(&second["totp"], "secret"), 0);
    let factor = text(&second, "id");
    let raised = answer(&app, &ada.token, &factor, &code).await.ok();
    let token = text(&raised, "access_token");
    let target = format!("/factors/{}", ada.factor);
    app.delete_as(&token, &target, None).await.ok();
    let status = app.get_as(&token, CODES).await.ok();
    assert_eq!(status["remaining"], 10);
    enrol(&app, &token, "begun").await.ok();
    let target = format!("/factors/{factor}");
    app.delete_as(&token, &target, None).await.ok();
    let status = app.get_as(&token, CODES).await.ok();
    assert_eq!(status["remaining"], 0);
}

#[tokio::test]
async fn a_session_that_used_a_factor_after_its_code_keeps_its_level() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let codes = make(&app, &ada.token).await;
    let low = text(&low_session(&app, EMAIL).await, "access_token");
    let raised = use_code(&app, &low, &codes[0]).await.ok();
    let token = text(&raised, "access_token");
    let code = code_in(&app, &ada.secret, 0);
    let raised = answer(&app, &token, &ada.factor, &code).await.ok();
    app.delete_as(&ada.token, CODES, None).await.ok();
    let renewed = app.refresh(&text(&raised, "refresh_token")).await.ok();
    assert_eq!(claims_of(&renewed)["aal"], "aal2");
    assert_eq!(methods_of(&renewed), ["totp", "password"]);
}

#[tokio::test]
async fn making_and_using_codes_are_switched_off_one_by_one() {
    let app = std_app(|config| config.mfa.recovery_codes.verify = false).await;
    let ada = protected(&app, EMAIL).await;
    let codes = make(&app, &ada.token).await;
    use_code(&app, &ada.token, &codes[0])
        .await
        .refused(422, "mfa_recovery_codes_verify_not_enabled");
    let app = std_app(|config| config.mfa.recovery_codes.enroll = false).await;
    let ada = protected(&app, EMAIL).await;
    app.post_as(&ada.token, CODES, json!({}))
        .await
        .refused(422, "mfa_recovery_codes_enroll_not_enabled");
    use_code(&app, &ada.token, "0123456789abcdef")
        .await
        .refused(422, "mfa_verification_failed");
}

#[tokio::test]
async fn what_others_have_stays_as_it_is() {
    let app = std_app(|_| {}).await;
    let email = "eve@example.com";
    let eve = protected(&app, email).await;
    let codes = make(&app, &eve.token).await;
    let low = text(&low_session(&app, email).await, "access_token");
    let raised = use_code(&app, &low, &codes[0]).await.ok();
    let low = low_session(&app, email).await;

    let ada = protected(&app, EMAIL).await;
    let codes = make(&app, &ada.token).await;
    use_code(&app, &ada.token, &codes[0]).await.ok();
    app.delete_as(&ada.token, CODES, None).await.ok();

    let status = app.get_as(&eve.token, CODES).await.ok();
    assert_eq!(status["remaining"], 9);
    app.refresh(&text(&low, "refresh_token")).await.ok();
    let renewed = app.refresh(&text(&raised, "refresh_token")).await.ok();
    assert_eq!(claims_of(&renewed)["aal"], "aal2");
    assert_eq!(methods_of(&renewed), ["mfa/recovery_code", "password"]);
}
