//! Passkeys: registration, sign-in, management, and what attackers send.

mod bad_answers;
mod challenges;
mod limits;
mod manage;
mod registration;
mod sign_in;
mod trips;

use innkeeper_auth::config::Config;
use serde_json::{Value, json};

use crate::support::authenticator::{Authenticator, accept_authenticators};
use crate::support::profile::gotrue;
use crate::support::tokens::text;
use crate::support::{Answer, TestApp};

const EMAIL: &str = "ada@example.com";
const PASSWORD: &str = "correct horse";

/// Starts a server of std with passkeys, in which accounts are confirmed at once.
async fn std_app(change: impl FnOnce(&mut Config)) -> TestApp {
    TestApp::with(|config| {
        config.mailer.autoconfirm = true;
        accept_authenticators(config);
        change(config);
    })
    .await
}

/// Starts such a server of the gotrue profile.
async fn gotrue_app(change: impl FnOnce(&mut Config)) -> TestApp {
    TestApp::with(|config| {
        gotrue(config);
        config.mailer.autoconfirm = true;
        accept_authenticators(config);
        change(config);
    })
    .await
}

async fn both_profiles() -> [TestApp; 2] {
    [std_app(|_| {}).await, gotrue_app(|_| {}).await]
}

/// Requests the challenge of a registration.
async fn registration_options(app: &TestApp, token: &str) -> Answer {
    app.post_as(token, "/passkeys/registration/options", json!({}))
        .await
}

/// Answers such a challenge with a credential.
async fn register(app: &TestApp, token: &str, started: &Value, credential: &Value) -> Answer {
    let body = json!({ "challenge_id": started["challenge_id"], "credential": credential });
    app.post_as(token, "/passkeys/registration/verify", body)
        .await
}

/// Adds a passkey, and returns the answer of the server.
async fn add_passkey(app: &TestApp, token: &str, authenticator: &mut Authenticator) -> Answer {
    let started = registration_options(app, token).await.ok();
    let credential = authenticator.create(&started["options"]);
    register(app, token, &started, &credential).await
}

/// Requests the challenge of a sign-in.
async fn sign_in_options(app: &TestApp) -> Value {
    app.post("/passkeys/authentication/options", json!({}))
        .await
        .ok()
}

/// Answers such a challenge with a credential.
async fn verify(app: &TestApp, started: &Value, credential: &Value) -> Answer {
    let body = json!({ "challenge_id": started["challenge_id"], "credential": credential });
    app.post("/passkeys/authentication/verify", body).await
}

async fn sign_in(app: &TestApp, authenticator: &mut Authenticator) -> Answer {
    let started = sign_in_options(app).await;
    let credential = authenticator.get(&started["options"]);
    verify(app, &started, &credential).await
}

/// Somebody with a passkey.
struct Owner {
    user_id: String,
    token: String,
    passkey: String,
    authenticator: Authenticator,
}

async fn owner(app: &TestApp, email: &str) -> Owner {
    let session = app.signed_up(email, PASSWORD).await;
    let token = text(&session, "access_token");
    let mut authenticator = Authenticator::new();
    let added = add_passkey(app, &token, &mut authenticator).await.ok();
    Owner {
        user_id: text(&session["user"], "id"),
        token,
        passkey: text(&added, "id"),
        authenticator,
    }
}
