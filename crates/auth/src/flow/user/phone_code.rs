//! Codes by text message: sign-in without a password, repeated messages, and the nonce of a change of password.

use innkeeper_service::database::{Executor, Transaction};
use uuid::Uuid;

use super::account::{self, signup_disabled};
use super::metadata::member;
use super::passwordless::{UnknownAddress, otp_disabled};
use super::shown::unconfirmed_user;
use super::signup_request::Signup;
use super::{Object, User, pending, phone_change};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::contact::{Contact, Phone};
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::Profile;
use crate::flow::hook;
use crate::flow::one_time::mail_limit::UnsentMessage;
use crate::flow::one_time::send_sms::{self, PreparedSms, SmsTarget};
use crate::flow::one_time::{TokenKind, sms_limit};
use crate::outside::sms::{SmsChannel, SmsKind};
use crate::store;

/// A request for a code by text message, after the checks.
#[derive(Debug)]
pub(crate) struct PhoneOtpRequest {
    pub(crate) aud: String,
    pub(crate) phone: Phone,
    pub(crate) channel: SmsChannel,
    pub(crate) data: Object,
    pub(crate) unknown: UnknownAddress,
}

/// Refuses a phone number without an account.
pub(crate) async fn require_account(app: &App, aud: &str, phone: &Phone) -> Result<()> {
    let conn = app.shared().await?;
    let known = store::users::find_by_phone(&conn, aud, phone.as_str()).await?;
    known.map(drop).ok_or_else(otp_disabled)
}

/// Sends a code to a phone number, which gets an account if it has none.
pub(crate) async fn send(app: &App, request: PhoneOtpRequest, client: &ClientInfo) -> Result<()> {
    let phone = request.phone.clone();
    let conn = app.shared().await?;
    let known = store::users::find_by_phone(&conn, &request.aud, phone.as_str()).await?;
    let unsent = UnsentMessage::default();
    let sending = Box::pin(send_to(app, request, known, &unsent, client));
    let kind = SmsKind::Confirmation;
    sms_limit::with_claim(app, phone.as_str(), kind, &unsent, sending).await
}

async fn send_to(
    app: &App,
    request: PhoneOtpRequest,
    known: Option<User>,
    unsent: &UnsentMessage,
    client: &ClientInfo,
) -> Result<()> {
    let channel = request.channel;
    if let Some(user) = known {
        let message = UserMessage {
            kind: SmsKind::Confirmation,
            phone: &request.phone,
            channel,
            carries_password: false,
        };
        return send_to_user(app, &user, &message, client).await.map(drop);
    }
    match request.unknown {
        UnknownAddress::SignUp => {}
        UnknownAddress::Refuse => return Err(otp_disabled()),
        UnknownAddress::Ignore => {
            unsent.mark();
            return Ok(());
        }
    }
    if app.config.disable_signup {
        unsent.mark();
        return match app.config.profile {
            // The same response as for any other number: nobody learns who has an account.
            Profile::Std => Ok(()),
            Profile::Gotrue => Err(signup_disabled()),
        };
    }
    let signup = Signup {
        aud: request.aud,
        contact: Contact::Phone(request.phone.clone()),
        channel,
        password: String::new(),
        data: request.data,
        challenge: None,
    };
    send_to_new(app, &signup, &request.phone, unsent, client).await
}

/// Sends a code to a number without an account, and creates the account.
async fn send_to_new(
    app: &App,
    signup: &Signup,
    phone: &Phone,
    unsent: &UnsentMessage,
    client: &ClientInfo,
) -> Result<()> {
    let approved = account::approve(app, signup, client).await?;
    let id = approved.unwrap_or_else(Uuid::new_v4);
    let target = SmsTarget {
        kind: SmsKind::Confirmation,
        phone,
        channel: signup.channel,
        user: &unconfirmed_user(app, signup, id, Uuid::nil()),
        client,
    };
    let sms = send_sms::prepare(app, target).await?;
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let Some(user) = create(app, &tx, signup, approved, client).await? else {
        tx.rollback().await?;
        // Another request was faster, or the number belongs to an account of another audience.
        pending::adopt(app, &mut conn, &signup.aud, &signup.contact).await?;
        let tx = conn.transaction().await?;
        let known = store::user_phones::lock_by_phone(&tx, &signup.aud, phone.as_str()).await?;
        let Some(user) = known else {
            // Its owner is in another audience, which must not be revealed.
            unsent.mark();
            return Ok(());
        };
        return store_code(app, tx, &user, &sms, false, client).await;
    };
    store_code(app, tx, &user, &sms, false, client).await?;
    drop(conn);
    hook::accounts::after_user_created(app, &user, client);
    Ok(())
}

