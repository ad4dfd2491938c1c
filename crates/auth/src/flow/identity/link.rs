//! Manual linking: a user who is signed in adds an identity to the account.

use http::StatusCode;
use innkeeper_service::database::Transaction;
use uuid::Uuid;

use super::account;
use super::finish::{ProviderSignIn, SignInResult, finish};
use super::provider_claim::ProviderClaim;
use super::unverified::ConfirmationMail;
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::Profile;
use crate::flow::one_time::send::PendingMails;
use crate::flow::user::account::reload;
use crate::flow::user::metadata::member;
use crate::flow::user::{User, notify};
use crate::store;

/// What becomes of the address of an account that had none.
enum NewAddress<'a> {
    /// The account keeps what it has.
    Unchanged,
    /// The provider has verified this address.
    Confirmed(&'a str),
    /// The user has to confirm this address first.
    Unconfirmed(&'a str),
}

/// Refuses changes by a session that lacks the second factor of its user, in std.
pub(crate) fn check_allowed(app: &App, caller: &crate::flow::caller::Caller) -> Result<()> {
    if app.config.profile == Profile::Std && caller.lacks_second_factor() {
        return Err(AuthError::refused(
            ErrorCode::InsufficientAal,
            "AAL2 session is required to change identities when MFA is enabled.",
        ));
    }
    Ok(())
}

/// 404 `manual_linking_disabled`, unless `SECURITY_MANUAL_LINKING_ENABLED` is on.
pub(crate) fn check_enabled(app: &App) -> Result<()> {
    if app.config.security.manual_linking_enabled {
        return Ok(());
    }
    Err(AuthError::refused(
        ErrorCode::ManualLinkingDisabled,
        "Manual linking is disabled",
    ))
}

/// Adds the identity to the account of a user, and signs the user in.
pub(crate) async fn link(
    app: &App,
    user_id: Uuid,
    sign_in: &ProviderSignIn<'_>,
    client: &ClientInfo,
) -> Result<SignInResult> {
    let claim = sign_in.claim;
    let conn = app.shared().await?;
    let user = store::users::find_by_id(&conn, user_id).await?;
    let user = user.ok_or_else(user_not_found)?;
    let emails = claim.emails();
    let (provider, subject) = (&claim.provider, &claim.subject);
    let others = store::users::find_of_provider(&conn, provider, subject, &emails).await?;
    drop(conn);
    check_free(&others, &user, claim)?;
    let address = new_address(app, &user, &others, claim);
    let mail = match &address {
        NewAddress::Unconfirmed(email) => Some(ConfirmationMail::claim(app, email).await?),
        _ => None,
    };
    let done = Box::pin(store_link(
        app,
        &user,
        &address,
        mail.as_ref(),
        sign_in,
        client,
    ))
    .await;
    if let (Err(_), Some(mail), NewAddress::Unconfirmed(email)) = (&done, &mail, &address) {
        mail.release(app, email).await;
    }
    done?.ok_or_else(|| {
        AuthError::refused_as(
            StatusCode::UNPROCESSABLE_ENTITY,
            ErrorCode::EmailNotConfirmed,
            format!(
                "Unverified email with {provider}. A confirmation email has been sent to your {provider} email."
            ),
        )
    })
}

/// Refuses an identity that belongs to an account.
fn check_free(others: &[User], user: &User, claim: &ProviderClaim) -> Result<()> {
    let owner = others.iter().find(|other| {
        let mut identities = other.identities.iter().flatten();
        identities.any(|it| it.provider == claim.provider && it.id == claim.subject)
    });
    match owner {
        None => Ok(()),
        Some(owner) if owner.id == user.id => {
            Err(account::already_linked("Identity is already linked"))
        }
        Some(_) => Err(account::already_linked(
            "Identity is already linked to another user",
        )),
    }
}

/// Decides which address an account without one gets. In std, an address that nobody has verified and that another
/// account has is left alone.
fn new_address<'a>(
    app: &App,
    user: &User,
    others: &[User],
    claim: &'a ProviderClaim,
) -> NewAddress<'a> {
    let profile = app.config.profile;
    let Some(chosen) = claim.chosen(profile).filter(|_| user.email.is_empty()) else {
        return NewAddress::Unchanged;
    };
    let email = chosen.email.as_str();
    if chosen.is_verified {
        return NewAddress::Confirmed(email);
    }
    let is_taken = others
        .iter()
        .any(|other| other.id != user.id && other.email.eq_ignore_ascii_case(email));
    if is_taken && profile == Profile::Std {
        return NewAddress::Unchanged;
    }
    NewAddress::Unconfirmed(email)
}

/// Stores the link, and signs the user in; `None` if the user has to confirm the address first.
async fn store_link(
    app: &App,
    user: &User,
    address: &NewAddress<'_>,
    mail: Option<&ConfirmationMail>,
    sign_in: &ProviderSignIn<'_>,
    client: &ClientInfo,
) -> Result<Option<SignInResult>> {
    let claim = sign_in.claim;
    let _permit = app.hooks.token_permit().await;
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let locked = store::users::lock_by_id(&tx, user.id).await?;
    let locked = locked.ok_or_else(user_not_found)?;
    if locked.is_banned(app.clock.now()) {
        return Err(account::banned());
    }
    if locked.email != user.email {
        return Err(AuthError::Busy);
    }
    if !account::add_identity(app, &tx, user.id, claim).await? {
        return Err(account::already_linked("Identity is already linked"));
    }
    set_address(app, &tx, user.id, address).await?;
    let changed = reload(&tx, user.id).await?;
    account::update_metadata(app, &tx, changed, claim).await?;
    let changed = reload(&tx, user.id).await?;
    let traits = member("provider", claim.provider.as_str());
    let actor = Actor::User(&changed);
    app.audit_as(&tx, AuditAction::IdentityLinked, traits, actor, client)
        .await?;
    // An address that has yet to be confirmed gets the mail for that and no notification.
    let (pending, done) = if let Some(mail) = mail {
        (mail.enqueue(app, &tx, &changed, client).await?, None)
    } else {
        notify::identity_linked(app, &tx, &changed, &claim.provider, client).await?;
        let done = finish(app, &tx, changed, sign_in, client).await?;
        (PendingMails::default(), Some(done))
    };
    tx.commit().await?;
    drop(conn);
    pending.send(app).await?;
    Ok(done)
}

async fn set_address(
    app: &App,
    tx: &Transaction<'_>,
    id: Uuid,
    address: &NewAddress<'_>,
) -> Result<()> {
    let now = app.clock.now();
    let email = match address {
        NewAddress::Unchanged => return Ok(()),
        NewAddress::Confirmed(email) | NewAddress::Unconfirmed(email) => *email,
    };
    let replaced = store::users::replace_email(tx, id, Some(email), None, now).await;
    match replaced {
        Err(error) if error.constraint() == Some("users_email_partial_key") => {
            return Err(AuthError::refused_as(
                StatusCode::BAD_REQUEST,
                ErrorCode::EmailExists,
                "A user with this email address has already been registered",
            ));
        }
        replaced => replaced?,
    }
    if matches!(address, NewAddress::Confirmed(_)) {
        // An anonymous user becomes permanent.
        store::users::confirm_email(tx, id, now).await?;
    }
    Ok(())
}

fn user_not_found() -> AuthError {
    AuthError::refused(ErrorCode::UserNotFound, "User not found")
}
