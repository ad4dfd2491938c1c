//! `grant_type=password`: sign-in with an email address or phone number and a password.

use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::contact::Contact;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::HookKind;
use crate::flow::hook;
use crate::flow::session::issue::{self, IssuedTokens};
use crate::flow::user::{User, by_contact, metadata, password};
use http::StatusCode;
use innkeeper_service::database::Executor;

/// Checks the password and opens a session.
pub(crate) async fn sign_in(
    app: &App,
    aud: &str,
    contact: &Contact,
    secret: &str,
    client: &ClientInfo,
) -> Result<IssuedTokens> {
    let name = contact.as_str();
    let now = app.clock.now();
    app.throttle
        .check(name, client.address, now)
        .map_err(|wait| AuthError::Throttled(wait.0))?;
    let conn = app.shared().await?;
    let user = by_contact::find(&conn, aud, contact).await?;
    let provider = contact.provider();
    let checked = check_password(app, &conn, contact, user.as_ref(), secret, client).await;
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
    conn: &dyn Executor,
    contact: &Contact,
    user: Option<&User>,
    secret: &str,
    client: &ClientInfo,
) -> Result<()> {
    let name = contact.as_str();
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
    check_sign_in_allowed(app, user, contact)
}

fn check_sign_in_allowed(app: &App, user: &User, contact: &Contact) -> Result<()> {
    if user.is_banned(app.clock.now()) {
        return Err(AuthError::refused_as(
            StatusCode::BAD_REQUEST,
            ErrorCode::UserBanned,
            "User is banned",
        ));
    }
    let allows_unverified = app.config.mailer.allow_unverified_email_sign_ins;
    match contact {
        Contact::Email(_) if user.email_confirmed_at.is_none() && !allows_unverified => Err(
            AuthError::refused(ErrorCode::EmailNotConfirmed, "Email not confirmed"),
        ),
        Contact::Phone(_) if user.phone_confirmed_at.is_none() => Err(AuthError::refused(
            ErrorCode::PhoneNotConfirmed,
            "Phone not confirmed",
        )),
        _ => Ok(()),
    }
}
