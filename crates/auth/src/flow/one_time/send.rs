//! Mails with links and codes: confirmation, invitation, magic link, recovery, change of email address,
//! nonce.

use innkeeper_service::database::Executor;
use url::Url;
use uuid::Uuid;

use super::find::lifetime;
use super::pkce::CodeChallenge;
use super::{OneTimeSecret, TokenKind, TokenPurpose};
use crate::app::App;
use crate::app::audit::AuditAction;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::config::{HookKind, MessageKind, Profile};
use crate::flow::user::User;
use crate::outside::hook::email::EmailData;
use crate::outside::mail::{Message, confirmation_url};
use crate::store;

/// Returns the type of a mail, as links and hooks name it.
pub(crate) fn link_type(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::Invite => "invite",
        MessageKind::Confirmation => "signup",
        MessageKind::Recovery => "recovery",
        MessageKind::MagicLink => "magiclink",
        MessageKind::EmailChange => "email_change",
        MessageKind::Reauthentication => "reauthentication",
        MessageKind::PasswordChanged => "password_changed_notification",
        MessageKind::EmailChanged => "email_changed_notification",
        MessageKind::PhoneChanged => "phone_changed_notification",
        MessageKind::IdentityLinked => "identity_linked_notification",
        MessageKind::IdentityUnlinked => "identity_unlinked_notification",
        MessageKind::MfaFactorEnrolled => "mfa_factor_enrolled_notification",
        MessageKind::MfaFactorUnenrolled => "mfa_factor_unenrolled_notification",
        MessageKind::EmailTaken => "email_taken",
    }
}

/// Returns the authentication method of a session that is opened with the PKCE code of a link.
pub(crate) fn exchange_method(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::Invite => "invite",
        MessageKind::Confirmation => "email/signup",
        MessageKind::Recovery => "recovery",
        MessageKind::MagicLink => "magiclink",
        MessageKind::EmailChange => "email_change",
        _ => "otp",
    }
}

/// Returns the authentication methods of all PKCE codes that links of a kind can have. A new link of the
/// kind ends them.
pub(crate) fn exchange_methods(token: TokenKind) -> &'static [&'static str] {
    match token {
        TokenKind::Confirmation => &["email/signup", "invite"],
        TokenKind::Recovery => &["recovery", "magiclink"],
        TokenKind::EmailChangeNew | TokenKind::EmailChangeCurrent => &["email_change"],
        TokenKind::PhoneChange | TokenKind::Reauthentication => &["otp"],
    }
}

/// Returns the kind that the link and code of a mail are stored as. A change of email address has a second
/// kind, which is issued separately.
fn token_kind(kind: MessageKind) -> TokenKind {
    match kind {
        MessageKind::Invite | MessageKind::Confirmation => TokenKind::Confirmation,
        MessageKind::Recovery | MessageKind::MagicLink => TokenKind::Recovery,
        MessageKind::EmailChange => TokenKind::EmailChangeNew,
        _ => TokenKind::Reauthentication,
    }
}

/// Builds the link of a mail.
pub(crate) fn link(
    app: &App,
    client: &ClientInfo,
    kind: MessageKind,
    secret: &str,
    redirect_to: &str,
) -> Result<String> {
    let path = app.config.mailer.urlpaths.get(kind);
    confirmation_url(
        &external_url(app, client),
        path,
        secret,
        link_type(kind),
        redirect_to,
    )
    .map_err(AuthError::internal)
}

/// Returns the URL of this server: with the host that the client used if `MAILER_EXTERNAL_HOSTS` names it,
/// else `API_EXTERNAL_URL`. The scheme is never the client's choice.
fn external_url(app: &App, client: &ClientInfo) -> Url {
    let mut url = app.config.api.external_url.clone();
    let hosts = &app.config.mailer.external_hosts;
    let requested = client.forwarded_host.as_deref().unwrap_or_default();
    if let Some(host) = hosts
        .iter()
        .find(|host| host.eq_ignore_ascii_case(requested))
        && let Ok(other) = Url::parse(&format!("{}://{host}", url.scheme()))
        && url.set_host(other.host_str()).is_ok()
    {
        // Only URLs without a host cannot have a port.
        url.set_port(other.port()).ok();
    }
    url
}

