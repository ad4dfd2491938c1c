//! Finding, linking and creating the account of somebody whom an external provider has authenticated.

use http::StatusCode;
use innkeeper_service::database::{Executor, Transaction};
use uuid::Uuid;

use super::confirmation::{AddressProof, proof_of};
use super::create::{approve, check_optional, copy_metadata, new_user};
use super::decision::{AccountDecision, LinkingRules, decide};
use super::finish::{ProviderSignIn, SignInResult, finish};
use super::provider_claim::ProviderClaim;
use super::unverified::{self, ConfirmationMail};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::{HookKind, Profile};
use crate::flow::hook;
use crate::flow::user::account::reload;
use crate::flow::user::metadata::{self, member};
use crate::flow::user::{Object, User, notify};
use crate::store;
use crate::store::users::NewUser;

/// How often a sign-in is tried while other requests change the accounts that it is about.
const MAX_TRIES: usize = 3;

/// The constraint by which every identity of a provider belongs to one account.
const ONE_ACCOUNT: &str = "identities_provider_id_provider_unique";

/// The account that an identity belongs to from now on.
enum AccountTarget<'a> {
    /// It has the identity.
    Known(&'a User),
    /// It gets the identity.
    Linked(&'a User),
    /// It does not exist yet.
    New(Box<NewUser>),
}

impl AccountTarget<'_> {
    /// Returns the account's address, and whether it is confirmed.
    fn address(&self) -> (&str, bool) {
        match self {
            Self::Known(user) | Self::Linked(user) => (&user.email, user.is_confirmed()),
            Self::New(user) => {
                let email = user.email.as_deref().unwrap_or_default();
                (email, user.email_confirmed_at.is_some())
            }
        }
    }
}

/// What became of a change of an account.
enum AccountChange {
    /// The account has changed since it was found; nothing is stored.
    Outdated,
    /// It is stored, and its address must be confirmed before anybody signs in.
    AwaitsConfirmation,
    SignedIn(SignInResult),
}

/// Signs in somebody whom an external provider has authenticated.
pub(crate) async fn sign_in(
    app: &App,
    sign_in: &ProviderSignIn<'_>,
    aud: &str,
    client: &ClientInfo,
) -> Result<SignInResult> {
    let done = try_sign_in(app, sign_in, aud, client).await;
    if let Err(error) = &done {
        let chosen = sign_in.claim.chosen(app.config.profile);
        let name = chosen.map_or("", |chosen| chosen.email.as_str());
        let traits = member("provider", sign_in.claim.provider.as_str());
        let sender = Actor::Sender { id: None, name };
        app.audit_refusal(AuditAction::SignInFailed, error, traits, sender, client)
            .await;
    }
    done
}

async fn try_sign_in(
    app: &App,
    sign_in: &ProviderSignIn<'_>,
    aud: &str,
    client: &ClientInfo,
) -> Result<SignInResult> {
    let claim = sign_in.claim;
    let rules = LinkingRules::new(&app.config, aud);
    // Repeated, because another request may change the account, or create it, at the same moment.
    for _ in 0..MAX_TRIES {
        let conn = app.shared().await?;
        let (provider, subject) = (&claim.provider, &claim.subject);
        let candidates =
            store::users::find_of_provider(&conn, provider, subject, &claim.emails()).await?;
        drop(conn);
        let decision = decide(&candidates, claim, &rules);
        let target = match decision {
            AccountDecision::SignIn(id) => AccountTarget::Known(find(&candidates, id)?),
            AccountDecision::Link(id) => AccountTarget::Linked(find(&candidates, id)?),
            AccountDecision::Create => {
                AccountTarget::New(Box::new(new_user(app, claim, aud, true)))
            }
            AccountDecision::CreateWithoutEmail => {
                check_optional(app, claim)?;
                AccountTarget::New(Box::new(new_user(app, claim, aud, false)))
            }
            AccountDecision::Conflict => return Err(conflict(app)),
        };
        if let Some(done) = attempt(app, sign_in, &target, &rules, client).await? {
            return Ok(done);
        }
    }
    Err(AuthError::Busy)
}

fn find(candidates: &[User], id: Uuid) -> Result<&User> {
    let found = candidates.iter().find(|user| user.id == id);
    found.ok_or_else(|| AuthError::internal("the decision names an account that was not found"))
}

