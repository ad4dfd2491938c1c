//! The end of a sign-in with an external provider: a session, or a code for the client that has started it.

use innkeeper_service::database::Executor;
use uuid::Uuid;

use super::provider_claim::ProviderClaim;
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::flow::grant::pkce::OAUTH;
use crate::flow::one_time::{self, pkce::CodeChallenge};
use crate::flow::session::issue::{self, Authentication, IssuedTokens};
use crate::flow::user::User;
use crate::outside::external::ProviderTokens;
use crate::store;
use crate::store::flow_states::NewProviderCode;

/// A sign-in that the provider has finished.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProviderSignIn<'a> {
    pub(crate) claim: &'a ProviderClaim,
    /// The provider's own tokens, if there are any.
    pub(crate) tokens: Option<&'a ProviderTokens>,
    /// What the client has to meet to get the session; without it, the browser gets the session.
    pub(crate) challenge: Option<&'a CodeChallenge>,
}

/// What the client gets.
#[derive(Debug)]
pub(crate) enum SignInResult {
    /// The user is signed in.
    SignedIn(Box<IssuedTokens>),
    /// The client can exchange this code.
    Code(String),
}

/// Opens the session of a user whom the provider has authenticated, or issues the code for it.
pub(crate) async fn finish(
    app: &App,
    conn: &dyn Executor,
    user: User,
    sign_in: &ProviderSignIn<'_>,
    client: &ClientInfo,
) -> Result<SignInResult> {
    if let Some(challenge) = sign_in.challenge {
        let code = issue_code(app, conn, user.id, sign_in, challenge).await?;
        return Ok(SignInResult::Code(code));
    }
    let claim = sign_in.claim;
    let authentication = Authentication {
        method: OAUTH,
        provider: &claim.provider,
        subject: Some(&claim.subject),
        identity_data: Some(&claim.data),
        flow_id: None,
        passkey: None,
    };
    let mut issued = issue::open_session_of(app, conn, user, &authentication, client).await?;
    if let Some(tokens) = sign_in.tokens {
        issued.body.provider_token = Some(tokens.access_token.clone());
        issued
            .body
            .provider_refresh_token
            .clone_from(&tokens.refresh_token);
    }
    Ok(SignInResult::SignedIn(Box::new(issued)))
}

/// Stores a code, and the provider's tokens sealed until it is exchanged.
async fn issue_code(
    app: &App,
    conn: &dyn Executor,
    user_id: Uuid,
    sign_in: &ProviderSignIn<'_>,
    challenge: &CodeChallenge,
) -> Result<String> {
    let (id, claim) = (Uuid::new_v4(), sign_in.claim);
    let owner = id.to_string();
    let seal = |token: &str| {
        app.sealer
            .seal(&owner, token.as_bytes())
            .map_err(AuthError::internal)
    };
    let access_token = sign_in
        .tokens
        .map(|it| seal(&it.access_token))
        .transpose()?;
    let refresh_token = sign_in.tokens.and_then(|it| it.refresh_token.as_deref());
    let refresh_token = refresh_token.map(seal).transpose()?;
    let code = Uuid::new_v4().to_string();
    let new = NewProviderCode {
        id,
        user_id,
        code_hash: &one_time::hash(&code),
        challenge: &challenge.text,
        challenge_method: challenge.method.name(),
        provider: &claim.provider,
        subject: &claim.subject,
        access_token: access_token.as_deref(),
        refresh_token: refresh_token.as_deref(),
        identity_data: &claim.data,
    };
    store::flow_states::insert_provider_code(conn, &new, app.clock.now()).await?;
    Ok(code)
}
