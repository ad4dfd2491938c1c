//! Sign-up with an email address and a password.

use std::time::Instant;

use http::StatusCode;
use jiff::Timestamp;
use uuid::Uuid;

use super::metadata::{self, email_identity};
use super::pending::{self, OfferedPassword, PendingPassword, is_in_use};
use super::shown::{decoy, unconfirmed_user, waiting};
use super::{Object, User, conflict, password};
use crate::app::App;
use crate::audit::{Actor, AuditAction};
use crate::client::{ApiVersion, ClientInfo};
use crate::config::{HookKind, MessageKind, Profile};
use crate::contact::Email;
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::hook;
use crate::one_time::TokenKind;
use crate::one_time::mail_limit::{self, UnsentMail};
use crate::one_time::pkce::CodeChallenge;
use crate::one_time::send::{self, OneTimeMail, PendingMails};
use crate::response_timer::ResponseTimer;
use crate::session::issue::{self, IssuedTokens, TokenPair};
use crate::store::users::{NewUser, RepeatedSignup};
use crate::store::{self, GenericClient};

/// How often a sign-up is tried while other requests change the account.
const MAX_TRIES: usize = 3;

/// A sign-up, after the checks.
#[derive(Debug)]
pub(crate) struct Signup {
    pub(crate) aud: String,
    pub(crate) email: Email,
    pub(crate) password: String,
    pub(crate) data: Object,
    pub(crate) challenge: Option<CodeChallenge>,
}

