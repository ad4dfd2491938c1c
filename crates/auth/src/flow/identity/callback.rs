//! What happens when a user comes back from an external provider.

use super::finish::{ProviderSignIn, SignInResult};
use super::flow::{self, TakenFlow};
use super::provider_claim::ProviderClaim;
use super::{account, invitation, link};
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::flow::caller::audience_of_new_user;
use crate::outside::external::CallbackParameters;

/// What the browser brings back from the provider.
#[derive(Default)]
pub(crate) struct CallbackRequest {
    pub(crate) state: Option<String>,
    /// The provider's error, if there is one, and its description.
    pub(crate) error: Option<String>,
    pub(crate) error_description: Option<String>,
    pub(crate) parameters: CallbackParameters,
}

/// Where the browser is sent, and with what.
#[derive(Debug)]
pub(crate) struct CallbackOutcome {
    pub(crate) provider: String,
    pub(crate) target: String,
    pub(crate) result: std::result::Result<SignInResult, CallbackError>,
}

/// Why nobody was signed in.
#[derive(Debug)]
pub(crate) enum CallbackError {
    /// The provider says so, in its own words.
    Provider {
        error: String,
        description: Option<String>,
    },
    Auth(AuthError),
}

impl From<AuthError> for CallbackError {
    fn from(error: AuthError) -> Self {
        Self::Auth(error)
    }
}

/// Signs in the user who comes back, or adds the identity to an account. An error of its own means that the `state`
/// belongs to no flow, so that it is not known where to send the user.
pub(crate) async fn finish(
    app: &App,
    request: CallbackRequest,
    client: &ClientInfo,
) -> Result<CallbackOutcome> {
    let flow = flow::take(app, request.state.as_deref()).await?;
    // Mails of this sign-in lead to where its client wants to be.
    let client = ClientInfo {
        redirects: vec![flow.target.clone()],
        ..client.clone()
    };
    let result = complete(app, &flow, request, &client).await;
    Ok(CallbackOutcome {
        provider: flow.provider,
        target: flow.target,
        result,
    })
}

async fn complete(
    app: &App,
    flow: &TakenFlow,
    request: CallbackRequest,
    client: &ClientInfo,
) -> std::result::Result<SignInResult, CallbackError> {
    if let Some(error) = request.error {
        return Err(CallbackError::Provider {
            error,
            description: request.error_description,
        });
    }
    let parameters = &request.parameters;
    if parameters.code.is_none() && parameters.oauth_token.is_none() {
        return Err(CallbackError::Auth(AuthError::refused(
            ErrorCode::BadOauthCallback,
            "OAuth callback with missing authorization code missing",
        )));
    }
    let provider = app.providers.find(&flow.provider).await?;
    // No connection of the database is held meanwhile: providers may be slow.
    let (user, tokens) = provider.exchange(parameters, &flow.secrets).await?;
    let claim = ProviderClaim::new(provider.name(), provider.email_optional(), user);
    let sign_in = ProviderSignIn {
        claim: &claim,
        tokens: Some(&tokens),
        challenge: flow.challenge.as_ref(),
    };
    let done = match (flow.linking_user_id, &flow.invite_token) {
        (Some(user_id), _) => link::link(app, user_id, &sign_in, client).await?,
        (None, Some(token)) => invitation::accept(app, token, &sign_in, client).await?,
        (None, None) => {
            let aud = audience_of_new_user(app, client)?;
            account::sign_in(app, &sign_in, &aud, client).await?
        }
    };
    Ok(done)
}
