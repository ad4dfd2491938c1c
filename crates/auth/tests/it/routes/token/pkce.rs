//! `grant_type=pkce`: refusals and single use. How clients get a code is tested in `stories/pkce`.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::future::join_all;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::operator::count;
use crate::support::tokens::parts_of;
use crate::support::{Answer, TestApp};

const GRANT: &str = "/token?grant_type=pkce";
const VERIFIER: &str = "a-verifier-of-more-than-forty-three-letters-in-all";

/// Inserts an exchange whose code was just issued, as GoTrue stores it: with the code in plain text.
async fn code_for(app: &TestApp, user: &Value) -> String {
    let code = Uuid::new_v4().to_string();
    let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, VERIFIER.as_bytes()));
    let id: Uuid = user["id"].as_str().unwrap().parse().unwrap();
    let now = app.clock.now();
    app.sql()
        .await
        .execute(
            "insert into flow_state
                    (id, user_id, auth_code, code_challenge_method, code_challenge, provider_type,
                     authentication_method, created_at, updated_at, auth_code_issued_at)
             values (gen_random_uuid(), $1, $2, 's256', $3, 'email', 'magiclink', $4, $4, $4)",
            &[&id, &code, &challenge, &now],
        )
        .await
        .unwrap();
    code
}

async fn exchange(app: &TestApp, code: &str, verifier: &str) -> Answer {
    let body = json!({ "auth_code": code, "code_verifier": verifier });
    app.post(GRANT, body).await
}

#[tokio::test]
async fn what_is_missing_is_told_before_the_code_is_looked_up() {
    let app = TestApp::start().await;
    for body in [
        json!({}),
        json!({ "auth_code": "unknown" }),
        json!({ "auth_code": "unknown", "code_verifier": "" }),
        json!({ "auth_code": "unknown", "code_verifier": null }),
        json!({ "auth_code": "", "code_verifier": VERIFIER }),
    ] {
        app.post(GRANT, body.clone())
            .await
            .refused(400, "validation_failed");
        app.post_versioned(GRANT, body)
            .await
            .refused(400, "validation_failed");
    }
    for code in ["unknown", &Uuid::new_v4().to_string()] {
        exchange(&app, code, VERIFIER)
            .await
            .refused(404, "flow_state_not_found");
    }
}

#[tokio::test]
async fn a_wrong_verifier_is_refused_and_the_right_one_still_works_once() {
    let app = TestApp::autoconfirm().await;
    let user = app.signed_up("ada@example.com", "correct horse").await["user"].clone();
    let code = code_for(&app, &user).await;
    for verifier in ["wrong", &format!("{VERIFIER} "), &"x".repeat(100_000)] {
        exchange(&app, &code, verifier)
            .await
            .refused(400, "bad_code_verifier");
    }
    let session = exchange(&app, &code, VERIFIER).await.ok();
    assert_eq!(session["user"]["id"], user["id"]);
    let (_, claims) = parts_of(session["access_token"].as_str().unwrap());
    assert_eq!(claims["amr"][0]["method"], "magiclink");
    exchange(&app, &code, VERIFIER)
        .await
        .refused(404, "flow_state_not_found");
}

#[tokio::test]
async fn a_code_can_be_exchanged_for_a_few_minutes_only() {
    let app = TestApp::autoconfirm().await;
    let user = app.signed_up("ada@example.com", "correct horse").await["user"].clone();
    let code = code_for(&app, &user).await;
    app.advance(app.config.external.flow_state_expiry_duration.as_secs() + 1);
    exchange(&app, &code, VERIFIER)
        .await
        .refused(422, "flow_state_expired");
}

#[tokio::test]
async fn a_code_does_not_work_as_it_is_stored() {
    let app = TestApp::autoconfirm().await;
    let user = app.signed_up("ada@example.com", "correct horse").await["user"].clone();
    code_for(&app, &user).await;
    let sql = app.sql().await;
    let hashed = "select encode(sha256('the code in the link'), 'hex')";
    let stored: String = sql.query_one(hashed, &[]).await.unwrap().get(0);
    sql.execute("update flow_state set auth_code = $1", &[&stored])
        .await
        .unwrap();
    exchange(&app, &stored, VERIFIER)
        .await
        .refused(404, "flow_state_not_found");
    exchange(&app, "the code in the link", VERIFIER).await.ok();
}

#[tokio::test]
async fn of_fifty_exchanges_at_once_exactly_one_succeeds() {
    let app = TestApp::autoconfirm().await;
    let user = app.signed_up("ada@example.com", "correct horse").await["user"].clone();
    let code = code_for(&app, &user).await;
    let answers = join_all((0..50).map(|_| exchange(&app, &code, VERIFIER))).await;
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    let count_of = |wanted| statuses.iter().filter(|status| **status == wanted).count();
    assert_eq!((count_of(200), count_of(404)), (1, 49), "{statuses:?}");
    // The session of the sign-up, and that of the exchange.
    let sql = app.sql().await;
    assert_eq!(count(&sql, "select count(*) from sessions").await, 2);
}

#[tokio::test]
async fn a_banned_user_exchanges_nothing() {
    let app = TestApp::autoconfirm().await;
    let user = app.signed_up("ada@example.com", "correct horse").await["user"].clone();
    let code = code_for(&app, &user).await;
    let sql = app.sql().await;
    sql.execute("update users set banned_until = '2999-01-01'", &[])
        .await
        .unwrap();
    exchange(&app, &code, VERIFIER)
        .await
        .refused(403, "user_banned");
}
