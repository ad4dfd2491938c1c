//! Sign-in without a password: magic links, codes, recovery, and repeated confirmations.

use super::account::{self, signup_disabled};
use super::metadata::member;
use super::signup_request::Signup;
use super::{Object, User, email_change, pending};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::contact::{Contact, Email};
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::{MessageKind, Profile};
use crate::flow::hook;
use crate::flow::one_time::TokenKind;
use crate::flow::one_time::mail_limit::{self, UnsentMessage};
use crate::flow::one_time::pkce::CodeChallenge;
use crate::flow::one_time::send::{self, OneTimeMail};
use crate::store;

/// A request for a magic link or a code, after the checks.
#[derive(Debug)]
pub(crate) struct OtpRequest {
    pub(crate) aud: String,
    pub(crate) email: Email,
    pub(crate) data: Object,
    pub(crate) challenge: Option<CodeChallenge>,
    pub(crate) unknown: UnknownAddress,
}

/// A request for a mail to an email address that may have an account.
#[derive(Debug)]
pub(crate) struct MailRequest<'a> {
    pub(crate) aud: &'a str,
    pub(crate) email: &'a Email,
    pub(crate) challenge: Option<&'a CodeChallenge>,
}

impl MailRequest<'_> {
    fn address(&self) -> &str {
        self.email.as_str()
    }

    async fn find(&self, app: &App) -> Result<Option<User>> {
        let conn = app.shared().await?;
        Ok(store::users::find_by_email(&conn, self.aud, self.address()).await?)
    }

    /// Whether there is nothing to send in GoTrue, where the request then neither waits nor counts. In std all
    /// addresses wait alike.
    async fn is_idle(&self, app: &App, has_mail: fn(&User) -> bool) -> Result<bool> {
        match app.config.profile {
            Profile::Std => Ok(false),
            Profile::Gotrue => Ok(!self.find(app).await?.as_ref().is_some_and(has_mail)),
        }
    }
}

/// What happens to an email address or phone number without an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnknownAddress {
    /// It gets an account.
    SignUp,
    /// Nothing is sent, and the response does not reveal it.
    Ignore,
    /// The request is refused.
    Refuse,
}

/// Sends a link and a code: a magic link to a confirmed account, a confirmation to any other.
pub(crate) async fn send(app: &App, request: OtpRequest, client: &ClientInfo) -> Result<()> {
    app.check_mail()?;
    let address = request.email.as_str();
    let conn = app.shared().await?;
    let known = store::users::find_by_email(&conn, &request.aud, address).await?;
    if known.is_none() && request.unknown == UnknownAddress::Refuse {
        return Err(otp_disabled());
    }
    let kind = limited_kind(app.config.profile, known.as_ref());
    let unsent = UnsentMessage::default();
    let sending = Box::pin(send_to(app, &request, known, &unsent, client));
    mail_limit::with_claim_unless(app, address, kind, &unsent, sending).await
}

/// Returns the kind of mail whose interval counts. In GoTrue it is that of the mail which is sent; in std it is
/// the same for everybody, so that it does not tell whose address is confirmed.
fn limited_kind(profile: Profile, known: Option<&User>) -> MessageKind {
    let is_confirmed = known.is_some_and(|user| user.email_confirmed_at.is_some());
    match profile {
        Profile::Gotrue if !is_confirmed => MessageKind::Confirmation,
        _ => MessageKind::MagicLink,
    }
}

async fn send_to(
    app: &App,
    request: &OtpRequest,
    known: Option<User>,
    unsent: &UnsentMessage,
    client: &ClientInfo,
) -> Result<()> {
    let user = match known {
        Some(user) => user,
        None if request.unknown == UnknownAddress::Ignore => {
            unsent.mark();
            return Ok(());
        }
        None if app.config.disable_signup => {
            unsent.mark();
            return match app.config.profile {
                // The same response as for any other address: nobody learns who has an account.
                Profile::Std => Ok(()),
                Profile::Gotrue => Err(signup_disabled()),
            };
        }
        None => {
            let Some(user) = create_or_find(app, request, client).await? else {
                // Its owner is in another audience, which must not be revealed.
                unsent.mark();
                return Ok(());
            };
            user
        }
    };
    let (kind, action) = if user.email_confirmed_at.is_some() {
        (MessageKind::MagicLink, AuditAction::RecoveryRequested)
    } else {
        (
            MessageKind::Confirmation,
            AuditAction::ConfirmationRequested,
        )
    };
    let mail = OneTimeMail {
        kind,
        challenge: request.challenge.as_ref(),
        client,
        carries_password: false,
    };
    send::send_to_user(app, &user, mail, action).await
}

