//! `grant_type=pkce`: the client that requested a link, or sent its user to a provider, exchanges its code for a
//! session.

use uuid::Uuid;

use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::HookKind;
use crate::flow::one_time;
use crate::flow::one_time::pkce::{ChallengeMethod, CodeChallenge};
use crate::flow::session::issue::{self, Authentication, IssuedTokens};
use crate::store;
use crate::store::users::IssuedCode;

/// The authentication method of flows that went on at an external provider.
pub(crate) const OAUTH: &str = "oauth";

/// Exchanges the code of a link or of a provider's user for a session.
pub(crate) async fn exchange(
    app: &App,
    code: &str,
    verifier: &str,
    client: &ClientInfo,
) -> Result<IssuedTokens> {
    if code.is_empty() || verifier.is_empty() {
        return Err(AuthError::validation(
            "invalid request: both auth code and code verifier should be non-empty",
        ));
    }
    let hash = one_time::hash(code);
    // GoTrue stores its codes, which are UUIDs, in plain text. Nothing else may be presented as it is
    // stored.
    let plain = Uuid::parse_str(code).map_or(hash.as_str(), |_| code);
    let conn = app.shared().await?;
    let found = store::users::find_by_code(&conn, &hash, plain).await?;
    let (user, flow) = found.ok_or_else(not_found)?;
    check(app, &flow, verifier)?;
    if user.is_banned(app.clock.now()) {
        return Err(AuthError::refused(ErrorCode::UserBanned, "User is banned"));
    }
    let is_external = flow.authentication_method == OAUTH;
    let authentication = Authentication {
        method: &flow.authentication_method,
        provider: if is_external { &flow.provider } else { "email" },
        // The callback has recorded which of the provider's identities was used.
        subject: is_external.then_some(""),
        identity_data: None,
        flow_id: Some(flow.id),
        passkey: None,
    };
    let mut issued = if app.hooks.is_function(HookKind::CustomAccessToken) {
        // The function sees the session, which must not stay if it issues no token.
        let mut conn = app.connection().await?;
        let tx = conn.transaction().await?;
        let issued = issue::open_session_of(app, &tx, user, &authentication, client).await?;
        tx.commit().await?;
        issued
    } else {
        issue::open_session_of(app, &conn, user, &authentication, client).await?
    };
    let open = |token: &Option<String>| open_token(app, flow.id, token.as_deref());
    issued.body.provider_token = open(&flow.provider_token);
    issued.body.provider_refresh_token = open(&flow.provider_refresh_token);
    Ok(issued)
}

/// Refuses a code that has expired, and the wrong verifier.
fn check(app: &App, flow: &IssuedCode, verifier: &str) -> Result<()> {
    // Counted from when the code was issued; a link may be followed long after it was requested.
    let lifetime = app.config.external.flow_state_expiry_duration;
    let now = app.clock.now();
    if flow
        .issued_at
        .is_none_or(|at| now.duration_since(at) > lifetime)
    {
        return Err(AuthError::refused(
            ErrorCode::FlowStateExpired,
            "invalid flow state, flow state has expired",
        ));
    }
    let method = flow
        .code_challenge_method
        .as_deref()
        .and_then(ChallengeMethod::parse);
    let challenge = CodeChallenge {
        method: method.unwrap_or(ChallengeMethod::S256),
        text: flow.code_challenge.clone().unwrap_or_default(),
    };
    if challenge.is_met_by(verifier) {
        return Ok(());
    }
    Err(AuthError::refused(
        ErrorCode::BadCodeVerifier,
        "code challenge does not match previously saved code verifier",
    ))
}

/// Returns a token of a provider, which GoTrue stores in plain text. One that cannot be opened is left out: the user is
/// signed in all the same.
fn open_token(app: &App, flow_id: Uuid, stored: Option<&str>) -> Option<String> {
    let stored = stored.filter(|stored| !stored.is_empty())?;
    if !crate::crypto::seal::is_sealed(stored) {
        return Some(stored.to_owned());
    }
    match app.sealer.open(&flow_id.to_string(), stored) {
        Ok(opened) => String::from_utf8(opened.to_vec()).ok(),
        Err(error) => {
            tracing::warn!(%error, "a provider's token cannot be opened");
            None
        }
    }
}

fn not_found() -> AuthError {
    AuthError::refused(
        ErrorCode::FlowStateNotFound,
        "invalid flow state, no valid flow state found",
    )
}
