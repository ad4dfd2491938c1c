//! Commands about users and their sessions. They call the flows of the admin API.

use innkeeper_service::clock::Clock;
use jiff::SignedDuration;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::OperateError;
use crate::app::App;
use crate::app::prepare::ready;
use crate::base::client::ClientInfo;
use crate::base::contact::{Email, Phone};
use crate::base::error::AuthError;
use crate::base::input::{escape_like, parse_id};
use crate::config::Config;
use crate::crypto::jwt::Claims;
use crate::flow::user::admin::{self, AdminUserInput, require_user};
use crate::flow::user::{delete, password};
use crate::store;
use crate::store::user_list::UserFilter;

/// The name of the actor in the audit log.
const OPERATOR: &str = "operator";

/// Names an account.
#[derive(Debug, Clone, Copy)]
pub struct AccountSelector<'a> {
    /// The id, the email address or the phone number of the account.
    pub account: &'a str,
    /// The audience in which an address or number is looked up; by default the configured one.
    pub aud: Option<&'a str>,
}

/// An account that an operator creates. It has an email address, a phone number or both.
#[derive(Debug, Clone, Default)]
pub struct NewAccount {
    /// The email address.
    pub email: Option<String>,
    /// The phone number.
    pub phone: Option<String>,
    /// The password; without one the user signs in by link or code.
    pub password: Option<String>,
    /// The role; by default that of all new users.
    pub role: Option<String>,
    /// The audience; by default the configured one.
    pub aud: Option<String>,
    /// Whether the email address and the phone number count as confirmed.
    pub confirm: bool,
    /// Whether the account may use the admin endpoints: its role is the first of `JWT_ADMIN_ROLES`.
    pub admin: bool,
    /// The metadata that the user can change.
    pub user_metadata: Option<Map<String, Value>>,
    /// The metadata that only operators can change.
    pub app_metadata: Option<Map<String, Value>>,
}

/// A change of an account. What is `None` stays as it is.
#[derive(Debug, Clone, Default)]
pub struct AccountChange {
    /// The new email address.
    pub email: Option<String>,
    /// The new phone number.
    pub phone: Option<String>,
    /// The new password, which ends all sessions.
    pub password: Option<String>,
    /// The new role.
    pub role: Option<String>,
    /// The new audience.
    pub aud: Option<String>,
    /// Whether the email address is confirmed.
    pub confirm_email: bool,
    /// Whether the phone number is confirmed.
    pub confirm_phone: bool,
    /// Members to be merged into the metadata that the user can change; `null` removes one.
    pub user_metadata: Option<Map<String, Value>>,
    /// Members to be merged into the metadata that only operators can change; `null` removes one.
    pub app_metadata: Option<Map<String, Value>>,
    /// A ban, or its end.
    pub ban: Option<Ban>,
}

/// A change of a ban.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ban {
    /// The user cannot sign in for this time.
    For(SignedDuration),
    /// The user can sign in again.
    Lift,
}

/// Selects a page of accounts.
#[derive(Debug, Clone, Default)]
pub struct UserQuery {
    /// A part of the email address or of the full name.
    pub filter: Option<String>,
    /// The whole email address.
    pub email: Option<String>,
    /// The whole phone number.
    pub phone: Option<String>,
    /// The audience; by default the configured one.
    pub aud: Option<String>,
    /// Whether the oldest accounts come first.
    pub oldest_first: bool,
    /// The number of accounts on a page.
    pub limit: u32,
    /// The number of the page, from 1.
    pub page: u32,
}

/// Returns a page of accounts as `/admin/users` shows them, and the number of all of them as `total`.
pub async fn list_users(
    config: &Config,
    clock: &Clock,
    query: &UserQuery,
) -> Result<Value, OperateError> {
    let app = ready(config, clock).await?;
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let aud = audience(config, query.aud.as_deref());
    let filter = UserFilter {
        aud: aud.to_owned(),
        pattern: escape_like(&text(&query.filter)),
        email: text(&query.email).to_lowercase(),
        phone: text(&query.phone).replace(['+', ' '], ""),
    };
    let (limit, offset) = page_bounds(query.limit, query.page);
    let page = admin::list::page(&app, &filter, !query.oldest_first, limit, offset);
    let (users, total) = page.await?;
    Ok(json!({ "users": users, "aud": aud, "total": total }))
}

/// Returns an account as `/admin/users/{id}` shows it.
pub async fn show_user(
    config: &Config,
    clock: &Clock,
    selector: AccountSelector<'_>,
) -> Result<Value, OperateError> {
    let app = ready(config, clock).await?;
    let id = find(&app, selector).await?;
    let conn = app.shared().await?;
    let user = store::users::find_by_id(&conn, id).await;
    let user = require_user(user.map_err(AuthError::from)?)?;
    Ok(json!(user))
}

