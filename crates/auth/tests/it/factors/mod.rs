//! Second factors: enrolment, challenges, the level of sessions, and what protects them.

mod admin;
mod bad_input;
mod guesses;
mod hook;
mod levels;
mod notifications;
mod phone;
mod races;
mod recovery;
mod storage;
mod totp;
pub(crate) mod trips;
mod webauthn;

pub(crate) use webauthn::security_key;

use innkeeper_auth::config::Config;
use innkeeper_service::testing::totp_code;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::support::profile::gotrue;
use crate::support::tokens::{parts_of, text};
use crate::support::{Answer, TestApp};

const EMAIL: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";

/// Starts a server of std in which accounts are confirmed at once.
async fn std_app(change: impl FnOnce(&mut Config)) -> TestApp {
    TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        change(config);
    })
    .await
}

/// Starts such a server of the gotrue profile.
async fn gotrue_app(change: impl FnOnce(&mut Config)) -> TestApp {
    TestApp::with(|config| {
        gotrue(config);
        config.mailer.autoconfirm = true;
        change(config);
    })
    .await
}

async fn both_profiles() -> [TestApp; 2] {
    [std_app(|_| {}).await, gotrue_app(|_| {}).await]
}

/// Returns the code that an authenticator app shows, `steps` steps of 30 seconds from now.
pub(crate) fn code_in(app: &TestApp, secret: &str, steps: i64) -> String {
    let now = app.clock.now() + SignedDuration::from_secs(30 * steps);
    totp_code(secret, now.as_second().div_euclid(30)).unwrap()
}

/// Returns a code that is wrong in this step and in those beside it.
pub(crate) fn wrong_code(app: &TestApp, secret: &str) -> String {
    let right: Vec<String> = (-1..=1).map(|step| code_in(app, secret, step)).collect();
    let mut codes = (0..10).map(|number| format!("{number:06}"));
    codes.find(|code| !right.contains(code)).unwrap()
}

async fn enrol(app: &TestApp, token: &str, name: &str) -> Answer {
    let body = json!({ "factor_type": "totp", "friendly_name": name });
    app.post_as(token, "/factors", body).await
}

/// Opens a challenge, and returns its id.
async fn challenge(app: &TestApp, token: &str, factor: &str) -> String {
    let target = format!("/factors/{factor}/challenge");
    let opened = app.post_as(token, &target, json!({})).await.ok();
    text(&opened, "id")
}

async fn verify(app: &TestApp, token: &str, factor: &str, challenge: &str, code: &str) -> Answer {
    let body = json!({ "challenge_id": challenge, "code": code });
    let target = format!("/factors/{factor}/verify");
    app.post_as(token, &target, body).await
}

/// Opens a challenge and answers it.
async fn answer(app: &TestApp, token: &str, factor: &str, code: &str) -> Answer {
    let challenge = challenge(app, token, factor).await;
    verify(app, token, factor, &challenge, code).await
}

/// Somebody with a verified authenticator app.
struct Protected {
    /// The session at the second level.
    session: Value,
    token: String,
    factor: String,
    secret: String,
}

/// Signs up, and adds an authenticator app. Its next code is one step later.
async fn protected(app: &TestApp, email: &str) -> Protected {
    let session = app.signed_up(email, PASSWORD).await;
    let low = text(&session, "access_token");
    let enrolled = enrol(app, &low, "phone").await.ok();
    let factor = text(&enrolled, "id");
    let secret = text(&enrolled["totp"], "secret");
    let session = answer(app, &low, &factor, &code_in(app, &secret, 0)).await;
    let session = session.ok();
    app.advance(60);
    Protected {
        token: text(&session, "access_token"),
        session,
        factor,
        secret,
    }
}

/// Signs in with the password alone.
async fn low_session(app: &TestApp, email: &str) -> Value {
    app.sign_in(email, PASSWORD).await.ok()
}

fn claims_of(session: &Value) -> Value {
    parts_of(&text(session, "access_token")).1
}

/// Returns the methods that a token states, the newest first.
fn methods_of(session: &Value) -> Vec<String> {
    let claims = claims_of(session);
    let methods = claims["amr"].as_array().unwrap();
    methods.iter().map(|entry| text(entry, "method")).collect()
}

/// Returns the actions in the audit log about factors, oldest first.
async fn factor_actions(app: &TestApp) -> Vec<String> {
    let sql = app.sql().await;
    let query = "
        select payload->>'action'
          from audit_log_entries
         where payload->>'log_type' = 'factor'
         order by created_at, payload->>'action'";
    let rows = sql.query(query, &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}
