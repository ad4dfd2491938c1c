//! `POST /admin/generate_link`: a link that the operator delivers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Newcomer, about, found, prepare_invited};
use crate::app::App;
use crate::audit::{Action, Actor};
use crate::client::ClientInfo;
use crate::config::MessageKind;
use crate::contact::Email;
use crate::error::{AuthError, Result};
use crate::input::{non_empty, required_email};
use crate::jwt::Claims;
use crate::one_time::{self, Purpose, TokenKind, send};
use crate::store::{self, GenericClient};
use crate::user::metadata::email_identity;
use crate::user::signup::reload;
use crate::user::{Object, User, conflict, password};

/// What an operator asks for.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "LinkRequest")]
pub(crate) struct Wanted {
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["signup", "invite", "magiclink", "recovery", "email_change_current", "email_change_new", null]))]
    kind: Option<String>,
    #[schemars(example = "ada@example.com")]
    email: Option<String>,
    #[schemars(example = "countess@example.com")]
    new_email: Option<String>,
    password: Option<String>,
    data: Option<Object>,
    redirect_to: Option<String>,
}

/// The account and the link, in one object.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GeneratedLink")]
pub(crate) struct Generated {
    #[serde(flatten)]
    user: User,
    action_link: String,
    email_otp: String,
    hashed_token: String,
    verification_type: &'static str,
    redirect_to: String,
}

/// The kinds of link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinkKind {
    Signup,
    Invite,
    MagicLink,
    Recovery,
    EmailChangeCurrent,
    EmailChangeNew,
}

impl LinkKind {
    const ALL: [Self; 6] = [
        Self::Signup,
        Self::Invite,
        Self::MagicLink,
        Self::Recovery,
        Self::EmailChangeCurrent,
        Self::EmailChangeNew,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Signup => "signup",
            Self::Invite => "invite",
            Self::MagicLink => "magiclink",
            Self::Recovery => "recovery",
            Self::EmailChangeCurrent => "email_change_current",
            Self::EmailChangeNew => "email_change_new",
        }
    }

    fn token(self) -> TokenKind {
        match self {
            Self::Signup | Self::Invite => TokenKind::Confirmation,
            Self::MagicLink | Self::Recovery => TokenKind::Recovery,
            Self::EmailChangeCurrent => TokenKind::EmailChangeCurrent,
            Self::EmailChangeNew => TokenKind::EmailChangeNew,
        }
    }

    fn message(self) -> MessageKind {
        match self {
            Self::Signup => MessageKind::Confirmation,
            Self::Invite => MessageKind::Invite,
            Self::MagicLink => MessageKind::MagicLink,
            Self::Recovery => MessageKind::Recovery,
            Self::EmailChangeCurrent | Self::EmailChangeNew => MessageKind::EmailChange,
        }
    }
}

/// Makes a link. Nothing is sent.
pub(crate) async fn generate(
    app: &App,
    aud: &str,
    wanted: Wanted,
    operator: &Claims,
    client: &ClientInfo,
) -> Result<Generated> {
    let kind = non_empty(wanted.kind.as_deref())
        .and_then(|name| LinkKind::ALL.into_iter().find(|kind| kind.name() == name))
        .ok_or_else(|| AuthError::validation("Invalid email action link type requested"))?;
    let email = required_email(wanted.email.as_deref())?;
    let hash = hash_for(app, kind, &wanted).await?;
    let redirect_to = redirect(app, &wanted, client);
    let newcomer = newcomer(app, (aud, &email), kind, &wanted, client).await?;

    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let (user, kind) = prepare(app, &tx, &newcomer, (kind, hash), &wanted).await?;
    let relates_to = match kind {
        LinkKind::EmailChangeNew => user.new_email.as_str(),
        _ => user.email.as_str(),
    };
    let purpose = Purpose {
        user_id: user.id,
        kind: kind.token(),
        relates_to,
        pkce: false,
        carries_password: kind == LinkKind::Signup && user.encrypted_password.is_some(),
    };
    let secret = one_time::issue(app, &tx, purpose).await?;
    let actor = Actor::Operator(operator);
    let action = match kind {
        LinkKind::Invite => Action::UserInvited,
        LinkKind::Signup => Action::ConfirmationRequested,
        LinkKind::MagicLink | LinkKind::Recovery => Action::RecoveryRequested,
        LinkKind::EmailChangeCurrent | LinkKind::EmailChangeNew => Action::UserModified,
    };
    app.audit_as(&tx, (action, about(&user)), actor, client)
        .await?;
    let user = reload(&tx, user.id).await?;
    tx.commit().await?;
    newcomer.announce(app, &user, client);
    Ok(Generated {
        action_link: send::link(app, client, kind.message(), &secret.link, &redirect_to)?,
        email_otp: secret.code,
        hashed_token: secret.link,
        verification_type: kind.name(),
        redirect_to,
        user,
    })
}

