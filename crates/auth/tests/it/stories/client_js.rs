//! The official JavaScript client, unchanged, drives the server. The scripts are in
//! `tests/clients/js`.

use innkeeper_auth::config::Profile::{self, Gotrue, Std};

use crate::support::oidc_server::OidcProgram::{self, OidcProvider, OidcProviderMock};
use crate::support::outside::Outside;

/// Signing with ES256 avoids the slow generation of RSA keys.
const ES256: (&str, &str) = ("JWT_ALGORITHM", "ES256");
const AUTOCONFIRM: (&str, &str) = ("MAILER_AUTOCONFIRM", "true");
const REAUTHENTICATION: (&str, &str) =
    ("SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION", "true");

const LINKING: (&str, &str) = ("SECURITY_MANUAL_LINKING_ENABLED", "true");
const ANONYMOUS: (&str, &str) = ("EXTERNAL_ANONYMOUS_USERS_ENABLED", "true");

/// Runs a script against a server with these settings.
async fn drive(script: &str, profile: Profile, settings: &[(&str, &str)]) {
    let algorithm = match profile {
        Std => &[ES256][..],
        Gotrue => &[],
    };
    let settings = [settings, algorithm].concat();
    Outside::start(profile, &settings)
        .await
        .run_js(script)
        .await;
}

/// Runs the script in which the client verifies the claims of a token signed with this algorithm.
async fn drive_claims(profile: Profile, algorithm: &str) {
    let settings = [AUTOCONFIRM, ("JWT_ALGORITHM", algorithm)];
    let outside = Outside::start(profile, &settings).await;
    outside.run_js("claims").await;
}

#[tokio::test]
async fn users_sign_up_and_confirm_by_link_and_by_code() {
    drive("sign_up", Std, &[]).await;
}

#[tokio::test]
async fn users_sign_up_and_confirm_by_link_and_by_code_in_gotrue() {
    drive("sign_up", Gotrue, &[]).await;
}

#[tokio::test]
async fn users_have_accounts_at_once_with_autoconfirm() {
    drive("accounts", Std, &[AUTOCONFIRM]).await;
}

#[tokio::test]
async fn users_have_accounts_at_once_with_autoconfirm_in_gotrue() {
    drive("accounts", Gotrue, &[AUTOCONFIRM]).await;
}

#[tokio::test]
async fn invited_users_come_into_a_closed_server() {
    drive("closed", Std, &[("DISABLE_SIGNUP", "true")]).await;
}

#[tokio::test]
async fn invited_users_come_into_a_closed_server_in_gotrue() {
    drive("closed", Gotrue, &[("DISABLE_SIGNUP", "true")]).await;
}

#[tokio::test]
async fn a_password_is_changed_with_a_nonce() {
    drive("password_change", Std, &[REAUTHENTICATION]).await;
}

#[tokio::test]
async fn a_password_is_changed_with_a_nonce_in_gotrue() {
    drive("password_change", Gotrue, &[REAUTHENTICATION]).await;
}

#[tokio::test]
async fn an_address_is_changed_with_both_mailboxes() {
    drive("email_change", Std, &[]).await;
}

#[tokio::test]
async fn an_address_is_changed_with_both_mailboxes_in_gotrue() {
    drive("email_change", Gotrue, &[]).await;
}

#[tokio::test]
async fn a_forgotten_password_is_replaced() {
    drive("recovery", Std, &[]).await;
}

#[tokio::test]
async fn a_forgotten_password_is_replaced_in_gotrue() {
    drive("recovery", Gotrue, &[]).await;
}

#[tokio::test]
async fn users_sign_in_without_a_password() {
    drive("one_time", Std, &[]).await;
}

#[tokio::test]
async fn users_sign_in_without_a_password_in_gotrue() {
    drive("one_time", Gotrue, &[]).await;
}

#[tokio::test]
async fn sessions_end_by_scope() {
    drive("sessions", Std, &[AUTOCONFIRM]).await;
}

#[tokio::test]
async fn sessions_end_by_scope_in_gotrue() {
    drive("sessions", Gotrue, &[AUTOCONFIRM]).await;
}

#[tokio::test]
async fn errors_reach_the_app_with_code_and_status() {
    drive("errors", Std, &[AUTOCONFIRM]).await;
}

#[tokio::test]
async fn errors_reach_the_app_with_code_and_status_in_gotrue() {
    drive("errors", Gotrue, &[AUTOCONFIRM]).await;
}

#[tokio::test]
async fn accounts_are_protected_by_second_factors() {
    drive("factors", Std, &[AUTOCONFIRM]).await;
}

#[tokio::test]
async fn accounts_are_protected_by_second_factors_in_gotrue() {
    drive("factors", Gotrue, &[AUTOCONFIRM]).await;
}

/// Passkeys and security keys of a page on this machine.
const AUTHENTICATORS: &[(&str, &str)] = &[
    AUTOCONFIRM,
    ("PASSKEY_ENABLED", "true"),
    ("MFA_WEB_AUTHN_ENROLL_ENABLED", "true"),
    ("MFA_WEB_AUTHN_VERIFY_ENABLED", "true"),
    ("WEBAUTHN_RP_ID", "localhost"),
    ("WEBAUTHN_RP_DISPLAY_NAME", "Example"),
    ("WEBAUTHN_RP_ORIGINS", "http://localhost:5173"),
];

#[tokio::test]
async fn users_sign_in_with_passkeys_and_security_keys() {
    drive("passkeys", Std, AUTHENTICATORS).await;
}

#[tokio::test]
async fn users_sign_in_with_passkeys_and_security_keys_in_gotrue() {
    drive("passkeys", Gotrue, AUTHENTICATORS).await;
}

#[tokio::test]
async fn administrators_manage_users() {
    drive("admin", Std, &[]).await;
}

#[tokio::test]
async fn administrators_manage_users_in_gotrue() {
    drive("admin", Gotrue, &[]).await;
}

#[tokio::test]
async fn claims_are_checked_with_an_rs256_key() {
    drive_claims(Std, "RS256").await;
}

#[tokio::test]
async fn claims_are_checked_with_an_es256_key() {
    drive_claims(Std, "ES256").await;
}

#[tokio::test]
async fn claims_are_checked_with_an_es256_key_in_gotrue() {
    drive_claims(Gotrue, "ES256").await;
}

#[tokio::test]
async fn claims_are_checked_by_the_server_with_a_secret_in_gotrue() {
    drive_claims(Gotrue, "HS256").await;
}

/// Runs the script in which users sign in with this OpenID Connect server.
async fn drive_oauth(profile: Profile, program: OidcProgram) {
    let settings = [ES256, LINKING, ANONYMOUS];
    let outside = Outside::with_provider(profile, &settings, program).await;
    outside.run_js("oauth").await;
}

#[tokio::test]
async fn users_sign_in_with_oidc_provider() {
    drive_oauth(Std, OidcProvider).await;
}

#[tokio::test]
async fn users_sign_in_with_oidc_provider_in_gotrue() {
    drive_oauth(Gotrue, OidcProvider).await;
}

#[tokio::test]
async fn users_sign_in_with_oidc_provider_mock() {
    drive_oauth(Std, OidcProviderMock).await;
}
