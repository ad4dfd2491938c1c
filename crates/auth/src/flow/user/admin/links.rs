//! `POST /admin/generate_link`: links that the operator delivers.

use innkeeper_service::database::Executor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AccountRequest, prepare_invited, user_traits};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::contact::Email;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::base::input::{non_empty, required_email};
use crate::config::{MessageKind, Profile};
use crate::crypto::jwt::Claims;
use crate::flow::one_time::{self, TokenKind, TokenPurpose, send};
use crate::flow::user::account::reload;
use crate::flow::user::metadata::email_identity;
use crate::flow::user::{Object, User, conflict, email_change, password};
use crate::store;

/// The link that an operator requests.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "LinkRequest")]
pub(crate) struct LinkRequest {
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

/// A link and the account that it is for.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GeneratedLink")]
pub(crate) struct GeneratedLink {
    #[serde(flatten)]
    user: User,
    action_link: String,
    email_otp: String,
    hashed_token: String,
    verification_type: &'static str,
    redirect_to: String,
}

/// The kind of a link.
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

/// Creates a link. Sends nothing.
pub(crate) async fn generate(
    app: &App,
    aud: &str,
    request: LinkRequest,
    operator: &Claims,
    client: &ClientInfo,
) -> Result<GeneratedLink> {
    let email = required_email(request.email.as_deref())?;
    let name = request.kind.as_deref().unwrap_or_default();
    let kind = LinkKind::ALL.into_iter().find(|kind| kind.name() == name);
    let kind = kind.ok_or_else(|| {
        AuthError::validation(format!("Invalid email action link type requested: {name}"))
    })?;
    let hash = hash_for(app, kind, &request).await?;
    let redirect_to = redirect(app, &request, client);
    let account = account_request(app, aud, &email, kind, &request, client).await?;

    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let (user, kind) = prepare(app, &tx, &account, kind, hash, &request).await?;
    let relates_to = match kind {
        LinkKind::EmailChangeNew => user.new_email.as_str(),
        _ => user.email.as_str(),
    };
    let purpose = TokenPurpose {
        user_id: user.id,
        kind: kind.token(),
        relates_to,
        flow_id: None,
        carries_password: kind == LinkKind::Signup && user.encrypted_password.is_some(),
    };
    let secret = one_time::issue(app, &tx, purpose).await?;
    let actor = Actor::Operator(operator);
    let action = match kind {
        LinkKind::Invite => AuditAction::UserInvited,
        LinkKind::Signup => AuditAction::ConfirmationRequested,
        LinkKind::MagicLink | LinkKind::Recovery => AuditAction::RecoveryRequested,
        LinkKind::EmailChangeCurrent | LinkKind::EmailChangeNew => AuditAction::UserModified,
    };
    app.audit_as(&tx, action, user_traits(&user), actor, client)
        .await?;
    let user = reload(&tx, user.id).await?;
    tx.commit().await?;
    account.announce(app, &user, client);
    Ok(GeneratedLink {
        action_link: send::link(app, client, kind.message(), &secret.link, &redirect_to)?,
        email_otp: secret.code,
        hashed_token: secret.link,
        verification_type: kind.name(),
        redirect_to,
        user,
    })
}

/// Returns the email address that the link is for. Kinds of links that create an account call the hook.
async fn account_request<'a>(
    app: &App,
    aud: &'a str,
    email: &'a Email,
    kind: LinkKind,
    request: &LinkRequest,
    client: &ClientInfo,
) -> Result<AccountRequest<'a>> {
    match kind {
        LinkKind::Signup | LinkKind::Invite | LinkKind::MagicLink => {
            AccountRequest::approve(app, aud, email, request.data.as_ref(), client).await
        }
        LinkKind::Recovery | LinkKind::EmailChangeCurrent | LinkKind::EmailChangeNew => {
            let id = None;
            Ok(AccountRequest { aud, email, id })
        }
    }
}

/// Returns the URL that the link leads to; that of the body has precedence.
fn redirect(app: &App, request: &LinkRequest, client: &ClientInfo) -> String {
    let mut candidates = vec![request.redirect_to.as_deref()];
    candidates.extend(client.redirects.iter().map(|url| Some(url.as_str())));
    app.redirects.choose(&candidates)
}

