//! `grant_type=id_token`: sign-in with an id token that the client got from a provider by itself.

use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::flow::caller::{Caller, audience_of_new_user};
use crate::flow::identity::finish::{ProviderSignIn, SignInResult};
use crate::flow::identity::provider_claim::ProviderClaim;
use crate::flow::identity::{account, link};
use crate::flow::session::issue::IssuedTokens;
use crate::outside::external::IdToken;

/// An id token, and what the client says about it.
#[derive(Clone, Copy)]
pub(crate) struct IdTokenGrant<'a> {
    pub(crate) token: IdToken<'a>,
    pub(crate) provider: Option<&'a str>,
    /// Instead of the provider, as older clients do.
    pub(crate) client_id: Option<&'a str>,
}

/// Signs in the user of an id token, or adds the identity to the account of the caller.
pub(crate) async fn sign_in(
    app: &App,
    grant: &IdTokenGrant<'_>,
    caller: Option<&Caller>,
    client: &ClientInfo,
) -> Result<IssuedTokens> {
    if grant.token.id_token.is_empty() {
        return Err(invalid_request("id_token required"));
    }
    let has_issuer = grant.client_id.is_some() && grant.token.issuer.is_some();
    if grant.provider.is_none() && !has_issuer {
        return Err(invalid_request("provider or client_id and issuer required"));
    }
    let (issuer, client_id) = (grant.token.issuer, grant.client_id);
    let found = app
        .providers
        .find_for_id_token(grant.provider, issuer, client_id);
    let provider = found.await?;
    let user = provider.verify_id_token(&grant.token).await?;
    let claim = ProviderClaim::new(provider.name(), provider.email_optional(), user);
    let sign_in = ProviderSignIn {
        claim: &claim,
        tokens: None,
        challenge: None,
    };
    let done = if let Some(caller) = caller {
        link::link(app, caller.user.id, &sign_in, client).await?
    } else {
        let aud = audience_of_new_user(app, client)?;
        account::sign_in(app, &sign_in, &aud, client).await?
    };
    match done {
        SignInResult::SignedIn(tokens) => Ok(*tokens),
        SignInResult::Code(_) => Err(AuthError::internal("an id token ends in a session")),
    }
}

fn invalid_request(description: &'static str) -> AuthError {
    AuthError::OAuth {
        error: "invalid request",
        description: description.into(),
    }
}
