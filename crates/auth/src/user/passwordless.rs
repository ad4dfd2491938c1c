//! Sign-in by a link or a code, and a forgotten password.

use super::signup::{self, Signup, signups_closed};
use super::{Object, User};
use crate::api::client::ClientInfo;
use crate::app::App;
use crate::audit::Action;
use crate::config::{MessageKind, Profile};
use crate::contact::Email;
use crate::error::{AuthError, Result};
use crate::one_time::frequency;
use crate::one_time::pkce::Challenge;
use crate::one_time::send::{self, Order};
use crate::store;

/// A request for a link whose input was checked.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) aud: String,
    pub(crate) email: Email,
    pub(crate) data: Object,
    pub(crate) challenge: Option<Challenge>,
    pub(crate) unknown: Unknown,
}

/// What happens to an address without an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// It gets one.
    SignUp,
    /// Nothing is sent, and the answer does not tell.
    Ignore,
    /// The request is refused.
    Refuse,
}

/// Sends a link and a code: a magic link to a confirmed account, a confirmation to any other.
pub(crate) async fn send(app: &App, request: Request, client: &ClientInfo) -> Result<()> {
    app.check_mail()?;
    let address = request.email.as_str();
    let conn = app.shared().await?;
    let known = store::users::find_by_email(&conn, &request.aud, address).await?;
    if known.is_none() && request.unknown == Unknown::Refuse {
        return Err(unknown_user());
    }
    frequency::claim(app, &conn, address, MessageKind::MagicLink).await?;
    let redirect_to = app.redirect_to(client);
    let order = |kind| Order {
        kind,
        challenge: request.challenge.as_ref(),
        redirect_to: &redirect_to,
        carries_password: false,
    };
    match known {
        Some(user) if user.is_confirmed() => {
            let order = order(MessageKind::MagicLink);
            send::send_to_known(app, &user, order, Action::RecoveryRequested, client).await
        }
        Some(user) => {
            let order = order(MessageKind::Confirmation);
            send::send_to_known(app, &user, order, Action::ConfirmationRequested, client).await
        }
        None if request.unknown == Unknown::Ignore => Ok(()),
        None if app.config.disable_signup => {
            if app.config.profile == Profile::Gotrue {
                Err(signups_closed())
            } else {
                Ok(())
            }
        }
        None => {
            let user = create(app, &request).await?;
            let (kind, action) = if user.is_confirmed() {
                (MessageKind::MagicLink, Action::RecoveryRequested)
            } else {
                (MessageKind::Confirmation, Action::ConfirmationRequested)
            };
            send::send_to_known(app, &user, order(kind), action, client).await
        }
    }
}

/// Creates an account without a password.
async fn create(app: &App, request: &Request) -> Result<User> {
    let signup = Signup {
        aud: request.aud.clone(),
        email: request.email.clone(),
        password: String::new(),
        data: request.data.clone(),
        challenge: None,
    };
    let confirmed_at = app.config.mailer.autoconfirm.then(|| app.clock.now());
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let id = signup::create(app, &tx, &signup, None, confirmed_at).await?;
    let user = signup::reload(&tx, id).await?;
    tx.commit().await?;
    Ok(user)
}

/// Sends a link and a code to somebody who has forgotten the password.
pub(crate) async fn recover(
    app: &App,
    aud: &str,
    email: &Email,
    challenge: Option<&Challenge>,
    client: &ClientInfo,
) -> Result<()> {
    app.check_mail()?;
    let conn = app.shared().await?;
    frequency::claim(app, &conn, email.as_str(), MessageKind::Recovery).await?;
    let Some(user) = store::users::find_by_email(&conn, aud, email.as_str()).await? else {
        return Ok(());
    };
    let order = Order {
        kind: MessageKind::Recovery,
        challenge,
        redirect_to: &app.redirect_to(client),
        carries_password: false,
    };
    send::send_to_known(app, &user, order, Action::RecoveryRequested, client).await
}

/// Sends a confirmation mail again, to the address of a sign-up or of a change.
pub(crate) async fn resend_confirmation(
    app: &App,
    aud: &str,
    email: &Email,
    challenge: Option<&Challenge>,
    client: &ClientInfo,
) -> Result<()> {
    app.check_mail()?;
    let conn = app.shared().await?;
    frequency::claim(app, &conn, email.as_str(), MessageKind::Confirmation).await?;
    let Some(user) = store::users::find_by_email(&conn, aud, email.as_str()).await? else {
        return Ok(());
    };
    if user.is_confirmed() {
        return Ok(());
    }
    // It is still the mail of the sign-up if the last one was.
    let codes = store::one_time_tokens::list_codes(&conn, user.id).await?;
    let former = codes
        .iter()
        .find(|row| row.kind == crate::one_time::TokenKind::Confirmation.name());
    let order = Order {
        kind: MessageKind::Confirmation,
        challenge,
        redirect_to: &app.redirect_to(client),
        carries_password: former.map_or(user.invited_at.is_none(), |row| row.carries_password),
    };
    send::send_to_known(app, &user, order, Action::ConfirmationRequested, client).await
}

/// Asks both addresses of a pending change again.
pub(crate) async fn resend_email_change(
    app: &App,
    aud: &str,
    email: &Email,
    challenge: Option<&Challenge>,
    client: &ClientInfo,
) -> Result<()> {
    app.check_mail()?;
    let shared = app.shared().await?;
    frequency::claim(app, &shared, email.as_str(), MessageKind::EmailChange).await?;
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let Some(user) = store::users::lock_by_email(&tx, aud, email.as_str()).await? else {
        return Ok(());
    };
    let Ok(new_email) = Email::parse(&user.new_email) else {
        return Ok(());
    };
    let messages =
        super::change::move_to(app, &tx, &user, &new_email, (challenge, client)).await?;
    tx.commit().await?;
    send::deliver(app, messages, email.as_str(), MessageKind::EmailChange).await
}

/// 422 `otp_disabled`: there is no account, and none is to be made.
pub(crate) fn unknown_user() -> AuthError {
    AuthError::refused(422, "otp_disabled", "Signups not allowed for otp")
}
