//! Invitations that are accepted by a sign-in with an external provider.

use http::StatusCode;
use innkeeper_service::database::Executor;

use super::account;
use super::finish::{ProviderSignIn, SignInResult, finish};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::Profile;
use crate::flow::one_time::find::{self, ValidToken};
use crate::flow::one_time::verify_type::VerifyType;
use crate::flow::user::account::reload;
use crate::flow::user::metadata::member;

/// Refuses an invitation that does not exist, before the user is sent to the provider.
pub(crate) async fn check(app: &App, secret: &str) -> Result<()> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    // Not committed: the invitation is used when the user comes back.
    find_invitation(app, &tx, secret).await.map(drop)
}

async fn find_invitation(app: &App, tx: &dyn Executor, secret: &str) -> Result<ValidToken> {
    let found = find::by_link(app, tx, VerifyType::Invite, secret).await?;
    let found = found.ok().filter(|it| it.user.email_confirmed_at.is_none());
    found.ok_or_else(|| AuthError::refused(ErrorCode::InviteNotFound, "Invite not found"))
}

/// Accepts an invitation: its account gets the identity, if the provider's user has the invited address.
pub(crate) async fn accept(
    app: &App,
    secret: &str,
    sign_in: &ProviderSignIn<'_>,
    client: &ClientInfo,
) -> Result<SignInResult> {
    let (now, claim) = (app.clock.now(), sign_in.claim);
    let _permit = app.hooks.token_permit().await;
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let user = find_invitation(app, &tx, secret).await?.user;
    if user.is_banned(now) {
        return Err(account::banned());
    }
    let has_address = match app.config.profile {
        Profile::Std => claim.has_verified(&user.email),
        Profile::Gotrue => claim
            .emails()
            .iter()
            .any(|email| email.eq_ignore_ascii_case(&user.email)),
    };
    if !has_address {
        return Err(AuthError::refused_as(
            StatusCode::BAD_REQUEST,
            ErrorCode::ValidationFailed,
            "Invited email does not match emails from external provider",
        ));
    }
    if !account::add_identity(app, &tx, user.id, claim).await? {
        return Err(account::already_linked(
            "Identity is already linked to another user",
        ));
    }
    account::take_over(app, &tx, &user, claim).await?;
    let traits = member("provider", claim.provider.as_str());
    let actor = Actor::User(&user);
    app.audit_as(&tx, AuditAction::InviteAccepted, traits, actor, client)
        .await?;
    let user = reload(&tx, user.id).await?;
    let done = finish(app, &tx, user, sign_in, client).await?;
    tx.commit().await?;
    Ok(done)
}