/// Creates an account, or finds one that another request has just created.
async fn create_or_find(
    app: &App,
    request: &OtpRequest,
    client: &ClientInfo,
) -> Result<Option<User>> {
    if let Some(user) = create(app, request, client).await? {
        return Ok(Some(user));
    }
    let mut conn = app.connection().await?;
    let contact = Contact::Email(request.email.clone());
    pending::adopt(app, &mut conn, &request.aud, &contact).await?;
    drop(conn);
    let conn = app.shared().await?;
    let address = request.email.as_str();
    Ok(store::users::find_by_email(&conn, &request.aud, address).await?)
}

/// Creates an account without a password; `None` if the email address has one by now.
async fn create(app: &App, request: &OtpRequest, client: &ClientInfo) -> Result<Option<User>> {
    let signup = Signup::by_email(&request.aud, &request.email, request.data.clone());
    let approved = account::approve(app, &signup, client).await?;
    if approved.is_none() {
        return Ok(None);
    }
    let confirmed_at = app.config.mailer.autoconfirm.then(|| app.clock.now());
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let id = match account::create(app, &tx, &signup, approved, None, confirmed_at).await {
        Ok(id) => id,
        Err(AuthError::Refused {
            code: ErrorCode::EmailExists,
            ..
        }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let user = account::reload(&tx, id).await?;
    if confirmed_at.is_some() {
        let traits = member("provider", "email");
        app.audit_as(
            &tx,
            AuditAction::UserSignedUp,
            traits,
            Actor::User(&user),
            client,
        )
        .await?;
    }
    tx.commit().await?;
    hook::accounts::after_user_created(app, &user, client);
    Ok(Some(user))
}

/// Sends a link and a code to a user who has forgotten the password.
pub(crate) async fn recover(
    app: &App,
    request: &MailRequest<'_>,
    client: &ClientInfo,
) -> Result<()> {
    app.check_mail()?;
    let unsent = UnsentMessage::default();
    let sending = Box::pin(async {
        let Some(user) = request.find(app).await? else {
            unsent.mark();
            return Ok(());
        };
        let mail = OneTimeMail {
            kind: MessageKind::Recovery,
            challenge: request.challenge,
            client,
            carries_password: false,
        };
        send::send_to_user(app, &user, mail, AuditAction::RecoveryRequested).await
    });
    let kind = MessageKind::Recovery;
    mail_limit::with_claim_unless(app, request.address(), kind, &unsent, sending).await
}

/// Sends the confirmation mail of a sign-up again.
pub(crate) async fn resend_confirmation(
    app: &App,
    request: &MailRequest<'_>,
    client: &ClientInfo,
) -> Result<()> {
    app.check_mail()?;
    let is_idle = request.is_idle(app, |user| user.email_confirmed_at.is_none());
    if is_idle.await? {
        return Ok(());
    }
    let unsent = UnsentMessage::default();
    let sending = Box::pin(async {
        let Some(user) = request.find(app).await? else {
            unsent.mark();
            return Ok(());
        };
        if user.email_confirmed_at.is_some() {
            unsent.mark();
            return Ok(());
        }
        // If the last mail was that of the sign-up, this one is, too.
        let conn = app.shared().await?;
        let codes = store::one_time_tokens::list_codes(&conn, user.id).await?;
        let last = codes
            .iter()
            .find(|row| row.kind == TokenKind::Confirmation.name() && row.code_mac.is_some());
        let mail = OneTimeMail {
            kind: MessageKind::Confirmation,
            challenge: request.challenge,
            client,
            carries_password: last.map_or(user.invited_at.is_none(), |row| row.carries_password),
        };
        send::send_to_user(app, &user, mail, AuditAction::ConfirmationRequested).await
    });
    let kind = MessageKind::Confirmation;
    mail_limit::with_claim_unless(app, request.address(), kind, &unsent, sending).await
}

/// Sends the mails of a pending change of email address again.
pub(crate) async fn resend_email_change(
    app: &App,
    request: &MailRequest<'_>,
    client: &ClientInfo,
) -> Result<()> {
    app.check_mail()?;
    let is_idle = request.is_idle(app, |user| !user.new_email.is_empty());
    if is_idle.await? {
        return Ok(());
    }
    let unsent = UnsentMessage::default();
    let sending = Box::pin(async {
        let mut conn = app.connection().await?;
        let tx = conn.transaction().await?;
        let Some(user) = store::users::lock_by_email(&tx, request.aud, request.address()).await?
        else {
            unsent.mark();
            return Ok(());
        };
        let Ok(new_email) = Email::parse(&user.new_email) else {
            unsent.mark();
            return Ok(());
        };
        let challenge = request.challenge;
        let pending = email_change::start(app, &tx, &user, &new_email, challenge, client).await?;
        tx.commit().await?;
        drop(conn);
        pending.send(app).await
    });
    let kind = MessageKind::EmailChange;
    mail_limit::with_claim_unless(app, request.address(), kind, &unsent, sending).await
}

/// 422 `otp_disabled`: the email address or phone number has no account, and none may be created.
pub(crate) fn otp_disabled() -> AuthError {
    AuthError::refused(ErrorCode::OtpDisabled, "Signups not allowed for otp")
}