/// The result of a sign-up.
#[derive(Debug, schemars::JsonSchema)]
#[schemars(rename = "SignedUp")]
#[serde(untagged)]
pub(crate) enum SignupOutcome {
    /// The email address must be confirmed first; for a taken address, a decoy.
    Unconfirmed(Box<User>),
    /// The user is signed in.
    SignedIn(#[schemars(with = "TokenPair")] Box<IssuedTokens>),
}

/// Signs a user up.
pub(crate) async fn sign_up(
    app: &App,
    signup: Signup,
    client: &ClientInfo,
) -> Result<SignupOutcome> {
    if app.config.mailer.autoconfirm {
        let hash = app.hashes.hash(&signup.password).await?;
        return sign_up_autoconfirmed(app, &signup, &hash, client).await;
    }
    let mut timer = ResponseTimer::start();
    let waiting = sign_up_by_mail(app, &signup, client, &mut timer).await;
    timer.wait().await;
    Ok(SignupOutcome::Unconfirmed(Box::new(waiting?)))
}

/// Signs a user up and sends the confirmation mail. A taken email address gets the same response.
async fn sign_up_by_mail(
    app: &App,
    signup: &Signup,
    client: &ClientInfo,
    timer: &mut ResponseTimer,
) -> Result<User> {
    app.check_mail()?;
    let address = signup.email.as_str();
    let kind = MessageKind::Confirmation;
    let unsent = UnsentMail::default();
    let work = Box::pin(store_and_enqueue(app, signup, &unsent, client, timer));
    mail_limit::with_claim_unless(app, address, kind, &unsent, work).await
}

/// Stores the sign-up and enqueues the mail, unless the email address is taken.
async fn store_and_enqueue(
    app: &App,
    signup: &Signup,
    unsent: &UnsentMail,
    client: &ClientInfo,
    timer: &mut ResponseTimer,
) -> Result<User> {
    let approved = approve(app, signup, client).await?;
    // Repeated, because another request may sign up with the address at the same moment.
    for _ in 0..MAX_TRIES {
        let conn = app.shared().await?;
        let known = store::users::find_by_email(&conn, &signup.aud, signup.email.as_str()).await?;
        let unconfirmed = known.filter(|user| !is_in_use(app, user));
        // The same work for all addresses, which therefore does not count for the time of the response.
        let begun = Instant::now();
        let turn = password::turn(app, signup.email.as_str()).await?;
        let offered = pending::offer(app, unconfirmed.as_ref(), &signup.password).await?;
        drop(turn);
        timer.exclude(begun.elapsed());
        if let Some(shown) = try_store(app, signup, approved, &offered, unsent, client).await? {
            return Ok(shown);
        }
    }
    // The address belongs to an account of another audience.
    unsent.mark();
    Ok(decoy(app, signup))
}

/// Stores the sign-up and enqueues the mail, in one transaction; `None` if the account has changed since the
/// password was prepared.
async fn try_store(
    app: &App,
    signup: &Signup,
    approved: Option<Uuid>,
    offered: &OfferedPassword,
    unsent: &UnsentMail,
    client: &ClientInfo,
) -> Result<Option<User>> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let known = store::users::lock_by_email(&tx, &signup.aud, signup.email.as_str()).await?;
    let id = match (known, offered) {
        (Some(user), _) if is_in_use(app, &user) => {
            app.audit(&tx, AuditAction::RepeatedSignup, &user, client)
                .await?;
            tx.commit().await?;
            unsent.mark();
            return Ok(Some(decoy(app, signup)));
        }
        (Some(user), offered) => match sign_up_again(app, &tx, user, signup, offered).await? {
            Some(id) => id,
            None => return Ok(None),
        },
        (None, OfferedPassword::Compared { .. }) => return Ok(None),
        (None, OfferedPassword::Hashed(hash)) => {
            let hash = Some(hash.clone());
            match create(app, &tx, signup, approved, hash, None).await {
                Ok(id) => id,
                Err(error) if is_taken(&error) => {
                    tx.rollback().await?;
                    pending::adopt(app, &mut conn, &signup.aud, &signup.email).await?;
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
        }
    };
    let (user, shown, pending) = enqueue_confirmation(app, &tx, id, signup, client).await?;
    tx.commit().await?;
    drop(conn);
    if approved == Some(id) {
        hook::accounts::after_user_created(app, &user, client);
    }
    pending.send(app).await?;
    Ok(Some(shown))
}

/// Signs up with the address of an account that was never confirmed. Returns its id, or `None` if it has changed
/// since the password was prepared.
async fn sign_up_again(
    app: &App,
    tx: &impl GenericClient,
    user: User,
    signup: &Signup,
    offered: &OfferedPassword,
) -> Result<Option<Uuid>> {
    let (id, stored) = (user.id, user.encrypted_password.clone());
    let is_waiting = pending::is_waiting(app, &user);
    let stored = match pending::decide(offered, is_waiting, stored.as_deref()) {
        PendingPassword::Replace(hash) => {
            store::one_time_tokens::clear_all(tx, id).await?;
            Some(password::sealed_for_storage(app, id, hash.to_owned())?)
        }
        PendingPassword::Keep => stored,
        PendingPassword::Drop => None,
        PendingPassword::Outdated => return Ok(None),
    };
    // Links to the address itself stay valid.
    for kind in [TokenKind::EmailChangeNew, TokenKind::EmailChangeCurrent] {
        store::one_time_tokens::clear_kind(tx, id, kind.name()).await?;
    }
    start_over(app, tx, user, signup, stored, false).await?;
    Ok(Some(id))
}

/// Calls the hook that may reject a new account, and returns the id for it. Returns `None`, without a call,
/// if the email address has an account.
pub(crate) async fn approve(
    app: &App,
    signup: &Signup,
    client: &ClientInfo,
) -> Result<Option<Uuid>> {
    let id = Uuid::new_v4();
    if !app.hooks.is_on(HookKind::BeforeUserCreated) {
        return Ok(Some(id));
    }
    let conn = app.shared().await?;
    let known = store::users::find_by_email(&conn, &signup.aud, signup.email.as_str()).await?;
    if known.is_some() {
        return Ok(None);
    }
    let user = User {
        confirmation_sent_at: None,
        user_metadata: signup.data.clone(),
        identities: Some(Vec::new()),
        ..unconfirmed_user(app, signup, id, Uuid::nil())
    };
    hook::accounts::before_user_created(app, &user, client).await?;
    Ok(Some(id))
}

/// Creates an account with an identity for its address.
pub(crate) async fn create(
    app: &App,
    tx: &impl GenericClient,
    signup: &Signup,
    approved: Option<Uuid>,
    hash: Option<String>,
    confirmed_at: Option<Timestamp>,
) -> Result<Uuid> {
    let now = app.clock.now();
    // The account that the address had a moment ago is gone; the hook was not called for a new one.
    let id = approved.ok_or(AuthError::Busy)?;
    let data = email_identity(
        &signup.data,
        id,
        signup.email.as_str(),
        confirmed_at.is_some(),
    );
    let hash = hash.map(|hash| password::sealed_for_storage(app, id, hash));
    let mut app_metadata = Object::new();
    metadata::set_providers(&mut app_metadata, &["email"]);
    let user = NewUser {
        id,
        aud: signup.aud.clone(),
        role: app.config.jwt.default_group_name.clone(),
        email: Some(signup.email.as_str().to_owned()),
        encrypted_password: hash.transpose()?,
        email_confirmed_at: confirmed_at,
        app_metadata,
        user_metadata: data.clone(),
        ..NewUser::default()
    };
    store::users::insert(tx, &user, now)
        .await
        .map_err(conflict::of_constraint)?;
    store::identities::insert(tx, id, "email", &data, now).await?;
    Ok(id)
}

fn is_taken(error: &AuthError) -> bool {
    matches!(
        error,
        AuthError::Refused {
            code: ErrorCode::EmailExists,
            ..
        }
    )
}

/// Enqueues the confirmation mail. Returns the account, and the account as if it were new, for the response:
/// it must reveal neither whether the account is new nor the metadata of an operator.
async fn enqueue_confirmation(
    app: &App,
    tx: &impl GenericClient,
    id: Uuid,
    signup: &Signup,
    client: &ClientInfo,
) -> Result<(User, User, PendingMails)> {
    let user = reload(tx, id).await?;
    app.audit(tx, AuditAction::ConfirmationRequested, &user, client)
        .await?;
    let mail = OneTimeMail {
        kind: MessageKind::Confirmation,
        challenge: signup.challenge.as_ref(),
        client,
        carries_password: true,
    };
    let pending = send::enqueue_mail(app, tx, &user, mail).await?;
    let shown = waiting(app, signup, &user);
    Ok((user, shown, pending))
}

/// Resets an account that was never confirmed for a new sign-up: the newest data counts, and earlier sessions
/// end.
async fn start_over(
    app: &App,
    tx: &impl GenericClient,
    mut user: User,
    signup: &Signup,
    encrypted_password: Option<String>,
    is_verified: bool,
) -> Result<()> {
    let now = app.clock.now();
    let id = user.id;
    let data = email_identity(&signup.data, id, signup.email.as_str(), is_verified);
    metadata::set_providers(&mut user.app_metadata, &["email"]);
    store::sessions::delete_of_user(tx, id).await?;
    store::identities::delete_others(tx, id, "email").await?;
    if !store::identities::replace(tx, id, "email", &data, now).await? {
        store::identities::insert(tx, id, "email", &data, now).await?;
    }
    let repeated = RepeatedSignup {
        encrypted_password: encrypted_password.as_deref(),
        app_metadata: user.app_metadata,
        user_metadata: data,
    };
    store::users::overwrite_unconfirmed(tx, id, repeated, now).await?;
    Ok(())
}

/// Signs a user up without a confirmation mail.
async fn sign_up_autoconfirmed(
    app: &App,
    signup: &Signup,
    hash: &str,
    client: &ClientInfo,
) -> Result<SignupOutcome> {
    let now = app.clock.now();
    let approved = approve(app, signup, client).await?;
    let _permit = app.hooks.token_permit().await;
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let known = store::users::lock_by_email(&tx, &signup.aud, signup.email.as_str()).await?;
    let id = match known {
        Some(user) if is_in_use(app, &user) => return Err(already_registered(app, client)),
        // No mail will be sent, so only the password distinguishes the owner from a stranger.
        Some(user)
            if !password::matches_within_throttle(app, &user, &signup.password, client).await? =>
        {
            return Err(already_registered(app, client));
        }
        Some(user) => {
            let id = user.id;
            let stored = password::sealed_for_storage(app, id, hash.to_owned())?;
            store::one_time_tokens::clear_all(&tx, id).await?;
            start_over(app, &tx, user, signup, Some(stored), true).await?;
            store::users::confirm_email(&tx, id, now).await?;
            id
        }
        None => create(app, &tx, signup, approved, Some(hash.to_owned()), Some(now))
            .await
            .map_err(|error| {
                if is_taken(&error) {
                    already_registered(app, client)
                } else {
                    error
                }
            })?,
    };
    let user = reload(&tx, id).await?;
    let traits = metadata::member("provider", "email");
    app.audit_as(
        &tx,
        AuditAction::UserSignedUp,
        traits,
        Actor::User(&user),
        client,
    )
    .await?;
    let issued = issue::open_session(app, &tx, user, "password", "email", client).await?;
    tx.commit().await?;
    if approved == Some(id) {
        hook::accounts::after_user_created(app, &issued.body.user, client);
    }
    Ok(SignupOutcome::SignedIn(Box::new(issued)))
}

fn already_registered(app: &App, client: &ClientInfo) -> AuthError {
    let is_initial_api =
        app.config.profile == Profile::Std && client.api_version == ApiVersion::Initial;
    let status = if is_initial_api {
        StatusCode::BAD_REQUEST
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    let code = ErrorCode::UserAlreadyExists;
    AuthError::refused_as(status, code, "User already registered")
}

/// Reads an account again, within the transaction that changed it.
pub(crate) async fn reload(conn: &impl GenericClient, id: Uuid) -> Result<User> {
    store::users::find_by_id(conn, id)
        .await?
        .ok_or_else(|| AuthError::internal("an account vanished in its own transaction"))
}

/// 422 `signup_disabled`.
pub(crate) fn signup_disabled() -> AuthError {
    AuthError::refused(
        ErrorCode::SignupDisabled,
        "Signups not allowed for this instance",
    )
}
