//! Sending links and codes: sign-up confirmation, invitation, magic link, recovery, change of
//! address, nonce.

use url::Url;

use super::pkce::Challenge;
use super::{Purpose, Secret, TokenKind};
use crate::app::App;
use crate::audit::Action;
use crate::client::ClientInfo;
use crate::config::{HookKind, MessageKind, Profile};
use crate::error::{AuthError, Result};
use crate::hook::email::EmailData;
use crate::mail::{Message, confirmation_url};
use crate::store::{self, GenericClient};
use crate::user::User;

/// The type that stands in a link, and as which a hook knows a mail.
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
    }
}

/// How a session says it was opened after the code exchange of a link.
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

/// All the ways in which the link of a token can say it was opened. A new link of the kind ends them.
pub(crate) fn exchange_methods(token: TokenKind) -> &'static [&'static str] {
    match token {
        TokenKind::Confirmation => &["email/signup", "invite"],
        TokenKind::Recovery => &["recovery", "magiclink"],
        TokenKind::EmailChangeNew | TokenKind::EmailChangeCurrent => &["email_change"],
        TokenKind::Reauthentication => &["otp"],
    }
}

/// What a message's link and code are stored as; those of a change of address go to two places and
/// are made apart.
fn token_kind(kind: MessageKind) -> TokenKind {
    match kind {
        MessageKind::Invite | MessageKind::Confirmation => TokenKind::Confirmation,
        MessageKind::Recovery | MessageKind::MagicLink => TokenKind::Recovery,
        MessageKind::EmailChange => TokenKind::EmailChangeNew,
        _ => TokenKind::Reauthentication,
    }
}

/// The link that a mail carries.
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

/// The server's own address: as the client reached it if `MAILER_EXTERNAL_HOSTS` names that host, else
/// as `API_EXTERNAL_URL` has it. The scheme is never the client's choice.
fn external_url(app: &App, client: &ClientInfo) -> Url {
    let mut url = app.config.api.external_url.clone();
    let hosts = &app.config.mailer.external_hosts;
    let by = client.forwarded_host.as_deref().unwrap_or_default();
    if let Some(host) = hosts.iter().find(|host| host.eq_ignore_ascii_case(by))
        && let Ok(other) = Url::parse(&format!("{}://{host}", url.scheme()))
        && url.set_host(other.host_str()).is_ok()
    {
        // Only addresses without a host have no place for a port.
        url.set_port(other.port()).ok();
    }
    url
}

/// What a mail is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Letter<'a> {
    pub(crate) kind: MessageKind,
    pub(crate) to: &'a str,
    pub(crate) user: &'a User,
    /// Who asked for it.
    pub(crate) client: &'a ClientInfo,
}

/// Writes the mail for a link and a code.
pub(crate) fn compose(app: &App, letter: Letter<'_>, secret: &Secret) -> Result<Message> {
    let redirect_to = app.redirect_to(letter.client);
    let has_link = letter.kind != MessageKind::Reauthentication;
    let link = has_link
        .then(|| link(app, letter.client, letter.kind, &secret.link, &redirect_to))
        .transpose()?;
    let new_email =
        (letter.kind == MessageKind::EmailChange).then(|| letter.user.new_email.clone());
    let message = Message {
        email: letter.user.email.clone(),
        new_email,
        link,
        code: Some(secret.code.clone()),
        token_hash: has_link.then(|| secret.link.clone()),
        redirect_to: Some(redirect_to),
        data: letter.user.user_metadata.clone(),
        ..Message::new(letter.kind, letter.to)
    };
    let data = EmailData {
        token: &secret.code,
        token_hash: &secret.link,
        ..EmailData::default()
    };
    Ok(for_hook(app, letter, data, message))
}

