//! Changes of email address: the limits, the links and the mails.
//!
//! Nobody may learn by a change whether the new address has an account. In the std profile, a change to the address of
//! another account therefore looks like any other one, but no link or code exists that could confirm it there.

use innkeeper_service::database::Executor;
use uuid::Uuid;

use super::account::reload;
use super::{User, conflict, notify};
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::contact::Email;
use crate::base::error::{AuthError, Result};
use crate::config::{MessageKind, Profile};
use crate::flow::one_time::pkce::CodeChallenge;
use crate::flow::one_time::send::{self, MailTarget, PendingMails};
use crate::flow::one_time::{self, OneTimeSecret, TokenKind, TokenPurpose, mail_limit};
use crate::outside::mail::Message;
use crate::store;

/// Claims a mail to the new email address. The account has to wait before it can name another one, or it could
/// send mail to any number of strangers. The current address is marked too, so that `/resend` has to wait.
pub(super) async fn claim_mail(app: &App, user: &User, email: &Email) -> Result<()> {
    app.check_mail()?;
    let conn = app.shared().await?;
    let may_tell = app.config.profile == Profile::Gotrue;
    if may_tell && store::users::is_email_taken(&conn, email.as_str(), user.id).await? {
        return Err(conflict::email_exists());
    }
    let kind = MessageKind::EmailChange;
    mail_limit::claim_interval(app, &conn, &timer_of(user), kind).await?;
    if let Err(error) = mail_limit::claim(app, &conn, email.as_str(), kind).await {
        mail_limit::release_interval_quietly(app, &timer_of(user), kind).await;
        return Err(error);
    }
    if !user.email.is_empty() {
        match mail_limit::claim_interval(app, &conn, &user.email, kind).await {
            Ok(()) | Err(AuthError::SentRecently(_)) => {}
            Err(error) => {
                release_mail(app, user, email).await;
                return Err(error);
            }
        }
    }
    Ok(())
}

/// Releases what [`claim_mail`] has claimed.
pub(super) async fn release_mail(app: &App, user: &User, email: &Email) {
    let kind = MessageKind::EmailChange;
    mail_limit::release_quietly(app, email.as_str(), kind).await;
    mail_limit::release_interval_quietly(app, &timer_of(user), kind).await;
}

/// Returns the name of an account's own timer, which no email address can have.
fn timer_of(user: &User) -> String {
    user.id.to_string()
}

/// Starts a change of email address: sends a mail to the new one and, if both must confirm, to the current
/// one.
pub(crate) async fn start(
    app: &App,
    tx: &dyn Executor,
    user: &User,
    email: &Email,
    challenge: Option<&CodeChallenge>,
    client: &ClientInfo,
) -> Result<PendingMails> {
    let now = app.clock.now();
    let is_taken = app.config.profile == Profile::Std
        && store::users::is_email_taken(tx, email.as_str(), user.id).await?;
    void_links(tx, user.id).await?;
    store::users::start_email_change(tx, user.id, email.as_str(), now).await?;
    let flow_id = match challenge {
        Some(challenge) => {
            let kind = MessageKind::EmailChange;
            Some(send::start_code_exchange(app, tx, user, kind, challenge).await?)
        }
        None => None,
    };
    let user = reload(tx, user.id).await?;
    let issue = async |kind, to| {
        let purpose = TokenPurpose {
            user_id: user.id,
            kind,
            relates_to: to,
            flow_id,
            carries_password: false,
        };
        one_time::issue(app, tx, purpose).await
    };
    let new = if is_taken {
        None
    } else {
        Some(issue(TokenKind::EmailChangeNew, email.as_str()).await?)
    };
    let current = if app.config.mailer.secure_email_change_enabled && !user.email.is_empty() {
        Some(issue(TokenKind::EmailChangeCurrent, &user.email).await?)
    } else {
        None
    };
    let messages = compose(app, &user, (new.as_ref(), current.as_ref()), client)?;
    let pending = send::enqueue(app, tx, messages).await?;
    if is_taken && let Some(owner) = store::users::find_holder(tx, email.as_str()).await? {
        notify::email_taken(app, tx, &owner, client).await?;
    }
    Ok(pending)
}

/// Composes the mails to the new and to the current address, as far as they have something to confirm.
fn compose(
    app: &App,
    user: &User,
    secrets: (Option<&OneTimeSecret>, Option<&OneTimeSecret>),
    client: &ClientInfo,
) -> Result<Vec<Message>> {
    let target = |to| MailTarget {
        kind: MessageKind::EmailChange,
        to,
        user,
        client,
    };
    let (to_new, to_current) = (target(&user.new_email), target(&user.email));
    Ok(match secrets {
        (Some(new), Some(current)) => {
            send::compose_change(app, (to_new, new), (to_current, current))?
        }
        (Some(new), None) => vec![send::compose(app, to_new, new)?],
        (None, Some(current)) => vec![send::compose_current(app, to_current, current)?],
        (None, None) => Vec::new(),
    })
}

/// Ends the links and codes of a change of email address. Those to the current address were sent for the new
/// address that the mail names, and must not confirm another one.
pub(crate) async fn void_links(tx: &dyn Executor, id: Uuid) -> Result<()> {
    for kind in [TokenKind::EmailChangeNew, TokenKind::EmailChangeCurrent] {
        store::one_time_tokens::clear_kind(tx, id, kind.name()).await?;
    }
    Ok(())
}