async fn hash_for(app: &App, kind: LinkKind, request: &LinkRequest) -> Result<Option<String>> {
    if kind != LinkKind::Signup {
        return Ok(None);
    }
    let Some(secret) = non_empty(request.password.as_deref()) else {
        return Err(AuthError::validation("Signup requires a valid password"));
    };
    let owner = password::owner_words(request.email.as_deref(), request.data.as_ref());
    password::check(app, secret, &owner).await?;
    Ok(Some(app.hashes.hash(secret).await?))
}

/// Creates, changes or finds the account that the link is for. A magic link for a new account becomes a
/// sign-up.
async fn prepare(
    app: &App,
    tx: &dyn Executor,
    account: &AccountRequest<'_>,
    kind: LinkKind,
    hash: Option<String>,
    request: &LinkRequest,
) -> Result<(User, LinkKind)> {
    let data = request.data.clone();
    let address = account.email.as_str();
    let known = store::users::lock_by_email(tx, account.aud, address).await?;
    match kind {
        LinkKind::Invite => {
            let user = prepare_invited(app, tx, account, data).await?;
            Ok((user, kind))
        }
        LinkKind::Signup => {
            let user = sign_up(app, tx, account, known, hash, data).await?;
            Ok((user, kind))
        }
        LinkKind::MagicLink => {
            if let Some(user) = known {
                return Ok((user, kind));
            }
            let user = sign_up(app, tx, account, None, None, data).await?;
            Ok((user, LinkKind::Signup))
        }
        LinkKind::Recovery => Ok((known.ok_or_else(address_not_found)?, kind)),
        LinkKind::EmailChangeCurrent | LinkKind::EmailChangeNew => {
            let user = known.ok_or_else(address_not_found)?;
            Ok((change_email(app, tx, &user, kind, request).await?, kind))
        }
    }
}

fn address_not_found() -> AuthError {
    AuthError::refused(ErrorCode::UserNotFound, "User with this email not found")
}

/// Creates an account, or resets one that was never confirmed.
async fn sign_up(
    app: &App,
    tx: &dyn Executor,
    account: &AccountRequest<'_>,
    known: Option<User>,
    hash: Option<String>,
    data: Option<Object>,
) -> Result<User> {
    let now = app.clock.now();
    let (id, data) = match known {
        Some(user) if user.is_confirmed() => return Err(conflict::email_exists()),
        Some(user) => {
            let hash = hash.map(|hash| password::sealed_for_storage(app, user.id, hash));
            let hash = hash.transpose()?;
            store::users::set_password(tx, user.id, hash.as_deref(), now).await?;
            // Only the operator's link confirms the operator's password.
            let kind = TokenKind::Confirmation.name();
            store::one_time_tokens::clear_kind(tx, user.id, kind).await?;
            let identity = email_identity(&Object::new(), user.id, account.email.as_str(), false);
            if !store::identities::merge(tx, user.id, "email", &identity, now).await? {
                store::identities::insert(tx, user.id, "email", &identity, now).await?;
            }
            (user.id, data)
        }
        None => {
            let id = super::create_unconfirmed(app, tx, account, hash).await?;
            (id, Some(data.unwrap_or_default()))
        }
    };
    super::set_metadata(app, tx, id, data).await
}

async fn change_email(
    app: &App,
    tx: &dyn Executor,
    user: &User,
    kind: LinkKind,
    request: &LinkRequest,
) -> Result<User> {
    if kind == LinkKind::EmailChangeCurrent && !app.config.mailer.secure_email_change_enabled {
        return Err(AuthError::validation(
            "Enable secure email change to generate link for current email",
        ));
    }
    let new_email = required_email(request.new_email.as_deref())?;
    if store::users::is_email_taken(tx, new_email.as_str(), user.id).await? {
        return Err(conflict::email_exists());
    }
    let now = app.clock.now();
    // The link for the other address may have been created or even used already; in GoTrue its use counts no
    // longer.
    let is_other = user.new_email != new_email.as_str();
    if is_other {
        email_change::void_links(tx, user.id).await?;
    }
    if is_other || app.config.profile == Profile::Gotrue {
        store::users::start_email_change(tx, user.id, new_email.as_str(), now).await?;
    }
    reload(tx, user.id).await
}
