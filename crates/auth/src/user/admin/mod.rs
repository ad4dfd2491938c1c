//! What operators do to accounts.

pub(crate) mod create;
pub(crate) mod links;
pub(crate) mod sessions;
pub(crate) mod update;

use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use super::signup::{self, Signup, reload};
use super::{Object, User, conflict, metadata};
use crate::app::App;
use crate::audit::{Action, Actor};
use crate::client::ClientInfo;
use crate::config::MessageKind;
use crate::contact::Email;
use crate::error::{AuthError, Result};
use crate::error_code::ErrorCode;
use crate::hook;
use crate::jwt::Claims;
use crate::one_time::frequency;
use crate::one_time::send::{self, Order};
use crate::store::{self, GenericClient};

/// What an operator may say about an account.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "AdminUserInput")]
pub(crate) struct Input {
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

/// What happened to whom, for the audit log.
pub(crate) fn about(user: &User) -> Object {
    let mut traits = Object::new();
    traits.insert("user_id".to_owned(), user.id.to_string().into());
    traits.insert("user_email".to_owned(), user.email.clone().into());
    traits.insert("user_phone".to_owned(), user.phone.clone().into());
    traits
}

/// An address that may get an account.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Newcomer<'a> {
    pub(crate) aud: &'a str,
    pub(crate) email: &'a Email,
    /// The id of the account if it is new.
    pub(crate) id: Option<Uuid>,
}

impl<'a> Newcomer<'a> {
    /// Asks the application whether it is against an account for this address, if there is none.
    pub(crate) async fn approve(
        app: &App,
        (aud, email): (&'a str, &'a Email),
        data: Option<&Object>,
        client: &ClientInfo,
    ) -> Result<Self> {
        let mut newcomer = Self {
            aud,
            email,
            id: None,
        };
        let data = data.cloned().unwrap_or_default();
        newcomer.id = signup::approve(app, &newcomer.signup(data), client).await?;
        Ok(newcomer)
    }

    fn signup(&self, data: Object) -> Signup {
        Signup {
            aud: self.aud.to_owned(),
            email: self.email.clone(),
            password: String::new(),
            data,
            challenge: None,
        }
    }

    /// Tells the application if this account is the new one.
    pub(crate) fn announce(&self, app: &App, user: &User, client: &ClientInfo) {
        if self.id == Some(user.id) {
            hook::accounts::after(app, user, client);
        }
    }
}

/// Invites an address: a new account, or one that was never confirmed.
pub(crate) async fn invite(
    app: &App,
    (aud, email): (&str, &Email),
    data: Option<Object>,
    operator: &Claims,
    client: &ClientInfo,
) -> Result<User> {
    app.check_mail()?;
    let newcomer = Newcomer::approve(app, (aud, email), data.as_ref(), client).await?;
    let work = Box::pin(write_invitation(app, &newcomer, data, operator, client));
    frequency::claimed(app, email.as_str(), MessageKind::Invite, work).await
}

async fn write_invitation(
    app: &App,
    newcomer: &Newcomer<'_>,
    data: Option<Object>,
    operator: &Claims,
    client: &ClientInfo,
) -> Result<User> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    let user = prepare_invited(app, &tx, newcomer, data).await?;
    let actor = Actor::Operator(operator);
    app.audit_as(&tx, (Action::UserInvited, about(&user)), actor, client)
        .await?;
    let order = Order {
        kind: MessageKind::Invite,
        challenge: None,
        client,
        carries_password: false,
    };
    let posted = send::write(app, &tx, &user, order).await?;
    let user = reload(&tx, user.id).await?;
    tx.commit().await?;
    drop(conn);
    newcomer.announce(app, &user, client);
    posted.send(app).await?;
    Ok(user)
}

/// The account that is invited.
pub(crate) async fn prepare_invited(
    app: &App,
    tx: &impl GenericClient,
    newcomer: &Newcomer<'_>,
    data: Option<Object>,
) -> Result<User> {
    let address = newcomer.email.as_str();
    let (id, data) = match store::users::lock_by_email(tx, newcomer.aud, address).await? {
        Some(user) if user.is_confirmed() => return Err(conflict::email_exists()),
        // What an earlier invitation said is kept, what a stranger said is not.
        Some(user) => {
            let nothing = user.invited_at.is_none().then(Object::new);
            (user.id, data.or(nothing))
        }
        None => {
            let id = create_plain(app, tx, newcomer, None).await?;
            (id, Some(data.unwrap_or_default()))
        }
    };
    store::users::set_invited(tx, id, app.clock.now()).await?;
    describe(app, tx, id, data).await
}

/// A new account that is not confirmed.
async fn create_plain(
    app: &App,
    tx: &impl GenericClient,
    newcomer: &Newcomer<'_>,
    hash: Option<String>,
) -> Result<Uuid> {
    let signup = newcomer.signup(Object::new());
    signup::create(app, tx, &signup, (newcomer.id, hash), None).await
}

/// Gives an account the metadata an operator has given, exactly; without any, it keeps its own.
async fn describe(
    app: &App,
    tx: &impl GenericClient,
    id: Uuid,
    data: Option<Object>,
) -> Result<User> {
    let mut user = reload(tx, id).await?;
    if let Some(data) = data {
        user.user_metadata = data;
    }
    metadata::refresh_providers(&mut user);
    store::users::set_metadata(tx, &user, app.clock.now()).await?;
    Ok(user)
}

/// The account with this id, or 404.
pub(crate) fn found(user: Option<User>) -> Result<User> {
    user.ok_or_else(not_found)
}

pub(crate) fn not_found() -> AuthError {
    AuthError::refused(ErrorCode::UserNotFound, "User not found")
}
