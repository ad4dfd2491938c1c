//! `/admin/users`: accounts, for operators.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use innkeeper_rest::{Request, Response, resource};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::paging::{Page, limit};
use crate::api::caller::{Bearer, audience};
use crate::api::client::{ClientInfo, query_value};
use crate::api::input::{Lenient, given, read_json};
use crate::api::user::{end_session, parse_id};
use crate::app::App;
use crate::error::{AuthError, Result};
use crate::store;
use crate::store::user_list::Wanted;
use crate::user::User;
use crate::user::admin::{self, Input, found};
use crate::user::delete;

pub(crate) struct Users {
    pub(crate) app: Arc<App>,
}

/// How an account is deleted.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Deletion {
    should_soft_delete: Option<bool>,
}

#[resource("/users")]
impl Users {
    /// A page of accounts: by number, or after a cursor.
    #[get]
    async fn list(
        &self,
        #[value] bearer: Bearer,
        #[value] client: ClientInfo,
        #[request] request: &Request,
    ) -> Result<Response> {
        let value = |name| query_value(request.head(), name);
        let aud = audience(&self.app, &client, Some(&bearer));
        let wanted = Wanted {
            pattern: escape(&value("filter").unwrap_or_default()),
            email: value("email").unwrap_or_default().to_lowercase(),
            phone: value("phone").unwrap_or_default().replace(['+', ' '], ""),
            aud: aud.clone(),
        };
        let by_cursor = value("cursor").is_some() || value("limit").is_some();
        if by_cursor && value("page").is_none() && value("per_page").is_none() {
            return self.list_after(request, wanted).await;
        }
        let page = Page::read(value("page").as_deref(), value("per_page").as_deref())?;
        let newest_first = order(value("sort").as_deref())?;
        let conn = self.app.shared().await?;
        let total = store::user_list::count(&conn, &wanted).await?;
        let skipped = page.skipped();
        let users =
            store::user_list::list(&conn, &wanted, newest_first, page.size, skipped).await?;
        let response = page.describe(Response::ok(), request.head(), total);
        Ok(response.entity(json!({ "users": users, "aud": aud })))
    }

    /// Creates an account.
    #[post]
    async fn create(
        &self,
        #[value] bearer: Bearer,
        #[value] client: ClientInfo,
        #[entity] body: Lenient<Input>,
    ) -> Result<User> {
        let aud = audience(&self.app, &client, Some(&bearer));
        admin::create::create(&self.app, &aud, body.0, (&bearer, &client)).await
    }

    /// Creates an account under a chosen id.
    #[post("/{user_id}")]
    async fn create_with_id(
        &self,
        #[value] bearer: Bearer,
        #[value] client: ClientInfo,
        user_id: String,
        #[entity] body: Lenient<Input>,
    ) -> Result<User> {
        parse_id(&user_id, "user_id")?;
        let aud = audience(&self.app, &client, Some(&bearer));
        let mut input = body.0;
        if given(input.id.as_deref()).is_some_and(|id| !id.eq_ignore_ascii_case(&user_id)) {
            return Err(AuthError::validation(
                "The id of the path and the id of the body differ",
            ));
        }
        input.id = Some(user_id);
        admin::create::create(&self.app, &aud, input, (&bearer, &client)).await
    }

    /// One account.
    #[get("/{user_id}")]
    async fn show(&self, user_id: String) -> Result<User> {
        let id = parse_id(&user_id, "user_id")?;
        found(store::users::find_by_id(&self.app.shared().await?, id).await?)
    }

    /// Changes an account.
    #[put("/{user_id}")]
    async fn update(
        &self,
        #[value] bearer: Bearer,
        #[value] client: ClientInfo,
        user_id: String,
        #[entity] body: Lenient<Input>,
    ) -> Result<User> {
        let id = parse_id(&user_id, "user_id")?;
        admin::update::update(&self.app, id, body.0, (&bearer, &client)).await
    }