/// Writes what a change of address needs that is asked at both addresses: a mail to each, or one call
/// of the hook.
pub(crate) fn compose_change(
    app: &App,
    new: (Letter<'_>, &Secret),
    current: (Letter<'_>, &Secret),
) -> Result<Vec<Message>> {
    let message = compose(app, new.0, new.1)?;
    if !app.hooks.is_on(HookKind::SendEmail) {
        return Ok(vec![message, compose(app, current.0, current.1)?]);
    }
    // Crossed, as receivers expect it.
    let data = EmailData {
        token: &current.1.code,
        token_hash_new: &current.1.link,
        token_new: &new.1.code,
        token_hash: &new.1.link,
        ..EmailData::default()
    };
    Ok(vec![for_hook(app, new.0, data, message)])
}

/// Adds what the hook is given, if a hook sends the mails.
pub(crate) fn for_hook(
    app: &App,
    letter: Letter<'_>,
    data: EmailData<'_>,
    message: Message,
) -> Message {
    if !app.hooks.is_on(HookKind::SendEmail) {
        return message;
    }
    let site_url = external_url(app, letter.client);
    let data = EmailData {
        redirect_to: &app.redirect_to(letter.client),
        email_action_type: link_type(letter.kind),
        site_url: site_url.as_str(),
        ..data
    };
    let (id, user) = (message.id, letter.user);
    Message {
        hook: Some(app.hooks.write_email(id, user, &data, letter.client)),
        ..message
    }
}

/// What a flow asks to be sent to a user's own address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order<'a> {
    pub(crate) kind: MessageKind,
    pub(crate) challenge: Option<&'a Challenge>,
    /// Who asked for it.
    pub(crate) client: &'a ClientInfo,
    /// Whether confirming it makes the password of its sign-up good.
    pub(crate) carries_password: bool,
}

/// Stores a link and a code for the user's own address, and posts the mail.
pub(crate) async fn write(
    app: &App,
    tx: &impl GenericClient,
    user: &User,
    order: Order<'_>,
) -> Result<Posted> {
    if let Some(challenge) = order.challenge {
        begin_exchange(app, tx, user, order.kind, challenge).await?;
    }
    let purpose = Purpose {
        user_id: user.id,
        kind: token_kind(order.kind),
        relates_to: &user.email,
        pkce: order.challenge.is_some(),
        carries_password: order.carries_password,
    };
    let secret = super::issue(app, tx, purpose).await?;
    let letter = Letter {
        kind: order.kind,
        to: &user.email,
        user,
        client: order.client,
    };
    post(app, tx, vec![compose(app, letter, &secret)?]).await
}

/// Remembers what the client will have to prove.
pub(crate) async fn begin_exchange(
    app: &App,
    tx: &impl GenericClient,
    user: &User,
    kind: MessageKind,
    challenge: &Challenge,
) -> Result<()> {
    let now = app.clock.now();
    let lifetime = app.config.external.flow_state_expiry_duration;
    let flow = store::flow_states::NewFlow {
        user_id: user.id,
        challenge: &challenge.text,
        challenge_method: challenge.method.name(),
        authentication_method: exchange_method(kind),
        replaced: exchange_methods(token_kind(kind)),
        expired: now.checked_sub(lifetime).unwrap_or(now),
    };
    store::flow_states::insert(tx, &flow, now).await?;
    Ok(())
}

/// Mails of a transaction that is not committed yet.
#[must_use = "once the transaction is committed the mails are to be sent"]
#[derive(Debug, Default)]
pub(crate) struct Posted {
    /// What a hook is given while the client waits; everything else is in the outbox.
    at_once: Vec<Message>,
}

/// Puts mails into the outbox, in the transaction of what they are about. In the gotrue profile a hook
/// is called while the client waits, and what it says is told: its users count on that.
pub(crate) async fn post(
    app: &App,
    tx: &impl GenericClient,
    messages: Vec<Message>,
) -> Result<Posted> {
    let mut posted = Posted::default();
    for message in messages {
        if message.hook.is_some() && app.config.profile == Profile::Gotrue {
            posted.at_once.push(message);
        } else {
            app.mailer.enqueue(tx, &message).await?;
        }
    }
    Ok(posted)
}

impl Posted {
    /// Has the mails sent. Call it after the transaction, and without a connection: a hook may take its
    /// time.
    pub(crate) async fn send(self, app: &App) -> Result<()> {
        app.mailer.wake();
        for message in self.at_once {
            let payload = message.hook.as_deref().unwrap_or_default();
            app.hooks.send_email(message.id, payload).await?;
        }
        Ok(())
    }
}

/// Sends a magic link or a recovery mail to a user who has an account and a confirmed address or not.
pub(crate) async fn send_to_known(
    app: &App,
    user: &User,
    order: Order<'_>,
    action: Action,
) -> Result<()> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let Some(user) = store::users::lock_by_id(&tx, user.id).await? else {
        return Ok(());
    };
    let posted = write(app, &tx, &user, order).await?;
    app.audit(&tx, action, &user, order.client).await?;
    tx.commit().await?;
    drop(conn);
    posted.send(app).await
}
