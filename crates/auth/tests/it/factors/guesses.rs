//! Wrong codes are counted for each factor.

use serde_json::json;

use super::{
    EMAIL, answer, both_profiles, challenge, code_in, low_session, protected, std_app, verify,
    wrong_code,
};
use crate::support::tokens::text;
use crate::support::{Answer, bearer};

#[tokio::test]
async fn after_five_wrong_codes_a_factor_waits() {
    for app in both_profiles().await {
        let ada = protected(&app, EMAIL).await;
        let wrong = wrong_code(&app, &ada.secret);
        let opened = challenge(&app, &ada.token, &ada.factor).await;
        for _ in 0..5 {
            verify(&app, &ada.token, &ada.factor, &opened, &wrong)
                .await
                .refused(422, "mfa_verification_failed");
        }
        // The right code is refused as well, so that a guess learns nothing.
        let right = code_in(&app, &ada.secret, 0);
        let blocked = verify(&app, &ada.token, &ada.factor, &opened, &right).await;
        assert_eq!(blocked.header("retry-after"), Some("30"));
        blocked.refused(429, "over_request_rate_limit");
        app.advance(30);
        let wrong = wrong_code(&app, &ada.secret);
        verify(&app, &ada.token, &ada.factor, &opened, &wrong)
            .await
            .refused(422, "mfa_verification_failed");
        let right = code_in(&app, &ada.secret, 0);
        let blocked = verify(&app, &ada.token, &ada.factor, &opened, &right).await;
        assert_eq!(blocked.header("retry-after"), Some("60"));
        app.advance(60);
        // A right code ends the count.
        let right = code_in(&app, &ada.secret, 0);
        verify(&app, &ada.token, &ada.factor, &opened, &right)
            .await
            .ok();
        let wrong = wrong_code(&app, &ada.secret);
        for _ in 0..5 {
            answer(&app, &ada.token, &ada.factor, &wrong)
                .await
                .refused(422, "mfa_verification_failed");
        }
    }
}

/// Of two answers at the same moment, that with the earlier time may reach the database last.
#[tokio::test]
async fn a_wrong_code_blocks_no_answer_from_the_moment_before() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let replica = app.replica().await;
    let opened = challenge(&app, &ada.token, &ada.factor).await;
    let wrong = wrong_code(&app, &ada.secret);
    app.advance(1);
    verify(&app, &ada.token, &ada.factor, &opened, &wrong)
        .await
        .refused(422, "mfa_verification_failed");
    app.advance(-1);
    let body = json!({ "challenge_id": opened, "code": code_in(&app, &ada.secret, 0) });
    let (name, value) = bearer(&ada.token);
    let target = format!("/factors/{}/verify", ada.factor);
    let request = replica.post(&target).header(name, &value).json(&body);
    Answer::new(request.send().await).ok();
}

#[tokio::test]
async fn a_new_challenge_or_session_gives_no_new_attempts() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let wrong = wrong_code(&app, &ada.secret);
    for _ in 0..5 {
        let low = text(&low_session(&app, EMAIL).await, "access_token");
        answer(&app, &low, &ada.factor, &wrong)
            .await
            .refused(422, "mfa_verification_failed");
    }
    answer(&app, &ada.token, &ada.factor, &wrong)
        .await
        .refused(429, "over_request_rate_limit");
}

#[tokio::test]
async fn many_guesses_at_once_do_not_outrun_the_count() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let wrong = wrong_code(&app, &ada.secret);
    let opened = challenge(&app, &ada.token, &ada.factor).await;
    let requests = (0..20).map(|_| verify(&app, &ada.token, &ada.factor, &opened, &wrong));
    let answers = futures_util::future::join_all(requests).await;
    let compared = answers.iter().filter(|it| it.status == 422).count();
    assert_eq!(compared, 5);
}

#[tokio::test]
async fn a_second_account_cannot_use_up_the_attempts_or_requests_of_the_first() {
    let app = std_app(|config| config.mfa.rate_limit = 6.0).await;
    let ada = protected(&app, EMAIL).await;
    let eve = protected(&app, "eve@example.com").await;
    let wrong = wrong_code(&app, &eve.secret);
    let opened = challenge(&app, &eve.token, &eve.factor).await;
    for _ in 0..10 {
        let refused = verify(&app, &eve.token, &eve.factor, &opened, &wrong).await;
        assert!([422, 429].contains(&refused.status), "{}", refused.text);
        // Nor with the id of the factor that is not hers.
        let refused = verify(&app, &eve.token, &ada.factor, &opened, &wrong).await;
        assert!([404, 429].contains(&refused.status), "{}", refused.text);
    }
    app.advance(60);
    let right = code_in(&app, &ada.secret, 0);
    answer(&app, &ada.token, &ada.factor, &right).await.ok();
}