/// The recipient and the occasion of a mail.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MailTarget<'a> {
    pub(crate) kind: MessageKind,
    pub(crate) to: &'a str,
    pub(crate) user: &'a User,
    /// The client that requested it.
    pub(crate) client: &'a ClientInfo,
}

/// Composes the mail for a link and a code.
pub(crate) fn compose(
    app: &App,
    target: MailTarget<'_>,
    secret: &OneTimeSecret,
) -> Result<Message> {
    let redirect_to = app.redirect_to(target.client);
    let has_link = target.kind != MessageKind::Reauthentication;
    let link = has_link
        .then(|| link(app, target.client, target.kind, &secret.link, &redirect_to))
        .transpose()?;
    let new_email =
        (target.kind == MessageKind::EmailChange).then(|| target.user.new_email.clone());
    let message = Message {
        email: target.user.email.clone(),
        new_email,
        link,
        code: Some(secret.code.clone()),
        token_hash: has_link.then(|| secret.link.clone()),
        redirect_to: Some(redirect_to),
        data: target.user.user_metadata.clone(),
        expires_at: app.clock.now().checked_add(lifetime(app, target.to)).ok(),
        ..Message::new(target.kind, target.to)
    };
    let data = EmailData {
        token: &secret.code,
        token_hash: &secret.link,
        ..EmailData::default()
    };
    Ok(with_hook_payload(app, target, data, message))
}