    /// Deletes an account, or everything in it that says whose it was.
    #[delete("/{user_id}")]
    async fn delete(
        &self,
        #[value] bearer: Bearer,
        #[value] client: ClientInfo,
        user_id: String,
        #[body] body: Bytes,
    ) -> Result<Value> {
        let id = parse_id(&user_id, "user_id")?;
        let deletion: Option<Deletion> = if body.is_empty() {
            None
        } else {
            read_json(&body)?
        };
        let softly = deletion.unwrap_or_default().should_soft_delete;
        let softly = softly.unwrap_or_default();
        delete::delete(&self.app, id, softly, (&bearer, &client)).await?;
        Ok(json!({}))
    }

    /// The sessions of an account.
    #[get("/{user_id}/sessions")]
    async fn sessions(&self, user_id: String) -> Result<Value> {
        let id = parse_id(&user_id, "user_id")?;
        let conn = self.app.shared().await?;
        found(store::users::find_by_id(&conn, id).await?)?;
        let sessions = store::sessions::list_of_user(&conn, id, None).await?;
        Ok(json!({ "sessions": sessions }))
    }

    /// Ends all sessions of an account.
    #[delete("/{user_id}/sessions")]
    async fn end_sessions(&self, user_id: String) -> Result<Response> {
        let id = parse_id(&user_id, "user_id")?;
        let conn = self.app.shared().await?;
        found(store::users::find_by_id(&conn, id).await?)?;
        store::sessions::delete_of_user(&conn, id).await?;
        Ok(Response::no_content())
    }

    /// Ends one session of an account.
    #[delete("/{user_id}/sessions/{id}")]
    async fn end_session(&self, user_id: String, id: String) -> Result<Response> {
        let user_id = parse_id(&user_id, "user_id")?;
        end_session(&self.app, user_id, &id).await
    }
}

impl Users {
    async fn list_after(&self, request: &Request, wanted: Wanted) -> Result<Response> {
        let head = request.head();
        let size = limit(query_value(head, "limit").as_deref())?;
        let cursor = match query_value(head, "cursor") {
            Some(text) => Some(read_cursor(&text)?),
            None => None,
        };
        let conn = self.app.shared().await?;
        // One more than wanted tells whether there is a next page.
        let mut users = store::user_list::list_after(&conn, &wanted, cursor, size + 1).await?;
        let kept = usize::try_from(size).unwrap_or(usize::MAX);
        let has_more = users.len() > kept;
        users.truncate(kept);
        let next = users.last().filter(|_| has_more).map(write_cursor);
        let mut pagination = json!({ "has_more": has_more });
        let mut response = Response::ok();
        if let Some(next) = next {
            let link = format!("<{}?cursor={next}&limit={size}>; rel=\"next\"", head.path());
            response = response.header("link", link);
            pagination = json!({ "has_more": true, "next_cursor": next });
        }
        Ok(response.entity(json!({
            "users": users,
            "aud": wanted.aud,
            "pagination": pagination,
        })))
    }
}

/// `created_at`, alone or with `asc` or `desc`; newest first unless said otherwise.
fn order(sort: Option<&str>) -> Result<bool> {
    let Some(sort) = given(sort) else {
        return Ok(true);
    };
    match sort.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["created_at"] => Ok(true),
        ["created_at", way] if way.eq_ignore_ascii_case("desc") => Ok(true),
        ["created_at", way] if way.eq_ignore_ascii_case("asc") => Ok(false),
        _ => Err(AuthError::validation(
            "Bad Sort Parameters: only created_at, with asc or desc, is possible",
        )),
    }
}

/// Takes its meaning from what SQL's `like` gives a meaning.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

fn write_cursor(user: &User) -> String {
    let at = user.created_at.as_microsecond();
    URL_SAFE_NO_PAD.encode(format!("{at}.{}", user.id))
}

fn read_cursor(text: &str) -> Result<(Timestamp, Uuid)> {
    let parse = || {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        let (at, id) = text.split_once('.')?;
        let at = Timestamp::from_microsecond(at.parse().ok()?).ok()?;
        Some((at, Uuid::parse_str(id).ok()?))
    };
    parse().ok_or_else(|| AuthError::validation("The cursor is not one of this server"))
}
