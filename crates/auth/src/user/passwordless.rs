//! Sign-in by a link or a code, and a forgotten password.

use super::metadata::member;
use super::signup::{self, Signup, signups_closed};
use super::{Object, User};
use crate::app::App;
use crate::audit::{Action, Actor};
use crate::client::ClientInfo;
use crate::config::{MessageKind, Profile};
use crate::contact::Email;
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::hook;
use crate::one_time::pkce::Challenge;
use crate::one_time::send::{self, Order};
use crate::one_time::{TokenKind, frequency};
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

/// A request for a mail to an address that may have an account.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) aud: &'a str,
    pub(crate) email: &'a Email,
    pub(crate) challenge: Option<&'a Challenge>,
}

impl Asked<'_> {
    fn address(&self) -> &str {
        self.email.as_str()
    }

    async fn find(&self, app: &App) -> Result<Option<User>> {
        let conn = app.shared().await?;
        Ok(store::users::find_by_email(&conn, self.aud, self.address()).await?)
    }
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
    let sending = Box::pin(send_to(app, &request, known, client));
    frequency::claimed(app, address, MessageKind::MagicLink, sending).await
}

async fn send_to(
    app: &App,
    request: &Request,
    known: Option<User>,
    client: &ClientInfo,
) -> Result<()> {
    let user = match known {
        Some(user) => user,
        None if request.unknown == Unknown::Ignore => return Ok(()),
        None if app.config.disable_signup => {
            return match app.config.profile {
                // As for any other address: nobody learns who has an account.
                Profile::Std => Ok(()),
                Profile::Gotrue => Err(signups_closed()),
            };
        }
        None => match create_or_find(app, request, client).await? {
            Some(user) => user,
            // Its owner is in another audience, which is nobody's business here.
            None => return Ok(()),
        },
    };
    let (kind, action) = if user.email_confirmed_at.is_some() {
        (MessageKind::MagicLink, Action::RecoveryRequested)
    } else {
        (MessageKind::Confirmation, Action::ConfirmationRequested)
    };
    let order = Order {
        kind,
        challenge: request.challenge.as_ref(),
        client,
        carries_password: false,
    };
    send::send_to_known(app, &user, order, action).await
}

/// Creates an account, unless somebody else is faster.
async fn create_or_find(app: &App, request: &Request, client: &ClientInfo) -> Result<Option<User>> {
    if let Some(user) = create(app, request, client).await? {
        return Ok(Some(user));
    }
    let conn = app.shared().await?;
    let address = request.email.as_str();
    Ok(store::users::find_by_email(&conn, &request.aud, address).await?)
}

/// Creates an account without a password; `None` if the address is taken by now.
async fn create(app: &App, request: &Request, client: &ClientInfo) -> Result<Option<User>> {
    let signup = Signup {
        aud: request.aud.clone(),
        email: request.email.clone(),
        password: String::new(),
        data: request.data.clone(),
        challenge: None,
    };
    let approved = signup::approve(app, &signup, client).await?;
    if approved.is_none() {
        return Ok(None);
    }
    let confirmed_at = app.config.mailer.autoconfirm.then(|| app.clock.now());
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let id = match signup::create(app, &tx, &signup, (approved, None), confirmed_at).await {
        Ok(id) => id,
        Err(AuthError::Refused {
            code: ErrorCode::EmailExists,
            ..
        }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let user = signup::reload(&tx, id).await?;
    if confirmed_at.is_some() {
        let traits = member("provider", "email");
        app.audit_as(
            &tx,
            (Action::UserSignedUp, traits),
            Actor::User(&user),
            client,
        )
        .await?;
    }
    tx.commit().await?;
    hook::accounts::after(app, &user, client);
    Ok(Some(user))
}

/// Sends a link and a code to somebody who has forgotten the password.
pub(crate) async fn recover(app: &App, asked: &Asked<'_>, client: &ClientInfo) -> Result<()> {
    app.check_mail()?;
    let sending = Box::pin(async {
        let Some(user) = asked.find(app).await? else {
            return Ok(());
        };
        let order = Order {
            kind: MessageKind::Recovery,
            challenge: asked.challenge,
            client,
            carries_password: false,
        };
        send::send_to_known(app, &user, order, Action::RecoveryRequested).await
    });
    frequency::claimed(app, asked.address(), MessageKind::Recovery, sending).await
}

/// Sends the confirmation mail of a sign-up again.
pub(crate) async fn resend_confirmation(
    app: &App,
    asked: &Asked<'_>,
    client: &ClientInfo,
) -> Result<()> {
    app.check_mail()?;
    let sending = Box::pin(async {
        let Some(user) = asked.find(app).await? else {
            return Ok(());
        };
        if user.email_confirmed_at.is_some() {
            return Ok(());
        }
        // It is still the mail of the sign-up if the last one was.
        let conn = app.shared().await?;
        let codes = store::one_time_tokens::list_codes(&conn, user.id).await?;
        let last = codes
            .iter()
            .find(|row| row.kind == TokenKind::Confirmation.name() && row.code_mac.is_some());
        let order = Order {
            kind: MessageKind::Confirmation,
            challenge: asked.challenge,
            client,
            carries_password: last.map_or(user.invited_at.is_none(), |row| row.carries_password),
        };
        send::send_to_known(app, &user, order, Action::ConfirmationRequested).await
    });
    frequency::claimed(app, asked.address(), MessageKind::Confirmation, sending).await
}

/// Asks both addresses of a pending change again.
pub(crate) async fn resend_email_change(
    app: &App,
    asked: &Asked<'_>,
    client: &ClientInfo,
) -> Result<()> {
    app.check_mail()?;
    let sending = Box::pin(async {
        let mut conn = app.connection().await?;
        let tx = conn.transaction().await?;
        let Some(user) = store::users::lock_by_email(&tx, asked.aud, asked.address()).await? else {
            return Ok(());
        };
        let Ok(new_email) = Email::parse(&user.new_email) else {
            return Ok(());
        };
        let wishes = (asked.challenge, client);
        let posted = super::change::move_to(app, &tx, &user, &new_email, wishes).await?;
        tx.commit().await?;
        drop(conn);
        posted.send(app).await
    });
    frequency::claimed(app, asked.address(), MessageKind::EmailChange, sending).await
}

/// 422 `otp_disabled`: there is no account, and none is to be made.
pub(crate) fn unknown_user() -> AuthError {
    AuthError::refused(ErrorCode::OtpDisabled, "Signups not allowed for otp")
}