/// Signs in to the account; `None` if it has changed since it was found.
async fn attempt(
    app: &App,
    sign_in: &ProviderSignIn<'_>,
    target: &AccountTarget<'_>,
    rules: &LinkingRules<'_>,
    client: &ClientInfo,
) -> Result<Option<SignInResult>> {
    if let AccountTarget::Known(user) | AccountTarget::Linked(user) = target
        && user.is_banned(app.clock.now())
    {
        return Err(banned());
    }
    if let AccountTarget::New(user) = target {
        approve(app, user, sign_in.claim, client).await?;
    }
    let (email, is_confirmed) = target.address();
    let proof = proof_of(email, is_confirmed, sign_in.claim, rules);
    match (target, proof) {
        (AccountTarget::Known(user), AddressProof::Unneeded) => {
            enter(app, (*user).clone(), sign_in, client).await.map(Some)
        }
        (_, AddressProof::Missing) => {
            let mail = ConfirmationMail::claim(app, email).await?;
            let done = Box::pin(change(app, sign_in, target, proof, Some(&mail), client)).await;
            if matches!(done, Err(_) | Ok(AccountChange::Outdated)) {
                mail.release(app, email).await;
            }
            outcome(done?, &sign_in.claim.provider)
        }
        _ => {
            let done = Box::pin(change(app, sign_in, target, proof, None, client)).await?;
            outcome(done, &sign_in.claim.provider)
        }
    }
}

fn outcome(done: AccountChange, provider: &str) -> Result<Option<SignInResult>> {
    match done {
        AccountChange::Outdated => Ok(None),
        AccountChange::SignedIn(result) => Ok(Some(result)),
        AccountChange::AwaitsConfirmation => Err(unverified::needs_verification(provider)),
    }
}

/// Signs in to an account that has the identity and needs no change of its own, with two statements.
async fn enter(
    app: &App,
    mut user: User,
    sign_in: &ProviderSignIn<'_>,
    client: &ClientInfo,
) -> Result<SignInResult> {
    let before = (user.app_metadata.clone(), user.user_metadata.clone());
    if app.config.metadata.from_providers {
        copy_metadata(app, &mut user, &sign_in.claim.data);
        metadata::refresh_providers(&mut user);
    }
    let is_changed = before != (user.app_metadata.clone(), user.user_metadata.clone());
    let now = app.clock.now();
    if app.hooks.is_function(HookKind::CustomAccessToken) {
        // The function sees the session, which must not stay if it issues no token.
        let mut conn = app.connection().await?;
        let tx = conn.transaction().await?;
        if is_changed {
            store::users::set_metadata(&tx, &user, now).await?;
        }
        let done = finish(app, &tx, user, sign_in, client).await?;
        tx.commit().await?;
        return Ok(done);
    }
    let conn = app.shared().await?;
    if is_changed {
        store::users::set_metadata(&conn, &user, now).await?;
    }
    finish(app, &conn, user, sign_in, client).await
}

/// Creates, links or confirms the account, in one transaction.
async fn change(
    app: &App,
    sign_in: &ProviderSignIn<'_>,
    target: &AccountTarget<'_>,
    proof: AddressProof,
    mail: Option<&ConfirmationMail>,
    client: &ClientInfo,
) -> Result<AccountChange> {
    let claim = sign_in.claim;
    let _permit = app.hooks.token_permit().await;
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let Some(user) = prepare(app, &tx, target, claim).await? else {
        return Ok(AccountChange::Outdated);
    };
    if proof == AddressProof::Confirms {
        take_over(app, &tx, &user, claim).await?;
    } else {
        update_metadata(app, &tx, user.clone(), claim).await?;
    }
    audit(app, &tx, target, &user, claim, client).await?;
    let user = reload(&tx, user.id).await?;
    let pending = match mail {
        Some(mail) => Some(mail.enqueue(app, &tx, &user, client).await?),
        None => None,
    };
    let is_new = matches!(target, AccountTarget::New(_));
    let created = is_new.then(|| user.clone());
    let may_enter = mail.is_none() || app.config.mailer.allow_unverified_email_sign_ins;
    let done = if may_enter {
        AccountChange::SignedIn(finish(app, &tx, user, sign_in, client).await?)
    } else {
        AccountChange::AwaitsConfirmation
    };
    tx.commit().await?;
    drop(conn);
    if let Some(user) = created {
        hook::accounts::after_user_created(app, &user, client);
    }
    app.mailer.wake();
    if let Some(pending) = pending {
        pending.send(app).await?;
    }
    Ok(done)
}

/// Locks or creates the account, and adds the identity; `None` if the account has changed since it was found.
async fn prepare(
    app: &App,
    tx: &Transaction<'_>,
    target: &AccountTarget<'_>,
    claim: &ProviderClaim,
) -> Result<Option<User>> {
    let id = match target {
        AccountTarget::Known(user) | AccountTarget::Linked(user) => {
            let locked = store::users::lock_by_id(tx, user.id).await?;
            if !locked.is_some_and(|locked| is_unchanged(user, &locked)) {
                return Ok(None);
            }
            user.id
        }
        AccountTarget::New(user) => {
            let added = store::users::insert(tx, user, app.clock.now()).await;
            match added {
                Err(error) if error.constraint() == Some("users_email_partial_key") => {
                    return Ok(None);
                }
                added => added?,
            }
            user.id
        }
    };
    let is_known = matches!(target, AccountTarget::Known(_));
    if !is_known && !add_identity(app, tx, id, claim).await? {
        return Ok(None);
    }
    reload(tx, id).await.map(Some)
}