/// The address the link is for. The application is asked about kinds that make an account.
async fn newcomer<'a>(
    app: &App,
    (aud, email): (&'a str, &'a Email),
    kind: LinkKind,
    wanted: &Wanted,
    client: &ClientInfo,
) -> Result<Newcomer<'a>> {
    match kind {
        LinkKind::Signup | LinkKind::Invite | LinkKind::MagicLink => {
            Newcomer::approve(app, (aud, email), wanted.data.as_ref(), client).await
        }
        LinkKind::Recovery | LinkKind::EmailChangeCurrent | LinkKind::EmailChangeNew => {
            let id = None;
            Ok(Newcomer { aud, email, id })
        }
    }
}

/// Where the link leads to in the end: what the body says wins.
fn redirect(app: &App, wanted: &Wanted, client: &ClientInfo) -> String {
    let mut candidates = vec![wanted.redirect_to.as_deref()];
    candidates.extend(client.redirects.iter().map(|url| Some(url.as_str())));
    app.redirects.choose(&candidates)
}

async fn hash_for(app: &App, kind: LinkKind, wanted: &Wanted) -> Result<Option<String>> {
    if kind != LinkKind::Signup {
        return Ok(None);
    }
    let Some(secret) = non_empty(wanted.password.as_deref()) else {
        return Err(AuthError::validation("Signup requires a valid password"));
    };
    password::check(app, secret).await?;
    Ok(Some(app.hashes.hash(secret).await?))
}

/// The account the link is for, made or changed as its kind says, and the kind it turns out to be.
async fn prepare(
    app: &App,
    tx: &impl GenericClient,
    newcomer: &Newcomer<'_>,
    (kind, hash): (LinkKind, Option<String>),
    wanted: &Wanted,
) -> Result<(User, LinkKind)> {
    let data = wanted.data.clone();
    let address = newcomer.email.as_str();
    let known = store::users::lock_by_email(tx, newcomer.aud, address).await?;
    match kind {
        LinkKind::Invite => {
            let user = prepare_invited(app, tx, newcomer, data).await?;
            Ok((user, kind))
        }
        LinkKind::Signup => {
            let user = sign_up(app, tx, newcomer, (known, hash), data).await?;
            Ok((user, kind))
        }
        LinkKind::MagicLink => {
            if let Some(user) = known {
                return Ok((user, kind));
            }
            let user = sign_up(app, tx, newcomer, (None, None), data).await?;
            Ok((user, LinkKind::Signup))
        }
        LinkKind::Recovery => Ok((found(known)?, kind)),
        LinkKind::EmailChangeCurrent | LinkKind::EmailChangeNew => {
            let user = found(known)?;
            Ok((change_email(app, tx, &user, kind, wanted).await?, kind))
        }
    }
}

/// A new account, or one that was never confirmed and starts over.
async fn sign_up(
    app: &App,
    tx: &impl GenericClient,
    newcomer: &Newcomer<'_>,
    (known, hash): (Option<User>, Option<String>),
    data: Option<Object>,
) -> Result<User> {
    let now = app.clock.now();
    let (id, data) = match known {
        Some(user) if user.is_confirmed() => return Err(conflict::email_exists()),
        Some(user) => {
            let hash = hash.map(|hash| password::to_be_stored(app, user.id, hash));
            let hash = hash.transpose()?;
            store::users::set_password(tx, user.id, hash.as_deref(), now).await?;
            let said = email_identity(&Object::new(), user.id, newcomer.email.as_str(), false);
            if !store::identities::merge(tx, user.id, "email", &said, now).await? {
                store::identities::insert(tx, user.id, "email", &said, now).await?;
            }
            (user.id, data)
        }
        None => {
            let id = super::create_plain(app, tx, newcomer, hash).await?;
            (id, Some(data.unwrap_or_default()))
        }
    };
    super::describe(app, tx, id, data).await
}

async fn change_email(
    app: &App,
    tx: &impl GenericClient,
    user: &User,
    kind: LinkKind,
    wanted: &Wanted,
) -> Result<User> {
    if kind == LinkKind::EmailChangeCurrent && !app.config.mailer.secure_email_change_enabled {
        return Err(AuthError::validation(
            "Enable secure email change to generate link for current email",
        ));
    }
    let new_email = Email::parse(wanted.new_email.as_deref().unwrap_or_default())?;
    if store::users::is_email_taken(tx, new_email.as_str(), user.id).await? {
        return Err(conflict::email_exists());
    }
    let now = app.clock.now();
    // The link for the other side may have been made or even followed already.
    if user.new_email != new_email.as_str() {
        store::users::start_email_change(tx, user.id, new_email.as_str(), now).await?;
    }
    reload(tx, user.id).await
}