/// Creates an account without a password; `None` if the phone number has one by now.
async fn create(
    app: &App,
    tx: &dyn Executor,
    signup: &Signup,
    approved: Option<Uuid>,
    client: &ClientInfo,
) -> Result<Option<User>> {
    if approved.is_none() {
        return Ok(None);
    }
    let confirmed_at = app.config.sms.autoconfirm.then(|| app.clock.now());
    let id = match account::create(app, tx, signup, approved, None, confirmed_at).await {
        Ok(id) => id,
        Err(AuthError::Refused {
            code: ErrorCode::PhoneExists,
            ..
        }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let user = account::reload(tx, id).await?;
    if confirmed_at.is_some() {
        let (action, actor) = (AuditAction::UserSignedUp, Actor::User(&user));
        app.audit_as(tx, action, member("provider", "phone"), actor, client)
            .await?;
    }
    Ok(Some(user))
}

/// A message to the number of an account.
#[derive(Debug)]
struct UserMessage<'a> {
    kind: SmsKind,
    phone: &'a Phone,
    channel: SmsChannel,
    carries_password: bool,
}

/// Sends a code to an account, and returns the id of the message.
async fn send_to_user(
    app: &App,
    user: &User,
    message: &UserMessage<'_>,
    client: &ClientInfo,
) -> Result<Option<String>> {
    let target = SmsTarget {
        kind: message.kind,
        phone: message.phone,
        channel: message.channel,
        user,
        client,
    };
    let sms = send_sms::prepare(app, target).await?;
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let Some(user) = store::users::lock_by_id(&tx, user.id).await? else {
        return Ok(None);
    };
    if message.kind == SmsKind::Reauthentication {
        sms.store(app, &tx, user.id, false).await?;
        app.audit(&tx, AuditAction::ReauthenticateRequested, &user, client)
            .await?;
        tx.commit().await?;
        app.sms.wake();
    } else {
        store_code(app, tx, &user, &sms, message.carries_password, client).await?;
    }
    Ok(sms.message_id)
}

/// Stores the code of a sign-up or sign-in, with the audit entry, and commits.
async fn store_code(
    app: &App,
    tx: Transaction<'_>,
    user: &User,
    sms: &PreparedSms,
    carries_password: bool,
    client: &ClientInfo,
) -> Result<()> {
    sms.store(app, &tx, user.id, carries_password).await?;
    let action = if user.phone_confirmed_at.is_some() {
        AuditAction::RecoveryRequested
    } else {
        AuditAction::ConfirmationRequested
    };
    app.audit(&tx, action, user, client).await?;
    tx.commit().await?;
    app.sms.wake();
    Ok(())
}

/// Sends the code of a sign-up again, and returns the id of the message if there was one to send.
pub(crate) async fn resend_confirmation(
    app: &App,
    aud: &str,
    phone: &Phone,
    client: &ClientInfo,
) -> Result<Option<String>> {
    let is_unconfirmed = |user: &User| user.phone_confirmed_at.is_none();
    if app.config.profile == Profile::Gotrue {
        let conn = app.shared().await?;
        let known = store::users::find_by_phone(&conn, aud, phone.as_str()).await?;
        // Where nothing is sent, GoTrue makes nobody wait.
        if !known.as_ref().is_some_and(is_unconfirmed) {
            return Ok(None);
        }
    }
    let unsent = UnsentMessage::default();
    let sending = Box::pin(async {
        let conn = app.shared().await?;
        let known = store::users::find_by_phone(&conn, aud, phone.as_str()).await?;
        let Some(user) = known.filter(is_unconfirmed) else {
            unsent.mark();
            return Ok(None);
        };
        // If the last message was that of the sign-up, this one is, too.
        let codes = store::one_time_tokens::list_codes(&conn, user.id).await?;
        let last = codes
            .iter()
            .find(|row| row.kind == TokenKind::Confirmation.name() && row.code_mac.is_some());
        let message = UserMessage {
            kind: SmsKind::Confirmation,
            phone,
            channel: SmsChannel::Sms,
            carries_password: last.map_or(user.invited_at.is_none(), |row| row.carries_password),
        };
        send_to_user(app, &user, &message, client).await
    });
    let kind = SmsKind::Confirmation;
    sms_limit::with_claim(app, phone.as_str(), kind, &unsent, sending).await
}

/// Sends the code of a pending change of phone number again. The number is the current one of the account, or the new
/// one, which is the only one of an account that had none.
pub(crate) async fn resend_change(
    app: &App,
    aud: &str,
    phone: &Phone,
    client: &ClientInfo,
) -> Result<Option<String>> {
    if app.config.profile == Profile::Gotrue && find_pending(app, aud, phone).await?.is_none() {
        return Ok(None);
    }
    let unsent = UnsentMessage::default();
    let sending = Box::pin(async {
        let Some((user, new_phone)) = find_pending(app, aud, phone).await? else {
            unsent.mark();
            return Ok(None);
        };
        let kind = SmsKind::PhoneChange;
        if new_phone != *phone
            && let Err(error) = sms_limit::claim_interval(app, new_phone.as_str(), kind).await
        {
            unsent.mark();
            return match error {
                // The new number has just got a message. That would tell who wants it.
                AuthError::SmsSentRecently(_) => Ok(None),
                other => Err(other),
            };
        }
        let requested = phone_change::RequestedPhone {
            phone: new_phone,
            channel: SmsChannel::Sms,
        };
        let sms = phone_change::prepare(app, &user, &requested, client).await?;
        let mut conn = app.connection().await?;
        let tx = conn.transaction().await?;
        let locked = store::users::lock_by_id(&tx, user.id).await?;
        if locked.is_some_and(|now| now.new_phone == requested.phone.as_str()) {
            phone_change::start(app, &tx, user.id, &requested.phone, sms.as_ref()).await?;
        }
        tx.commit().await?;
        app.sms.wake();
        Ok(sms.and_then(|sms| sms.message_id))
    });
    let kind = SmsKind::PhoneChange;
    sms_limit::with_claim(app, phone.as_str(), kind, &unsent, sending).await
}

/// Returns the account with this number, current or new, and the number that it wants.
async fn find_pending(app: &App, aud: &str, phone: &Phone) -> Result<Option<(User, Phone)>> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let user = match store::user_phones::lock_by_phone(&tx, aud, phone.as_str()).await? {
        Some(user) => Some(user),
        None => store::user_phones::lock_by_pending_phone(&tx, aud, phone.as_str()).await?,
    };
    Ok(user.and_then(|user| {
        let new_phone = Phone::parse(&user.new_phone).ok()?;
        Some((user, new_phone))
    }))
}

/// Sends the nonce of a change of password to the phone number of a user, and returns the id of the message.
pub(crate) async fn send_nonce(
    app: &App,
    user: &User,
    client: &ClientInfo,
) -> Result<Option<String>> {
    let phone = Phone::parse(&user.phone)?;
    let message = UserMessage {
        kind: SmsKind::Reauthentication,
        phone: &phone,
        channel: SmsChannel::Sms,
        carries_password: false,
    };
    let sending = Box::pin(send_to_user(app, user, &message, client));
    let unsent = UnsentMessage::default();
    let kind = SmsKind::Reauthentication;
    sms_limit::with_claim(app, phone.as_str(), kind, &unsent, sending).await
}
