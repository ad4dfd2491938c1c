//! The level of sessions: how it rises, what it allows, and which sessions end.

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::{
    EMAIL, PASSWORD, answer, both_profiles, claims_of, code_in, enrol, gotrue_app, low_session,
    methods_of, protected, std_app,
};
use crate::support::tokens::text;

#[tokio::test]
async fn tokens_state_the_level_and_the_methods_newest_first() {
    for app in both_profiles().await {
        let ada = protected(&app, EMAIL).await;
        assert_eq!(methods_of(&ada.session), ["totp", "password"]);
        let low = low_session(&app, EMAIL).await;
        assert_eq!(claims_of(&low)["aal"], "aal1");
        assert_eq!(methods_of(&low), ["password"]);
        // A refresh keeps both.
        let renewed = app.refresh(&text(&ada.session, "refresh_token")).await;
        let renewed = renewed.ok();
        assert_eq!(claims_of(&renewed)["aal"], "aal2");
        assert_eq!(methods_of(&renewed), ["totp", "password"]);
        let sql = app.sql().await;
        let query = "select aal::text, factor_id::text from sessions where aal = 'aal2'";
        let row = sql.query_one(query, &[]).await.unwrap();
        assert_eq!(row.get::<_, String>(1), ada.factor);
    }
}

#[tokio::test]
async fn sessions_without_the_factor_end_when_one_is_verified() {
    for app in both_profiles().await {
        let first = app.signed_up(EMAIL, PASSWORD).await;
        let second = low_session(&app, EMAIL).await;
        app.signed_up("eve@example.com", PASSWORD).await;
        let token = text(&first, "access_token");
        let enrolled = enrol(&app, &token, "app").await.ok();
        let code = code_in(&app, &text(&enrolled["totp"], "secret"), 0);
        let raised = answer(&app, &token, &text(&enrolled, "id"), &code).await;
        let raised = raised.ok();
        let ended = app.refresh(&text(&second, "refresh_token")).await;
        ended.refused(400, "refresh_token_not_found");
        app.get_as(&text(&second, "access_token"), "/user")
            .await
            .refused(403, "session_not_found");
        // Sessions at the second level, and those of others, go on.
        app.refresh(&text(&raised, "refresh_token")).await.ok();
        let sql = app.sql().await;
        let left = sql.query("select from sessions", &[]).await.unwrap();
        assert_eq!(left.len(), 2);
    }
}

/// Else somebody who has stolen the token of the first level would get the second one for nothing.
#[tokio::test]
async fn the_refresh_token_of_the_first_level_does_not_lead_to_the_second() {
    for app in both_profiles().await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        let enrolled = enrol(&app, &token, "app").await.ok();
        let code = code_in(&app, &text(&enrolled["totp"], "secret"), 0);
        let raised = answer(&app, &token, &text(&enrolled, "id"), &code).await;
        raised.ok();
        let stolen = app.refresh(&text(&session, "refresh_token")).await;
        stolen.refused(400, "refresh_token_already_used");
    }
}

#[tokio::test]
async fn refresh_tokens_of_version_1_are_replaced() {
    let app = gotrue_app(|_| {}).await;
    let ada = protected(&app, EMAIL).await;
    let low = low_session(&app, EMAIL).await;
    let sql = app.sql().await;
    let id = claims_of(&low)["session_id"].as_str().unwrap().to_owned();
    let make_old = format!(
        "update sessions set refresh_token_hmac_key = null, refresh_token_counter = null where id = '{id}';
         insert into refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, session_id)
         select '00000000-0000-0000-0000-000000000000', 'abcdefghijkl', user_id::text, false, now(), now(), id
           from sessions where id = '{id}'"
    );
    sql.batch_execute(&make_old).await.unwrap();
    let code = code_in(&app, &ada.secret, 0);
    let token = text(&low, "access_token");
    let raised = answer(&app, &token, &ada.factor, &code).await.ok();
    let renewed = app.refresh(&text(&raised, "refresh_token")).await.ok();
    assert_eq!(claims_of(&renewed)["aal"], "aal2");
    let old = app.refresh("abcdefghijkl").await;
    assert_eq!(old.status, 400, "{}", old.text);
}

#[tokio::test]
async fn sensitive_changes_need_the_second_level() {
    for app in both_profiles().await {
        let ada = protected(&app, EMAIL).await;
        let low = text(&low_session(&app, EMAIL).await, "access_token");
        for body in [
            json!({ "password": "battery staple" }),
            json!({ "email": "countess@example.com" }),
            json!({ "phone": "+49301234567" }),
        ] {
            app.put_as(&low, "/user", body)
                .await
                .refused(401, "insufficient_aal");
        }
        let name = json!({ "data": { "name": "Ada" } });
        app.put_as(&low, "/user", name).await.ok();
        enrol(&app, &low, "another")
            .await
            .refused(403, "insufficient_aal");
        enrol(&app, &ada.token, "another").await.ok();
        let body = json!({ "password": "battery staple" });
        app.put_as(&ada.token, "/user", body).await.ok();
    }
}

#[tokio::test]
async fn a_session_without_the_factor_may_be_limited() {
    let allow = |minutes| Some(SignedDuration::from_mins(minutes));
    for app in [
        std_app(|config| config.sessions.allow_low_aal = allow(15)).await,
        gotrue_app(|config| config.sessions.allow_low_aal = allow(15)).await,
    ] {
        let ada = protected(&app, EMAIL).await;
        let low = low_session(&app, EMAIL).await;
        let start = app.clock.now().as_second();
        assert_eq!(claims_of(&low)["exp"], start + 900);
        assert_eq!(low["expires_in"], 900);
        app.advance(600);
        let renewed = app.refresh(&text(&low, "refresh_token")).await.ok();
        assert_eq!(claims_of(&renewed)["exp"], start + 900);
        app.advance(301);
        let ended = app.refresh(&text(&renewed, "refresh_token")).await;
        let body: Value = ended.refused(400, "session_expired");
        assert!(body["msg"].as_str().unwrap().contains("Low AAL"), "{body}");
        // The second level is not limited, and neither are users without a factor.
        let raised = app.refresh(&text(&ada.session, "refresh_token")).await;
        assert_eq!(raised.ok()["expires_in"], 3600);
        let eve = app.signed_up("eve@example.com", PASSWORD).await;
        assert_eq!(eve["expires_in"], 3600);
    }
}
