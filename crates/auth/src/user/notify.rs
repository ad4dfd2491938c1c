//! Mails that tell users what has happened to their account.
//!
//! They are put into the outbox in the transaction of what has happened; the caller wakes the mailer
//! after it. As in the server whose settings these are, what operators do to an account tells nobody,
//! and that a notification cannot be sent undoes nothing. They are not counted by the limit of mails:
//! whoever has used it up must not keep a user from being told.

use super::User;
use crate::app::App;
use crate::client::ClientInfo;
use crate::config::MessageKind;
use crate::error::Result;
use crate::hook::email::EmailData;
use crate::mail::Message;
use crate::one_time::frequency;
use crate::one_time::send::{Letter, for_hook};
use crate::store::GenericClient;

/// That the password has changed.
pub(crate) async fn password_changed(
    app: &App,
    tx: &impl GenericClient,
    user: &User,
    client: &ClientInfo,
) -> Result<()> {
    let letter = Letter {
        kind: MessageKind::PasswordChanged,
        to: &user.email,
        user,
        client,
    };
    post(app, tx, letter, EmailData::default()).await
}

/// That the address has changed, for whoever reads the former one.
pub(crate) async fn email_changed(
    app: &App,
    tx: &impl GenericClient,
    (user, old_email): (&User, &str),
    client: &ClientInfo,
) -> Result<()> {
    if old_email == user.email {
        return Ok(());
    }
    let letter = Letter {
        kind: MessageKind::EmailChanged,
        to: old_email,
        user,
        client,
    };
    let data = EmailData {
        old_email,
        ..EmailData::default()
    };
    post(app, tx, letter, data).await
}

/// Writes a notification, if it is switched on and there is somebody to send it to.
async fn post(
    app: &App,
    tx: &impl GenericClient,
    letter: Letter<'_>,
    data: EmailData<'_>,
) -> Result<()> {
    let is_on = app.config.mailer.notifications.contains(&letter.kind);
    let can_be_sent =
        app.mailer.can_write_to(letter.to) && frequency::is_authorized(app, letter.to);
    if !is_on || !can_be_sent {
        return Ok(());
    }
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let message = Message {
        email: letter.user.email.clone(),
        data: letter.user.user_metadata.clone(),
        old_email: given(data.old_email),
        ..Message::new(letter.kind, letter.to)
    };
    let message = for_hook(app, letter, data, message);
    app.mailer.enqueue(tx, &message).await
}
