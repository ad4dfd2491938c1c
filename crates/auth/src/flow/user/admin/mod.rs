//! Changes of accounts by operators.

pub(crate) mod create;
pub(crate) mod links;
pub(crate) mod list;
pub(crate) mod sessions;
pub(crate) mod update;

use innkeeper_service::database::Executor;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use super::account::{self, reload};
use super::signup_request::Signup;
use super::{Object, User, bounds, conflict, metadata};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::contact::Email;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::MessageKind;
use crate::crypto::jwt::Claims;
use crate::flow::caller::check_operators_audience;
use crate::flow::hook;
use crate::flow::one_time::mail_limit;
use crate::flow::one_time::send::{self, OneTimeMail};
use crate::store;

/// The properties of an account that an operator may set.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "AdminUserInput")]
pub(crate) struct AdminUserInput {
    pub(crate) id: Option<String>,
    pub(crate) aud: Option<String>,
    pub(crate) role: Option<String>,
    #[schemars(example = "ada@example.com")]
    pub(crate) email: Option<String>,
    pub(crate) phone: Option<String>,
    #[schemars(example = "correct horse battery staple")]
    pub(crate) password: Option<String>,
    pub(crate) password_hash: Option<String>,
    pub(crate) email_confirm: Option<bool>,
    pub(crate) phone_confirm: Option<bool>,
    pub(crate) user_metadata: Option<Object>,
    pub(crate) app_metadata: Option<Object>,
    #[schemars(example = "24h")]
    pub(crate) ban_duration: Option<String>,
}

/// Returns the traits of an audit entry that name the changed account.
pub(crate) fn user_traits(user: &User) -> Object {
    let mut traits = Object::new();
    traits.insert("user_id".to_owned(), user.id.to_string().into());
    traits.insert("user_email".to_owned(), user.email.clone().into());
    traits.insert("user_phone".to_owned(), user.phone.clone().into());
    traits
}

/// An email address that may get an account.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AccountRequest<'a> {
    pub(crate) aud: &'a str,
    pub(crate) email: &'a Email,
    /// The id of the account to create; `None` if the address has one.
    pub(crate) id: Option<Uuid>,
}

impl<'a> AccountRequest<'a> {
    /// Calls the hook that may reject a new account, unless the email address has one.
    pub(crate) async fn approve(
        app: &App,
        aud: &'a str,
        email: &'a Email,
        data: Option<&Object>,
        client: &ClientInfo,
    ) -> Result<Self> {
        check_operators_audience(app, aud)?;
        let mut account = Self {
            aud,
            email,
            id: None,
        };
        let data = data.cloned().unwrap_or_default();
        account.id = account::approve(app, &account.signup(data), client).await?;
        Ok(account)
    }

    fn signup(&self, data: Object) -> Signup {
        Signup::by_email(self.aud, self.email, data)
    }

    /// Calls the hook of new accounts, if this account is new.
    pub(crate) fn announce(&self, app: &App, user: &User, client: &ClientInfo) {
        if self.id == Some(user.id) {
            hook::accounts::after_user_created(app, user, client);
        }
    }
}

/// Invites an email address: creates an account, or takes one that was never confirmed.
pub(crate) async fn invite(
    app: &App,
    aud: &str,
    email: &Email,
    data: Option<Object>,
    operator: &Claims,
    client: &ClientInfo,
) -> Result<User> {
    app.check_mail()?;
    let account = AccountRequest::approve(app, aud, email, data.as_ref(), client).await?;
    let work = Box::pin(store_invitation(app, &account, data, operator, client));
    mail_limit::with_claim(app, email.as_str(), MessageKind::Invite, work).await
}

async fn store_invitation(
    app: &App,
    account: &AccountRequest<'_>,
    data: Option<Object>,
    operator: &Claims,
    client: &ClientInfo,
) -> Result<User> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let user = prepare_invited(app, &tx, account, data).await?;
    let actor = Actor::Operator(operator);
    app.audit_as(
        &tx,
        AuditAction::UserInvited,
        user_traits(&user),
        actor,
        client,
    )
    .await?;
    let mail = OneTimeMail {
        kind: MessageKind::Invite,
        challenge: None,
        client,
        carries_password: false,
    };
    let pending = send::enqueue_mail(app, &tx, &user, mail).await?;
    let user = reload(&tx, user.id).await?;
    tx.commit().await?;
    drop(conn);
    account.announce(app, &user, client);
    pending.send(app).await?;
    Ok(user)
}

/// Creates or finds the account of an invitation.
pub(crate) async fn prepare_invited(
    app: &App,
    tx: &dyn Executor,
    account: &AccountRequest<'_>,
    data: Option<Object>,
) -> Result<User> {
    let address = account.email.as_str();
    let (id, data) = match store::users::lock_by_email(tx, account.aud, address).await? {
        Some(user) if user.is_confirmed() => return Err(conflict::email_exists()),
        // The metadata of an earlier invitation is kept, that of a stranger is not.
        Some(user) => {
            let nothing = user.invited_at.is_none().then(Object::new);
            (user.id, data.or(nothing))
        }
        None => {
            let id = create_unconfirmed(app, tx, account, None).await?;
            (id, Some(data.unwrap_or_default()))
        }
    };
    store::users::set_invited(tx, id, app.clock.now()).await?;
    set_metadata(app, tx, id, data).await
}

/// Creates an account that is not confirmed.
async fn create_unconfirmed(
    app: &App,
    tx: &dyn Executor,
    account: &AccountRequest<'_>,
    hash: Option<String>,
) -> Result<Uuid> {
    let signup = account.signup(Object::new());
    account::create(app, tx, &signup, account.id, hash, None).await
}

/// Replaces the metadata of an account by that of the operator, if there is any.
async fn set_metadata(
    app: &App,
    tx: &dyn Executor,
    id: Uuid,
    data: Option<Object>,
) -> Result<User> {
    let mut user = reload(tx, id).await?;
    if let Some(data) = data {
        bounds::check_user_metadata(app, &user.user_metadata, &data)?;
        user.user_metadata = data;
    }
    metadata::refresh_providers(&mut user);
    store::users::set_metadata(tx, &user, app.clock.now()).await?;
    Ok(user)
}

/// Returns the account, or 404 `user_not_found`.
pub(crate) fn require_user(user: Option<User>) -> Result<User> {
    user.ok_or_else(not_found)
}

pub(crate) fn not_found() -> AuthError {
    AuthError::refused(ErrorCode::UserNotFound, "User not found")
}
