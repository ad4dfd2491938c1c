//! `grant_type=pkce`: the client that requested a link exchanges its code for a session.

use uuid::Uuid;

use crate::app::App;
use crate::client::ClientInfo;
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::one_time;
use crate::one_time::pkce::{ChallengeMethod, CodeChallenge};
use crate::session::issue::{self, IssuedTokens};
use crate::store;

/// Exchanges the code of a link for a session.
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
    let _permit = app.hooks.token_permit().await;
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let hash = one_time::hash(code);
    // GoTrue stores its codes, which are UUIDs, in plain text. Nothing else may be presented as it is
    // stored.
    let plain = Uuid::parse_str(code).map_or(hash.as_str(), |_| code);
    let flow = store::flow_states::find_by_code(&tx, &hash, plain).await?;
    let flow = flow.ok_or_else(not_found)?;
    let now = app.clock.now();
    // Counted from when the code was issued; a link may be followed long after it was requested.
    let lifetime = app.config.external.flow_state_expiry_duration;
    let issued_at = flow.auth_code_issued_at.or(flow.created_at);
    if issued_at.is_none_or(|at| now.duration_since(at) > lifetime) {
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
        text: flow.code_challenge.unwrap_or_default(),
    };
    if !challenge.is_met_by(verifier) {
        return Err(AuthError::refused(
            ErrorCode::BadCodeVerifier,
            "code challenge does not match previously saved code verifier",
        ));
    }
    // Another request may have used the code in the meantime.
    if !store::flow_states::take(&tx, flow.id).await? {
        return Err(not_found());
    }
    let user = match flow.user_id {
        Some(id) => store::users::find_by_id(&tx, id).await?,
        None => None,
    };
    let user = user.ok_or_else(not_found)?;
    if user.is_banned(now) {
        return Err(AuthError::refused(ErrorCode::UserBanned, "User is banned"));
    }
    let method = flow.authentication_method.as_str();
    let issued = issue::open_session(app, &tx, user, method, "email", client).await?;
    tx.commit().await?;
    Ok(issued)
}

fn not_found() -> AuthError {
    AuthError::refused(
        ErrorCode::FlowStateNotFound,
        "invalid flow state, no valid flow state found",
    )
}
