//! Sending links and codes: sign-up confirmation, invitation, magic link, recovery, change of
//! address, nonce.

use url::Url;

use super::pkce::Challenge;
use super::{Purpose, Secret, TokenKind};
use crate::api::client::ClientInfo;
use crate::app::App;
use crate::audit::Action;
use crate::config::MessageKind;
use crate::error::{AuthError, Result};
use crate::mail::{Message, confirmation_url};
use crate::store::{self, GenericClient};
use crate::user::User;

/// The type that stands in a link.
pub(crate) fn link_type(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::Invite => "invite",
        MessageKind::Confirmation => "signup",
        MessageKind::Recovery => "recovery",
        MessageKind::MagicLink => "magiclink",
        MessageKind::EmailChange => "email_change",
        MessageKind::Reauthentication => "reauthentication",
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
        MessageKind::Reauthentication => "otp",
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
        MessageKind::Reauthentication => TokenKind::Reauthentication,
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
    let link = (letter.kind != MessageKind::Reauthentication)
        .then(|| {
            let redirect_to = app.redirect_to(letter.client);
            link(app, letter.client, letter.kind, &secret.link, &redirect_to)
        })
        .transpose()?;
    let new_email =
        (letter.kind == MessageKind::EmailChange).then(|| letter.user.new_email.clone());
    Ok(Message {
        email: letter.user.email.clone(),
        new_email,
        link,
        code: Some(secret.code.clone()),
        ..Message::new(letter.kind, letter.to)
    })
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

/// Stores a link and a code for the user's own address, and the mail in the outbox. The caller wakes
/// the mailer after the transaction.
pub(crate) async fn write(
    app: &App,
    tx: &impl GenericClient,
    user: &User,
    order: Order<'_>,
) -> Result<()> {
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
    let message = compose(app, letter, &secret)?;
    app.mailer.enqueue(tx, &message).await
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
    write(app, &tx, &user, order).await?;
    app.audit(&tx, action, &user, order.client).await?;
    tx.commit().await?;
    app.mailer.wake();
    Ok(())
}
