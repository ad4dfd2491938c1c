//! The level of sessions: how it rises, what it allows, and which sessions end.

use innkeeper_auth::config::FactorSwitches;
use innkeeper_auth::finish_takeover;
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::{
    EMAIL, PASSWORD, Protected, answer, both_profiles, claims_of, code_in, enrol, gotrue_app,
    low_session, methods_of, protected, std_app,
};
use crate::support::tokens::text;
use crate::support::{Answer, TestApp};

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
        // GoTrue has sessions from before there were levels.
        let id = claims_of(&second)["session_id"]
            .as_str()
            .unwrap()
            .to_owned();
        let sql = app.sql().await;
        sql.batch_execute(&format!("update sessions set aal = null where id = '{id}'"))
            .await
            .unwrap();
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

const V1_TOKEN: &str = "abcdefghijkl";

/// Makes the session of a token one of GoTrue with a refresh token of version 1.
async fn make_old(app: &TestApp, session: &Value) {
    let id = claims_of(session)["session_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let make_old = format!(
        "update sessions set refresh_token_hmac_key = null, refresh_token_counter = null where id = '{id}';
         insert into refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, session_id)
         select '00000000-0000-0000-0000-000000000000', '{V1_TOKEN}', user_id::text, false, now(), now(), id
           from sessions where id = '{id}'"
    );
    let sql = app.sql().await;
    sql.batch_execute(&make_old).await.unwrap();
}

/// How a session of version 1 is raised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Totp,
    RecoveryCode,
}

/// A session of version 1 that can be raised.
struct OldSession {
    token: String,
    account: Protected,
    recovery_code: Value,
}

impl OldSession {
    async fn open(app: &TestApp) -> Self {
        let account = protected(app, EMAIL).await;
        let made = app
            .post_as(&account.token, "/factors/recovery-codes", json!({}))
            .await
            .ok();
        let low = low_session(app, EMAIL).await;
        make_old(app, &low).await;
        Self {
            token: text(&low, "access_token"),
            account,
            recovery_code: made["codes"][0].clone(),
        }
    }

    async fn raise(&self, app: &TestApp, way: Way) -> Answer {
        match way {
            Way::Totp => {
                let code = code_in(app, &self.account.secret, 0);
                answer(app, &self.token, &self.account.factor, &code).await
            }
            Way::RecoveryCode => {
                let body = json!({ "code": self.recovery_code });
                app.post_as(&self.token, "/factors/recovery-codes/verify", body)
                    .await
            }
        }
    }
}

/// Raises a session of version 1, and returns its refresh token. The former one leads nowhere.
async fn raise_old(app: &TestApp, way: Way) -> String {
    let raised = OldSession::open(app).await.raise(app, way).await.ok();
    assert_eq!(claims_of(&raised)["aal"], "aal2");
    text(&raised, "refresh_token")
}

async fn refreshed(app: &TestApp, token: &str) -> String {
    let renewed = app.refresh(token).await.ok();
    assert_eq!(claims_of(&renewed)["aal"], "aal2");
    text(&renewed, "refresh_token")
}

#[tokio::test]
async fn sessions_of_version_1_stay_so_beside_gotrue() {
    for way in [Way::Totp, Way::RecoveryCode] {
        let app = gotrue_app(|config| config.mfa.recovery_codes = on()).await;
        let raised = raise_old(&app, way).await;
        assert_eq!(raised.len(), 12, "{raised}");
        // GoTrue finds one token that it can exchange, and no key.
        let sql = app.sql().await;
        let query = "
            select s.refresh_token_hmac_key is null and s.refresh_token_counter is null, t.token, t.revoked, t.parent,
                   t.user_id = s.user_id::text, t.created_at = t.updated_at
              from sessions s
              join refresh_tokens t on t.session_id = s.id";
        let row = sql.query_one(query, &[]).await.unwrap();
        assert!(row.get::<_, bool>(0) && row.get::<_, bool>(4) && row.get::<_, bool>(5));
        assert_eq!(row.get::<_, &str>(1), raised);
        assert!(!row.get::<_, bool>(2));
        assert_eq!(row.get::<_, &str>(3), "");
        // Whoever has the token of the first level does not get the second one, and does nobody any harm.
        let old = app.refresh(V1_TOKEN).await;
        old.refused(400, "refresh_token_not_found");
        let next = refreshed(&app, &raised).await;
        assert_eq!(next.len(), 12, "{next}");
        finish_takeover(&app.config, &app.clock).await.unwrap();
        let next = refreshed(&app, &next).await;
        assert!(next.len() > 22, "{next}");
        refreshed(&app, &next).await;
    }
}

