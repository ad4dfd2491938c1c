//! `grant_type=password`: sign-in with an email address or phone number and a password.

use crate::app::App;
use crate::audit::{Actor, AuditAction};
use crate::client::ClientInfo;
use crate::config::HookKind;
use crate::contact::{Email, Phone};
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::hook;
use crate::session::issue::{self, IssuedTokens};
use crate::store::{self, GenericClient};
use crate::user::{User, metadata, password};
use http::StatusCode;

/// The identifier that a user signs in with.
#[derive(Debug)]
pub(crate) enum Identifier {
    Email(Email),
    Phone(Phone),
}

impl Identifier {
    fn as_str(&self) -> &str {
        match self {
            Self::Email(email) => email.as_str(),
            Self::Phone(phone) => phone.as_str(),
        }
    }

    fn provider(&self) -> &'static str {
        match self {
            Self::Email(_) => "email",
            Self::Phone(_) => "phone",
        }
    }
}

/// Checks the password and opens a session.
pub(crate) async fn sign_in(
    app: &App,
    aud: &str,
    identifier: &Identifier,
    secret: &str,
    client: &ClientInfo,
) -> Result<IssuedTokens> {
    let name = identifier.as_str();
    let now = app.clock.now();
    app.throttle
        .check(name, client.address, now)
        .map_err(|wait| AuthError::Throttled(wait.0))?;
    let conn = app.shared().await?;
    let user = match identifier {
        Identifier::Email(email) => store::users::find_by_email(&conn, aud, email.as_str()).await?,
        Identifier::Phone(phone) => store::users::find_by_phone(&conn, aud, phone.as_str()).await?,
    };
    let provider = identifier.provider();
    let checked = check_password(app, &conn, identifier, user.as_ref(), secret, client).await;
    if let Err(error) = &checked {
        // The same for known and unknown users, so that its time tells nothing.
        let id = user.as_ref().map(|user| user.id);
        let (sender, traits) = (
            Actor::Sender { id, name },
            metadata::member("provider", provider),
        );
        app.audit_refusal(AuditAction::SignInFailed, error, traits, sender, client)
            .await;
    }
    checked?;
    let user = user.ok_or(AuthError::InvalidCredentials)?;
    let weakness = password::weakness(app, secret).await?;
    let mut issued = if app.hooks.is_function(HookKind::CustomAccessToken) {
        // The function sees the session, which must not stay if it issues no token.
        let mut conn = app.connection().await?;
        let tx = conn.transaction().await?;
        let issued = issue::open_session(app, &tx, user, "password", provider, client).await?;
        tx.commit().await?;
        issued
    } else {
        issue::open_session(app, &conn, user, "password", provider, client).await?
    };
    issued.body.weak_password = weakness.into();
    Ok(issued)
}

/// Checks the password, and that its user may sign in.
async fn check_password(
    app: &App,
    conn: &impl GenericClient,
    identifier: &Identifier,
    user: Option<&User>,
    secret: &str,
    client: &ClientInfo,
) -> Result<()> {
    let name = identifier.as_str();
    // Ban and confirmation are checked after this, so that guessers learn nothing from them.
    let turn = password::turn(app, name).await?;
    let matches = password::matches_and_upgrade(app, conn, user, secret).await?;
    drop(turn);
    let hook_result = match user {
        Some(user) => hook::password::report_attempt(app, user, matches, client).await,
        None => Ok(()),
    };
    let Some(user) = user.filter(|_| matches) else {
        let counted = app
            .throttle
            .record_failure(name, client.address, app.clock.now());
        return Err(match (counted, hook_result) {
            (Ok(()), Ok(())) => AuthError::InvalidCredentials,
            (Ok(()), Err(rejected)) => rejected,
            (Err(wait), _) => AuthError::Throttled(wait.0),
        });
    };
    hook_result?;
    app.throttle
        .record_success(name, client.address, app.clock.now())
        .map_err(|wait| AuthError::Throttled(wait.0))?;
    check_sign_in_allowed(app, user, identifier)
}

fn check_sign_in_allowed(app: &App, user: &User, identifier: &Identifier) -> Result<()> {
    if user.is_banned(app.clock.now()) {
        return Err(AuthError::refused_as(
            StatusCode::BAD_REQUEST,
            ErrorCode::UserBanned,
            "User is banned",
        ));
    }
    let allows_unverified = app.config.mailer.allow_unverified_email_sign_ins;
    match identifier {
        Identifier::Email(_) if user.email_confirmed_at.is_none() && !allows_unverified => Err(
            AuthError::refused(ErrorCode::EmailNotConfirmed, "Email not confirmed"),
        ),
        Identifier::Phone(_) if user.phone_confirmed_at.is_none() => Err(AuthError::refused(
            ErrorCode::PhoneNotConfirmed,
            "Phone not confirmed",
        )),
        _ => Ok(()),
    }
}
