//! The official Python client, unchanged, drives the server. The scripts are in
//! `tests/clients/python`.

use innkeeper_auth::config::Profile::{self, Gotrue, Std};

use crate::support::oidc_server::OidcProgram::{self, OidcProvider, OidcProviderMock};
use crate::support::outside::Outside;

/// Signing with ES256 avoids the slow generation of RSA keys.
const ES256: (&str, &str) = ("JWT_ALGORITHM", "ES256");
const RS256: (&str, &str) = ("JWT_ALGORITHM", "RS256");
const AUTOCONFIRM: (&str, &str) = ("MAILER_AUTOCONFIRM", "true");
const LINKING: (&str, &str) = ("SECURITY_MANUAL_LINKING_ENABLED", "true");
const ANONYMOUS: (&str, &str) = ("EXTERNAL_ANONYMOUS_USERS_ENABLED", "true");

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

/// Runs the script in which users sign in with this OpenID Connect server.
async fn drive_oauth(profile: Profile, program: OidcProgram) {
    let settings = [ES256, AUTOCONFIRM, LINKING, ANONYMOUS];
    let outside = Outside::with_provider(profile, &settings, program).await;
    outside.run_python("oauth").await;
}

#[tokio::test]
async fn users_sign_in_with_oidc_provider() {
    drive_oauth(Std, OidcProvider).await;
}

#[tokio::test]
async fn users_sign_in_with_oidc_provider_mock() {
    drive_oauth(Std, OidcProviderMock).await;
}

#[tokio::test]
async fn users_sign_in_with_oidc_provider_mock_in_gotrue() {
    drive_oauth(Gotrue, OidcProviderMock).await;
}