/// Composes the mails of a change that both email addresses must confirm: one to each, or one call of the
/// hook.
pub(crate) fn compose_change(
    app: &App,
    new: (MailTarget<'_>, &OneTimeSecret),
    current: (MailTarget<'_>, &OneTimeSecret),
) -> Result<Vec<Message>> {
    let message = compose(app, new.0, new.1)?;
    if !app.hooks.is_on(HookKind::SendEmail) {
        return Ok(vec![message, compose(app, current.0, current.1)?]);
    }
    // Crossed, as in GoTrue: receivers expect it.
    let data = EmailData {
        token: &current.1.code,
        token_hash_new: &current.1.link,
        token_new: &new.1.code,
        token_hash: &new.1.link,
        ..EmailData::default()
    };
    Ok(vec![with_hook_payload(app, new.0, data, message)])
}

/// Composes the mail to the current address of a change that the new one is not asked to confirm. A hook gets the
/// secrets under the same names as in [`compose_change`].
pub(crate) fn compose_current(
    app: &App,
    target: MailTarget<'_>,
    secret: &OneTimeSecret,
) -> Result<Message> {
    let message = compose(app, target, secret)?;
    let data = EmailData {
        token: &secret.code,
        token_hash_new: &secret.link,
        ..EmailData::default()
    };
    Ok(with_hook_payload(app, target, data, message))
}

/// Adds the payload of the hook, if a hook sends the mails.
pub(crate) fn with_hook_payload(
    app: &App,
    target: MailTarget<'_>,
    data: EmailData<'_>,
    message: Message,
) -> Message {
    if !app.hooks.is_on(HookKind::SendEmail) {
        return message;
    }
    let site_url = external_url(app, target.client);
    let data = EmailData {
        redirect_to: &app.redirect_to(target.client),
        email_action_type: link_type(target.kind),
        site_url: site_url.as_str(),
        ..data
    };
    let (id, user) = (message.id, target.user);
    Message {
        hook: Some(app.hooks.email_payload(id, user, &data, target.client)),
        ..message
    }
}

/// A mail with a link and a code to a user's own email address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OneTimeMail<'a> {
    pub(crate) kind: MessageKind,
    pub(crate) challenge: Option<&'a CodeChallenge>,
    /// The client that requested it.
    pub(crate) client: &'a ClientInfo,
    /// Whether using it confirms the password of the sign-up.
    pub(crate) carries_password: bool,
}

/// Stores a link and a code for the user's own email address, and enqueues the mail.
pub(crate) async fn enqueue_mail(
    app: &App,
    tx: &dyn Executor,
    user: &User,
    mail: OneTimeMail<'_>,
) -> Result<PendingMails> {
    let flow_id = match mail.challenge {
        Some(challenge) => Some(start_code_exchange(app, tx, user, mail.kind, challenge).await?),
        None => None,
    };
    let purpose = TokenPurpose {
        user_id: user.id,
        kind: token_kind(mail.kind),
        relates_to: &user.email,
        flow_id,
        carries_password: mail.carries_password,
    };
    let secret = super::issue(app, tx, purpose).await?;
    let target = MailTarget {
        kind: mail.kind,
        to: &user.email,
        user,
        client: mail.client,
    };
    enqueue(app, tx, vec![compose(app, target, &secret)?]).await
}

/// Stores the code challenge that the client will have to meet, and returns the id of the flow.
pub(crate) async fn start_code_exchange(
    app: &App,
    tx: &dyn Executor,
    user: &User,
    kind: MessageKind,
    challenge: &CodeChallenge,
) -> Result<Uuid> {
    let now = app.clock.now();
    let lifetime = app.config.external.flow_state_expiry_duration;
    let flow = store::flow_states::NewFlow {
        user_id: user.id,
        challenge: &challenge.text,
        challenge_method: challenge.method.name(),
        authentication_method: exchange_method(kind),
        replaced: match token_kind(kind) {
            // Earlier links stay valid.
            TokenKind::Confirmation => &[],
            token => exchange_methods(token),
        },
        expired: now.checked_sub(lifetime).unwrap_or(now),
    };
    Ok(store::flow_states::insert(tx, &flow, now).await?)
}

/// The mails of a transaction that is not committed yet.
#[must_use = "send the mails once the transaction is committed"]
#[derive(Debug, Default)]
pub(crate) struct PendingMails {
    /// Mails that a hook sends while the client waits; all others are in the outbox.
    immediate: Vec<Message>,
}

/// Puts mails into the outbox, in the transaction that causes them. In the gotrue profile a hook is called
/// while the client waits and can reject the request: users of GoTrue count on that.
pub(crate) async fn enqueue(
    app: &App,
    tx: &dyn Executor,
    messages: Vec<Message>,
) -> Result<PendingMails> {
    let mut pending = PendingMails::default();
    for message in messages {
        if message.hook.is_some() && app.config.profile == Profile::Gotrue {
            pending.immediate.push(message);
        } else {
            app.mailer.enqueue(tx, &message).await?;
        }
    }
    Ok(pending)
}

impl PendingMails {
    /// Sends the mails. Call it after the transaction, and without a connection: a hook may take its time.
    pub(crate) async fn send(self, app: &App) -> Result<()> {
        app.mailer.wake();
        for message in self.immediate {
            let payload = message.hook.as_deref().unwrap_or_default();
            app.hooks.send_email(message.id, payload).await?;
        }
        Ok(())
    }
}

/// Sends a mail to a user, and writes the audit entry.
pub(crate) async fn send_to_user(
    app: &App,
    user: &User,
    mail: OneTimeMail<'_>,
    action: AuditAction,
) -> Result<()> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let Some(user) = store::users::lock_by_id(&tx, user.id).await? else {
        return Ok(());
    };
    let pending = enqueue_mail(app, &tx, &user, mail).await?;
    app.audit(&tx, action, &user, mail.client).await?;
    tx.commit().await?;
    drop(conn);
    pending.send(app).await
}
