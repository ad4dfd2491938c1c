//! The official Python client, unchanged, drives the server. The scripts are in
//! `tests/clients/python`.

use innkeeper_auth::config::Profile::{self, Gotrue, Std};

use crate::support::outside::Outside;

/// Signing with ES256 avoids the slow generation of RSA keys.
const ES256: (&str, &str) = ("JWT_ALGORITHM", "ES256");
const RS256: (&str, &str) = ("JWT_ALGORITHM", "RS256");
const AUTOCONFIRM: (&str, &str) = ("MAILER_AUTOCONFIRM", "true");

async fn drive(script: &str, profile: Profile, settings: &[(&str, &str)]) {
    let outside = Outside::start(profile, settings).await;
    outside.run_python(script).await;
}

#[tokio::test]
async fn mails_confirm_sign_in_recover_change_and_invite() {
    drive("mails", Std, &[ES256]).await;
}

#[tokio::test]
async fn mails_confirm_sign_in_recover_change_and_invite_in_gotrue() {
    drive("mails", Gotrue, &[]).await;
}

#[tokio::test]
async fn accounts_sessions_errors_and_claims_with_an_es256_key() {
    drive("accounts", Std, &[AUTOCONFIRM, ES256]).await;
}

#[tokio::test]
async fn accounts_sessions_errors_and_claims_with_an_rs256_key() {
    drive("accounts", Std, &[AUTOCONFIRM, RS256]).await;
}

#[tokio::test]
async fn accounts_sessions_errors_and_claims_with_a_secret_in_gotrue() {
    drive("accounts", Gotrue, &[AUTOCONFIRM]).await;
}

#[tokio::test]
async fn administrators_manage_users() {
    drive("admin", Std, &[ES256]).await;
}

#[tokio::test]
async fn administrators_manage_users_in_gotrue() {
    drive("admin", Gotrue, &[]).await;
}