/// Whether what the decision depends on is still so.
fn is_unchanged(before: &User, now: &User) -> bool {
    let facts = |user: &User| {
        let times = (user.email_confirmed_at, user.phone_confirmed_at);
        (
            user.email.clone(),
            times,
            user.banned_until,
            user.deleted_at,
        )
    };
    facts(before) == facts(now)
}

/// Adds the identity to an account. Returns `false` if it belongs to one already; then the transaction has failed.
pub(crate) async fn add_identity(
    app: &App,
    tx: &dyn Executor,
    user_id: Uuid,
    claim: &ProviderClaim,
) -> Result<bool> {
    let (provider, subject, now) = (&claim.provider, &claim.subject, app.clock.now());
    let added =
        store::identities::insert_external(tx, user_id, provider, subject, &claim.data, now).await;
    match added {
        Ok(()) => Ok(true),
        Err(error) if error.constraint() == Some(ONE_ACCOUNT) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Confirms the address of an account that nobody had confirmed. What somebody who may not own the address has given
/// the account is removed: password, pending changes, phone number, other identities, sessions, metadata and links.
pub(crate) async fn take_over(
    app: &App,
    tx: &dyn Executor,
    user: &User,
    claim: &ProviderClaim,
) -> Result<()> {
    let (id, now) = (user.id, app.clock.now());
    store::users::remove_unproven_credentials(tx, id, now).await?;
    if !user.phone.is_empty() && user.phone_confirmed_at.is_none() {
        store::users::remove_phone(tx, id, now).await?;
    }
    store::identities::delete_unproven(tx, id, &claim.provider, &claim.subject).await?;
    store::sessions::delete_of_user(tx, id).await?;
    store::one_time_tokens::clear_all(tx, id).await?;
    store::users::confirm_email(tx, id, now).await?;
    let mut changed = reload(tx, id).await?;
    changed.user_metadata = Object::new();
    copy_metadata(app, &mut changed, &claim.data);
    metadata::refresh_providers(&mut changed);
    store::users::set_metadata(tx, &changed, now).await?;
    Ok(())
}

/// Updates the list of providers and, if it is configured, the metadata of the user.
pub(crate) async fn update_metadata(
    app: &App,
    tx: &dyn Executor,
    mut user: User,
    claim: &ProviderClaim,
) -> Result<()> {
    if app.config.metadata.from_providers {
        copy_metadata(app, &mut user, &claim.data);
    }
    metadata::refresh_providers(&mut user);
    store::users::set_metadata(tx, &user, app.clock.now()).await?;
    Ok(())
}

/// Writes what has happened to the audit log, and tells the owner of an account about a new identity.
async fn audit(
    app: &App,
    tx: &dyn Executor,
    target: &AccountTarget<'_>,
    user: &User,
    claim: &ProviderClaim,
    client: &ClientInfo,
) -> Result<()> {
    let action = match target {
        AccountTarget::Known(_) => return Ok(()),
        AccountTarget::Linked(user) if user.is_confirmed() => AuditAction::IdentityLinked,
        AccountTarget::Linked(user) if user.invited_at.is_some() => AuditAction::InviteAccepted,
        _ => AuditAction::UserSignedUp,
    };
    let traits = member("provider", claim.provider.as_str());
    app.audit_as(tx, action, traits, Actor::User(user), client)
        .await?;
    if action == AuditAction::IdentityLinked {
        notify::identity_linked(app, tx, user, &claim.provider, client).await?;
    }
    Ok(())
}

/// The error for an identity whose addresses belong to several accounts.
fn conflict(app: &App) -> AuthError {
    match app.config.profile {
        Profile::Std => AuthError::refused_as(
            StatusCode::UNPROCESSABLE_ENTITY,
            ErrorCode::Conflict,
            "The email addresses of this identity belong to other accounts; sign in to one of them and link it there",
        ),
        Profile::Gotrue => AuthError::refused(
            ErrorCode::UnexpectedFailure,
            "Multiple accounts with the same email address in the same linking domain detected",
        ),
    }
}

/// 422 `identity_already_exists`.
pub(crate) fn already_linked(message: &'static str) -> AuthError {
    AuthError::refused(ErrorCode::IdentityAlreadyExists, message)
}

/// 403 `user_banned`.
pub(crate) fn banned() -> AuthError {
    AuthError::refused(ErrorCode::UserBanned, "User is banned")
}
