//! Mails that tell users what has happened to their account.
//!
//! As in the server whose settings these are, what operators do to an account tells nobody.

use super::User;
use crate::app::App;
use crate::config::MessageKind;
use crate::mail::Message;
use crate::one_time::frequency;

/// That the password has changed.
pub(crate) fn password_changed(app: &App, user: &User) -> Option<Message> {
    about(app, MessageKind::PasswordChanged, user, &user.email)
}

/// That the address has changed, for whoever reads the former one.
pub(crate) fn email_changed(app: &App, user: &User, old_email: &str) -> Option<Message> {
    let message = about(app, MessageKind::EmailChanged, user, old_email)?;
    (old_email != user.email).then(|| Message {
        old_email: Some(old_email.to_owned()),
        ..message
    })
}

/// A notification, if it is switched on and there is somebody to send it to.
fn about(app: &App, kind: MessageKind, user: &User, to: &str) -> Option<Message> {
    let is_on = app.config.mailer.notifications.contains(&kind);
    let can_be_sent = app.config.smtp.is_complete() && frequency::is_authorized(app, to);
    (is_on && can_be_sent && !to.is_empty()).then(|| Message {
        email: user.email.clone(),
        data: user.user_metadata.clone(),
        ..Message::new(kind, to)
    })
}

/// Sends a notification about what is done. That it cannot be sent undoes nothing.
pub(crate) async fn deliver(app: &App, notification: Option<Message>) {
    let Some(message) = notification else {
        return;
    };
    let (id, kind) = (message.id, message.kind);
    if let Err(error) = app.mailer.deliver(message).await {
        tracing::error!(%error, mail.id = %id, mail.kind = ?kind, "a notification was not sent");
    }
}