/// The limit by address, as in GoTrue.
#[tokio::test]
async fn requests_of_an_address_are_limited() {
    let app = std_app(|config| config.mfa.rate_limit = 3.0).await;
    let ada = protected(&app, EMAIL).await;
    let target = format!("/factors/{}/challenge", ada.factor);
    let mut statuses = Vec::new();
    for _ in 0..4 {
        let answered = app.post_as(&ada.token, &target, json!({})).await;
        statuses.push(answered.status);
    }
    assert_eq!(statuses, [200, 200, 200, 429]);
}

#[tokio::test]
async fn guesses_count_on_every_replica() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let replica = app.replica().await;
    let opened = challenge(&app, &ada.token, &ada.factor).await;
    let wrong = wrong_code(&app, &ada.secret);
    let body = json!({ "challenge_id": opened, "code": wrong });
    let target = format!("/factors/{}/verify", ada.factor);
    let (name, value) = bearer(&ada.token);
    for _ in 0..5 {
        let request = replica.post(&target).header(name, &value).json(&body);
        Answer::new(request.send().await).refused(422, "mfa_verification_failed");
    }
    let right = code_in(&app, &ada.secret, 0);
    verify(&app, &ada.token, &ada.factor, &opened, &right)
        .await
        .refused(429, "over_request_rate_limit");
}

#[tokio::test]
async fn a_day_without_a_wrong_code_ends_the_count() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    for hours in [23, 25] {
        let low = text(&low_session(&app, EMAIL).await, "access_token");
        let wrong = wrong_code(&app, &ada.secret);
        for _ in 0..2 {
            answer(&app, &low, &ada.factor, &wrong)
                .await
                .refused(422, "mfa_verification_failed");
        }
        app.advance(hours * 3600);
    }
    // After 23 hours the four wrong codes were counted together, after 25 hours they are forgotten.
    let low = text(&low_session(&app, EMAIL).await, "access_token");
    let wrong = wrong_code(&app, &ada.secret);
    for _ in 0..5 {
        answer(&app, &low, &ada.factor, &wrong)
            .await
            .refused(422, "mfa_verification_failed");
    }
    answer(&app, &low, &ada.factor, &wrong)
        .await
        .refused(429, "over_request_rate_limit");
}

#[tokio::test]
async fn wrong_codes_of_the_day_before_count_until_the_day_is_over() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let mut statuses = Vec::new();
    for _ in 0..6 {
        let low = text(&low_session(&app, EMAIL).await, "access_token");
        let wrong = wrong_code(&app, &ada.secret);
        statuses.push(answer(&app, &low, &ada.factor, &wrong).await.status);
        if statuses.len() < 5 {
            app.advance(23 * 3600);
        }
    }
    assert_eq!(statuses, [422, 422, 422, 422, 422, 429]);
}

/// Nobody compares a code for a challenge that is over, so it is no guess.
#[tokio::test]
async fn answers_to_challenges_that_are_over_are_no_guesses() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let answered = challenge(&app, &ada.token, &ada.factor).await;
    let right = code_in(&app, &ada.secret, 0);
    verify(&app, &ada.token, &ada.factor, &answered, &right)
        .await
        .ok();
    let expired = challenge(&app, &ada.token, &ada.factor).await;
    app.advance(301);
    let wrong = wrong_code(&app, &ada.secret);
    for _ in 0..6 {
        verify(&app, &ada.token, &ada.factor, &answered, &wrong)
            .await
            .refused(422, "mfa_ip_address_mismatch");
        verify(&app, &ada.token, &ada.factor, &expired, &wrong)
            .await
            .refused(422, "mfa_challenge_expired");
    }
    let right = code_in(&app, &ada.secret, 0);
    answer(&app, &ada.token, &ada.factor, &right).await.ok();
}

#[tokio::test]
async fn wrong_codes_are_in_the_audit_log() {
    let app = std_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let wrong = wrong_code(&app, &ada.secret);
    answer(&app, &ada.token, &ada.factor, &wrong)
        .await
        .refused(422, "mfa_verification_failed");
    let body = json!({ "code": "0123456789abcdef" });
    app.post_as(&ada.token, "/factors/recovery-codes/verify", body)
        .await
        .refused(422, "mfa_verification_failed");
    let sql = app.sql().await;
    let query = "
        select count(*)
          from audit_log_entries
         where payload->>'action' = 'sign_in_failed'
           and payload->>'actor_id' = $1";
    let user_id = text(&ada.session["user"], "id");
    let found: i64 = sql.query_one(query, &[&user_id]).await.unwrap().get(0);
    assert_eq!(found, 2);
}