#[tokio::test]
async fn sessions_of_version_1_get_version_2_where_gotrue_is_not_used_any_more() {
    for way in [Way::Totp, Way::RecoveryCode] {
        let std = std_app(|config| config.mfa.recovery_codes = on()).await;
        let finished = gotrue_app(|config| config.mfa.recovery_codes = on()).await;
        finish_takeover(&finished.config, &finished.clock)
            .await
            .unwrap();
        for app in [std, finished] {
            let raised = raise_old(&app, way).await;
            assert!(raised.len() > 22, "{raised}");
            let next = refreshed(&app, &raised).await;
            assert!(next.len() > 22, "{next}");
            let old = app.refresh(V1_TOKEN).await;
            old.refused(400, "refresh_token_already_used");
        }
    }
}

/// Whoever refreshes a session of version 1 while it is raised: the token that leads to the second level is the one that
/// the raise returns, and neither of the two fails.
#[tokio::test]
async fn a_session_of_version_1_that_is_refreshed_while_it_is_raised_has_one_token() {
    for way in [Way::Totp, Way::RecoveryCode] {
        // The raise waits, and the refresh is done.
        let (app, session) = old_session().await;
        let held = app.hold("select 1 from users for update").await;
        let (raised, renewed) = tokio::join!(session.raise(&app, way), async {
            held.wait_for(1).await;
            let renewed = app.refresh(V1_TOKEN).await;
            held.release_to(1).await;
            renewed
        });
        let renewed = text(&renewed.ok(), "refresh_token");
        has_only_token(&app, &text(&raised.ok(), "refresh_token")).await;
        let stolen = app.refresh(&renewed).await;
        stolen.refused(400, "refresh_token_not_found");

        // Both wait for the session, and the raise comes first.
        let (app, session) = old_session().await;
        let held = app.hold("select 1 from sessions for update").await;
        let (raised, renewed) = tokio::join!(session.raise(&app, way), async {
            held.wait_for(1).await;
            let (renewed, ()) = tokio::join!(app.refresh(V1_TOKEN), held.release_to(2));
            renewed
        });
        renewed.refused(400, "refresh_token_not_found");
        has_only_token(&app, &text(&raised.ok(), "refresh_token")).await;
    }
}

async fn old_session() -> (TestApp, OldSession) {
    let app = gotrue_app(|config| config.mfa.recovery_codes = on()).await;
    let session = OldSession::open(&app).await;
    (app, session)
}

/// Checks which token can be exchanged.
async fn has_only_token(app: &TestApp, token: &str) {
    let sql = app.sql().await;
    let query = "select token from refresh_tokens where revoked is not true";
    let row = sql.query_one(query, &[]).await.unwrap();
    assert_eq!(row.get::<_, &str>(0), token);
    refreshed(app, token).await;
}

fn on() -> FactorSwitches {
    FactorSwitches {
        enroll: true,
        verify: true,
    }
}

/// Sessions of version 2 stay so beside GoTrue, too.
#[tokio::test]
async fn sessions_of_version_2_stay_so() {
    for app in both_profiles().await {
        let ada = protected(&app, EMAIL).await;
        let token = text(&ada.session, "refresh_token");
        assert!(token.len() > 22, "{token}");
        let sql = app.sql().await;
        let tokens = sql.query("select from refresh_tokens", &[]).await.unwrap();
        assert!(tokens.is_empty());
    }
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

/// Applications ask for a second factor that was used a moment ago before they do what cannot be undone.
#[tokio::test]
async fn a_method_states_when_it_was_used_last() {
    for app in [
        std_app(|_| {}).await,
        gotrue_app(|config| config.mfa.recovery_codes = on()).await,
    ] {
        let ada = protected(&app, EMAIL).await;
        let made = app
            .post_as(&ada.token, "/factors/recovery-codes", json!({}))
            .await
            .ok();
        let mut token = ada.token;
        for number in 0..4 {
            app.advance(60);
            let raised = if number % 2 == 0 {
                let code = code_in(&app, &ada.secret, 0);
                answer(&app, &token, &ada.factor, &code).await.ok()
            } else {
                let body = json!({ "code": made["codes"][number] });
                let target = "/factors/recovery-codes/verify";
                app.post_as(&token, target, body).await.ok()
            };
            token = text(&raised, "access_token");
            let renewed = app.refresh(&text(&raised, "refresh_token")).await.ok();
            let newest = &claims_of(&renewed)["amr"][0];
            let expected = ["totp", "mfa/recovery_code"][number % 2];
            assert_eq!(newest["method"], expected);
            assert_eq!(newest["timestamp"], app.clock.now().as_second());
        }
    }
}
