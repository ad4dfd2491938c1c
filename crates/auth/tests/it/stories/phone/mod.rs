//! Sign-up and sign-in with a phone number, and codes by text message.

mod change;
mod existence;
mod failures;
mod hook;
mod input;
mod limits;
mod metrics;
mod providers;
mod queue;
mod sign_in;
mod sign_up;
mod test_numbers;
mod twilio_verify;

use innkeeper_auth::config::Config;
use serde_json::{Value, json};

use crate::support::profile::gotrue;
use crate::support::sms::{Protocol, SmsProvider};
use crate::support::{Answer, TestApp};

const PHONE: &str = "49301234567";
const PASSWORD: &str = "correct horse";

/// Starts a server of std whose messages go to this provider.
async fn std_app(provider: &SmsProvider, change: impl FnOnce(&mut Config)) -> TestApp {
    TestApp::with(|config| {
        provider.configure(config);
        change(config);
    })
    .await
}

/// Starts a server of the gotrue profile whose messages go to this provider.
async fn gotrue_app(provider: &SmsProvider, change: impl FnOnce(&mut Config)) -> TestApp {
    TestApp::with(|config| {
        gotrue(config);
        provider.configure(config);
        change(config);
    })
    .await
}

/// Starts a server of each profile, with a provider of its own.
async fn both_profiles() -> [(TestApp, SmsProvider); 2] {
    let (first, second) = (
        SmsProvider::start(Protocol::Twilio).await,
        SmsProvider::start(Protocol::Twilio).await,
    );
    [
        (std_app(&first, |_| {}).await, first),
        (gotrue_app(&second, |_| {}).await, second),
    ]
}

async fn verify(app: &TestApp, kind: &str, phone: &str, code: &str) -> Answer {
    let body = json!({ "type": kind, "phone": phone, "token": code });
    app.post("/verify", body).await
}

/// Signs a number in with a code, and returns the session.
async fn signed_in(app: &TestApp, provider: &SmsProvider, phone: &str) -> Value {
    app.post("/otp", json!({ "phone": phone })).await.ok();
    let code = provider.next().await.code();
    verify(app, "sms", phone, &code).await.ok()
}

async fn count(app: &TestApp, query: &str) -> i64 {
    let sql = app.sql().await;
    sql.query_one(query, &[]).await.unwrap().get(0)
}

/// Returns the actions in the audit log, oldest first.
async fn actions(app: &TestApp) -> Vec<String> {
    let sql = app.sql().await;
    let query =
        "select payload->>'action' from audit_log_entries order by created_at, payload->>'action'";
    let rows = sql.query(query, &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}