/// Creates an account and returns it as the server shows it. The password must meet the policy.
pub async fn create_user(
    config: &Config,
    clock: &Clock,
    account: &NewAccount,
) -> Result<Value, OperateError> {
    let app = &*ready(config, clock).await?;
    let role = match (account.admin, &account.role) {
        (false, role) => role.clone(),
        (true, None) => config.jwt.admin_roles.first().cloned(),
        (true, Some(role)) if config.jwt.admin_roles.contains(role) => Some(role.clone()),
        (true, Some(_)) => {
            let message =
                "The role is not one of JWT_ADMIN_ROLES, so the user would not be an admin";
            return Err(AuthError::validation(message).into());
        }
    };
    if let Some(new) = &account.password {
        let address = account.email.as_deref().or(account.phone.as_deref());
        let owner = password::owner_words(address, account.user_metadata.as_ref());
        password::check(app, new, &owner).await?;
    }
    let input = AdminUserInput {
        email: account.email.clone(),
        phone: account.phone.clone(),
        password: account.password.clone(),
        email_confirm: Some(account.confirm),
        phone_confirm: Some(account.confirm),
        user_metadata: account.user_metadata.clone(),
        app_metadata: account.app_metadata.clone(),
        role,
        ..AdminUserInput::default()
    };
    let aud = audience(config, account.aud.as_deref());
    let (operator, client) = (operator(), ClientInfo::default());
    let user = admin::create::create(app, aud, input, &operator, &client).await?;
    Ok(json!(user))
}

/// Changes an account and returns it as the server shows it. A new password must meet the policy.
pub async fn update_user(
    config: &Config,
    clock: &Clock,
    selector: AccountSelector<'_>,
    change: AccountChange,
) -> Result<Value, OperateError> {
    let app = &*ready(config, clock).await?;
    let id = find(app, selector).await?;
    let input = AdminUserInput {
        email: change.email,
        phone: change.phone,
        password: change.password,
        role: change.role,
        aud: change.aud,
        email_confirm: change.confirm_email.then_some(true),
        phone_confirm: change.confirm_phone.then_some(true),
        user_metadata: change.user_metadata,
        app_metadata: change.app_metadata,
        ban_duration: change.ban.map(|ban| match ban {
            Ban::For(length) => format!("{}s", length.as_secs()),
            Ban::Lift => "none".to_owned(),
        }),
        ..AdminUserInput::default()
    };
    let (operator, client) = (operator(), ClientInfo::default());
    let user = admin::update::update(app, id, input, &operator, &client).await?;
    Ok(json!(user))
}

/// Deletes an account or, with `soft`, everything in it that identifies its user. Returns its id.
pub async fn delete_user(
    config: &Config,
    clock: &Clock,
    selector: AccountSelector<'_>,
    soft: bool,
) -> Result<Uuid, OperateError> {
    let app = &*ready(config, clock).await?;
    let id = find(app, selector).await?;
    let (operator, client) = (operator(), ClientInfo::default());
    delete::delete(app, id, soft, &operator, &client).await?;
    Ok(id)
}

/// Returns the sessions of an account as `/admin/users/{id}/sessions` shows them.
pub async fn list_sessions(
    config: &Config,
    clock: &Clock,
    selector: AccountSelector<'_>,
) -> Result<Value, OperateError> {
    let app = ready(config, clock).await?;
    let id = find(&app, selector).await?;
    let sessions = admin::sessions::list(&app, id).await?;
    Ok(json!({ "user_id": id, "sessions": sessions }))
}

/// Ends the session with this id, or all sessions of the account.
pub async fn end_sessions(
    config: &Config,
    clock: &Clock,
    selector: AccountSelector<'_>,
    session_id: Option<&str>,
) -> Result<(), OperateError> {
    let session_id = session_id
        .map(|id| parse_id(id, "session_id"))
        .transpose()?;
    let app = &*ready(config, clock).await?;
    let id = find(app, selector).await?;
    let (operator, client) = (operator(), ClientInfo::default());
    Ok(admin::sessions::end(app, id, session_id, &operator, &client).await?)
}

/// Returns the limit and the offset of a page.
pub(super) fn page_bounds(limit: u32, page: u32) -> (usize, usize) {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let before = usize::try_from(page.saturating_sub(1)).unwrap_or(usize::MAX);
    (limit, limit.saturating_mul(before))
}

/// Returns the id of an account. That of a selector with an id need not exist.
async fn find(app: &App, selector: AccountSelector<'_>) -> Result<Uuid, AuthError> {
    let AccountSelector { account, aud } = selector;
    if let Ok(id) = Uuid::parse_str(account) {
        return Ok(id);
    }
    let aud = audience(&app.config, aud);
    let conn = app.shared().await?;
    let user = if account.contains('@') {
        let email = Email::parse(account)?;
        store::users::find_by_email(&conn, aud, email.as_str()).await?
    } else {
        let phone = Phone::parse(account).map_err(|_| {
            AuthError::validation(format!(
                "{account} is not an id, an email address or a phone number"
            ))
        })?;
        store::users::find_by_phone(&conn, aud, phone.as_str()).await?
    };
    Ok(require_user(user)?.id)
}

fn audience<'a>(config: &'a Config, requested: Option<&'a str>) -> &'a str {
    requested.unwrap_or(&config.jwt.aud)
}

/// The claims that stand for the operator in the audit log.
fn operator() -> Claims {
    Claims {
        role: Some(OPERATOR.to_owned()),
        ..Claims::default()
    }
}
