//! Notifications: mails that tell users about changes of their account.
//!
//! They are put into the outbox in the transaction of the change; the caller wakes the mailer after it. As
//! in GoTrue, changes by operators send no notification, and a notification that cannot be sent undoes
//! nothing. They do not count towards the limit of mails: whoever has used it up must not be able to
//! suppress a notification.

use innkeeper_service::database::Executor;

use super::User;
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::Result;
use crate::base::input::non_empty;
use crate::config::MessageKind;
use crate::flow::one_time::mail_limit;
use crate::flow::one_time::send::{MailTarget, with_hook_payload};
use crate::outside::hook::email::EmailData;
use crate::outside::mail::Message;

/// Notifies the user that the password has changed.
pub(crate) async fn password_changed(
    app: &App,
    tx: &dyn Executor,
    user: &User,
    client: &ClientInfo,
) -> Result<()> {
    let target = MailTarget {
        kind: MessageKind::PasswordChanged,
        to: &user.email,
        user,
        client,
    };
    post(app, tx, target, EmailData::default()).await
}

/// Notifies the owner of the old email address that it was replaced.
pub(crate) async fn email_changed(
    app: &App,
    tx: &dyn Executor,
    user: &User,
    old_email: &str,
    client: &ClientInfo,
) -> Result<()> {
    if old_email == user.email {
        return Ok(());
    }
    let target = MailTarget {
        kind: MessageKind::EmailChanged,
        to: old_email,
        user,
        client,
    };
    let data = EmailData {
        old_email,
        ..EmailData::default()
    };
    post(app, tx, target, data).await
}

/// Notifies the user by mail that the phone number was replaced.
pub(crate) async fn phone_changed(
    app: &App,
    tx: &dyn Executor,
    user: &User,
    old_phone: &str,
    client: &ClientInfo,
) -> Result<()> {
    let target = MailTarget {
        kind: MessageKind::PhoneChanged,
        to: &user.email,
        user,
        client,
    };
    let data = EmailData {
        old_phone,
        ..EmailData::default()
    };
    post(app, tx, target, data).await
}

/// Tells the owner of an email address that somebody tried to move another account to it. It is sent instead of the
/// mail that a free address would get: it counts like that one, and cannot be switched off.
pub(crate) async fn email_taken(
    app: &App,
    tx: &dyn Executor,
    owner: &User,
    client: &ClientInfo,
) -> Result<()> {
    let target = MailTarget {
        kind: MessageKind::EmailTaken,
        to: &owner.email,
        user: owner,
        client,
    };
    post(app, tx, target, EmailData::default()).await
}

/// Notifies the user that an identity was added to the account.
pub(crate) async fn identity_linked(
    app: &App,
    tx: &dyn Executor,
    user: &User,
    provider: &str,
    client: &ClientInfo,
) -> Result<()> {
    let kind = MessageKind::IdentityLinked;
    identity_changed(app, tx, user, kind, provider, client).await
}

/// Notifies the user that an identity was removed from the account.
pub(crate) async fn identity_unlinked(
    app: &App,
    tx: &dyn Executor,
    user: &User,
    provider: &str,
    client: &ClientInfo,
) -> Result<()> {
    let kind = MessageKind::IdentityUnlinked;
    identity_changed(app, tx, user, kind, provider, client).await
}

/// Notifies the user that a second factor of this type was added.
pub(crate) async fn factor_enrolled(
    app: &App,
    conn: &dyn Executor,
    user: &User,
    factor_type: &str,
    client: &ClientInfo,
) -> Result<()> {
    let kind = MessageKind::MfaFactorEnrolled;
    factor_changed(app, conn, user, kind, factor_type, client).await
}

/// Notifies the user that a second factor of this type was removed.
pub(crate) async fn factor_unenrolled(
    app: &App,
    conn: &dyn Executor,
    user: &User,
    factor_type: &str,
    client: &ClientInfo,
) -> Result<()> {
    let kind = MessageKind::MfaFactorUnenrolled;
    factor_changed(app, conn, user, kind, factor_type, client).await
}

async fn factor_changed(
    app: &App,
    conn: &dyn Executor,
    user: &User,
    kind: MessageKind,
    factor_type: &str,
    client: &ClientInfo,
) -> Result<()> {
    let target = MailTarget {
        kind,
        to: &user.email,
        user,
        client,
    };
    let data = EmailData {
        factor_type,
        ..EmailData::default()
    };
    post(app, conn, target, data).await
}

async fn identity_changed(
    app: &App,
    tx: &dyn Executor,
    user: &User,
    kind: MessageKind,
    provider: &str,
    client: &ClientInfo,
) -> Result<()> {
    let target = MailTarget {
        kind,
        to: &user.email,
        user,
        client,
    };
    let data = EmailData {
        provider,
        ..EmailData::default()
    };
    post(app, tx, target, data).await
}

/// Enqueues a notification, if it is enabled and can be sent.
async fn post(
    app: &App,
    tx: &dyn Executor,
    target: MailTarget<'_>,
    data: EmailData<'_>,
) -> Result<()> {
    let is_on =
        !target.kind.is_notification() || app.config.mailer.notifications.contains(&target.kind);
    let can_be_sent =
        app.mailer.can_send_to(target.to) && mail_limit::is_authorized(app, target.to);
    if !is_on || !can_be_sent {
        return Ok(());
    }
    let message = Message {
        email: target.user.email.clone(),
        data: target.user.user_metadata.clone(),
        old_email: non_empty(Some(data.old_email)).map(str::to_owned),
        phone: non_empty(Some(&target.user.phone)).map(str::to_owned),
        old_phone: non_empty(Some(data.old_phone)).map(str::to_owned),
        provider: non_empty(Some(data.provider)).map(str::to_owned),
        factor_type: non_empty(Some(data.factor_type)).map(str::to_owned),
        ..Message::new(target.kind, target.to)
    };
    let message = with_hook_payload(app, target, data, message);
    app.mailer.enqueue(tx, &message).await
}
