//! The `state` of a sign-in that goes on at an external provider: the id of a stored row, which is used once.

use serde::{Deserialize, Serialize};
use url::Url;
use uuid::Uuid;

use super::invitation;
use crate::app::App;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::flow::one_time::pkce::{ChallengeMethod, CodeChallenge};
use crate::outside::external::{AuthorizationRequest, FlowSecrets};
use crate::store;
use crate::store::flow_states::NewProviderFlow;

/// A sign-in that a client wants to start.
#[derive(Debug)]
pub(crate) struct FlowStart {
    pub(crate) provider: String,
    /// Scopes besides those that the provider is always asked for.
    pub(crate) scopes: Vec<String>,
    /// Parameters that are meant for the provider.
    pub(crate) forwarded: Vec<(String, String)>,
    /// The code challenge and its method as they were sent.
    pub(crate) challenge: (Option<String>, Option<String>),
    /// The secret of an invitation that the sign-in accepts.
    pub(crate) invite_token: Option<String>,
    /// The URL that the user is sent back to.
    pub(crate) target: String,
    /// The user whom the identity will be added to.
    pub(crate) linking_user_id: Option<Uuid>,
}

/// What is stored sealed with a flow.
#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct SealedPart {
    secrets: FlowSecrets,
    invite_token: Option<String>,
}

/// Stores the flow, and returns the URL at the provider that the user is sent to.
pub(crate) async fn start(app: &App, start: FlowStart) -> Result<Url> {
    let provider = app.providers.find(&start.provider).await?;
    if let Some(token) = &start.invite_token {
        invitation::check(app, token).await?;
    }
    let (challenge, method) = &start.challenge;
    let challenge = CodeChallenge::parse_pair(challenge.as_deref(), method.as_deref())?;
    let id = Uuid::new_v4();
    let state = id.to_string();
    let request = AuthorizationRequest {
        state: &state,
        scopes: &start.scopes,
        forwarded: &start.forwarded,
    };
    let authorization = provider.authorize(&request).await?;
    let part = SealedPart {
        secrets: authorization.secrets,
        invite_token: start.invite_token,
    };
    let part = serde_json::to_vec(&part).map_err(AuthError::internal)?;
    let sealed = app
        .sealer
        .seal(&state, &part)
        .map_err(AuthError::internal)?;
    let flow = NewProviderFlow {
        id,
        provider: provider.name(),
        target: &start.target,
        challenge: challenge
            .as_ref()
            .map(|it| (it.method.name(), it.text.as_str())),
        linking_user_id: start.linking_user_id,
        sealed: &sealed,
    };
    let conn = app.shared().await?;
    store::flow_states::insert_provider_flow(&conn, &flow, app.clock.now()).await?;
    Ok(authorization.url)
}

/// A flow whose user has come back from the provider.
#[derive(Debug)]
pub(crate) struct TakenFlow {
    pub(crate) provider: String,
    pub(crate) target: String,
    pub(crate) challenge: Option<CodeChallenge>,
    pub(crate) linking_user_id: Option<Uuid>,
    pub(crate) invite_token: Option<String>,
    pub(crate) secrets: FlowSecrets,
}

/// Takes the flow with this `state`. Nobody else gets it again.
pub(crate) async fn take(app: &App, state: Option<&str>) -> Result<TakenFlow> {
    let state = state.ok_or_else(|| {
        AuthError::refused(ErrorCode::BadOauthCallback, "OAuth state parameter missing")
    })?;
    let id = Uuid::parse_str(state).map_err(|_| bad_state("OAuth state parameter is invalid"))?;
    let conn = app.shared().await?;
    let row = store::flow_states::take_provider_flow(&conn, id).await?;
    let row = row.ok_or_else(|| bad_state("OAuth state not found or expired"))?;
    let lifetime = app.config.external.flow_state_expiry_duration;
    let now = app.clock.now();
    if row
        .created_at
        .is_none_or(|at| now.duration_since(at) > lifetime)
    {
        return Err(bad_state("OAuth state has expired"));
    }
    let part = match row.sealed.as_deref() {
        Some(sealed) => open(app, id, sealed)?,
        // GoTrue has started the flow.
        None => SealedPart::default(),
    };
    let method = row.code_challenge_method.as_deref();
    let method = method.and_then(ChallengeMethod::parse);
    let text = row.code_challenge.filter(|text| !text.is_empty());
    let configured = app.config.external.redirect_url.clone();
    let target = configured.or(row.target).filter(|url| !url.is_empty());
    Ok(TakenFlow {
        provider: row.provider_type,
        target: target.unwrap_or_else(|| app.redirects.site().to_owned()),
        challenge: method
            .zip(text)
            .map(|(method, text)| CodeChallenge { method, text }),
        linking_user_id: row.linking_user_id,
        invite_token: part.invite_token,
        secrets: part.secrets,
    })
}

fn open(app: &App, id: Uuid, sealed: &str) -> Result<SealedPart> {
    let opened = app
        .sealer
        .open(&id.to_string(), sealed)
        .map_err(AuthError::internal)?;
    serde_json::from_slice(&opened).map_err(AuthError::internal)
}

fn bad_state(message: &'static str) -> AuthError {
    AuthError::refused(ErrorCode::BadOauthState, message)
}
