//! `/admin/users`: the accounts, for operators.

use std::sync::Arc;

use bytes::Bytes;
use innkeeper_rest::{Request, Response, resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::paging::{Cursor, describe_page, read_cursor, read_page, to_i64};
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::input::{escape_like, non_empty, parse_id};
use crate::flow::caller::{AccessToken, audience};
use crate::flow::user::User;
use crate::flow::user::admin::{self, AdminUserInput, require_user};
use crate::flow::user::delete;
use crate::http::api::body::{EmptyObject, JsonBody, read_json};
use crate::http::api::client::query_value;
use crate::http::api::user::Sessions;
use crate::store;
use crate::store::user_list::UserFilter;

pub(crate) struct Users {
    pub(crate) app: Arc<App>,
}

/// The body of a deletion.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Deletion {
    should_soft_delete: Option<bool>,
}

/// A page of accounts.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UserList {
    users: Vec<User>,
    aud: String,
    /// Only in responses to `cursor` and `limit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pagination: Option<Pagination>,
}

/// The position of the next page.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Pagination {
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[resource("/users")]
#[security(service)]
impl Users {
    /// Returns a page of accounts, by number or by cursor.
    #[get]
    #[responds(200, UserList)]
    async fn list(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        #[request] request: &Request,
    ) -> Result<Response> {
        let value = |name| query_value(request.head(), name);
        let aud = audience(&self.app, &client, Some(&token));
        let filter = UserFilter {
            pattern: escape_like(&value("filter").unwrap_or_default()),
            email: value("email").unwrap_or_default().to_lowercase(),
            phone: value("phone").unwrap_or_default().replace(['+', ' '], ""),
            aud: aud.clone(),
        };
        let by_cursor = value("cursor").is_some() || value("limit").is_some();
        let newest_first = newest_first(value("sort").as_deref())?;
        if by_cursor && value("page").is_none() && value("per_page").is_none() {
            if !newest_first {
                return Err(AuthError::validation(
                    "A cursor goes from the newest to the oldest",
                ));
            }
            return self.list_after(request, filter).await;
        }
        let page = read_page(
            request,
            value("page").as_deref(),
            value("per_page").as_deref(),
        )?;
        let (limit, offset) = (page.limit(), page.offset());
        let (users, total) =
            admin::list::page(&self.app, &filter, newest_first, limit, offset).await?;
        let response = describe_page(request, self.app.config.profile, &page, total);
        Ok(response.entity(UserList {
            users,
            aud,
            pagination: None,
        }))
    }

    /// Creates an account.
    #[post]
    async fn create(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        #[entity] body: JsonBody<AdminUserInput>,
    ) -> Result<User> {
        let aud = audience(&self.app, &client, Some(&token));
        admin::create::create(&self.app, &aud, body.0, &token.0, &client).await
    }

    /// Creates an account with a chosen id.
    #[post("/{user_id}")]
    async fn create_with_id(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        user_id: String,
        #[entity] body: JsonBody<AdminUserInput>,
    ) -> Result<User> {
        let id = parse_id(&user_id, "user_id")?;
        let aud = audience(&self.app, &client, Some(&token));
        let mut input = body.0;
        if non_empty(input.id.as_deref()).is_some_and(|text| Uuid::parse_str(text) != Ok(id)) {
            return Err(AuthError::validation(
                "The id of the path and the id of the body differ",
            ));
        }
        input.id = Some(user_id);
        admin::create::create(&self.app, &aud, input, &token.0, &client).await
    }

    /// Returns an account.
    #[get("/{user_id}")]
    async fn show(&self, user_id: String) -> Result<User> {
        let id = parse_id(&user_id, "user_id")?;
        require_user(store::users::find_by_id(&self.app.shared().await?, id).await?)
    }

    /// Changes an account.
    #[put("/{user_id}")]
    async fn update(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        user_id: String,
        #[entity] body: JsonBody<AdminUserInput>,
    ) -> Result<User> {
        let id = parse_id(&user_id, "user_id")?;
        admin::update::update(&self.app, id, body.0, &token.0, &client).await
    }

    /// Deletes an account or, with `should_soft_delete`, everything in it that identifies its user.
    #[delete("/{user_id}")]
    async fn delete(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        user_id: String,
        #[body] body: Bytes,
    ) -> Result<EmptyObject> {
        let id = parse_id(&user_id, "user_id")?;
        let deletion: Option<Deletion> = if body.is_empty() {
            None
        } else {
            read_json(&body)?
        };
        let soft = deletion.unwrap_or_default().should_soft_delete;
        let soft = soft.unwrap_or_default();
        delete::delete(&self.app, id, soft, &token.0, &client).await?;
        Ok(EmptyObject {})
    }

    /// Returns the sessions of an account.
    #[get("/{user_id}/sessions")]
    async fn sessions(&self, user_id: String) -> Result<Sessions> {
        let id = parse_id(&user_id, "user_id")?;
        let sessions = admin::sessions::list(&self.app, id).await?;
        Ok(Sessions { sessions })
    }

    /// Ends all sessions of an account.
    #[delete("/{user_id}/sessions")]
    #[responds(204)]
    async fn end_sessions(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        user_id: String,
    ) -> Result<Response> {
        let id = parse_id(&user_id, "user_id")?;
        admin::sessions::end(&self.app, id, None, &token.0, &client).await?;
        Ok(Response::no_content())
    }

    /// Ends one session of an account.
    #[delete("/{user_id}/sessions/{id}")]
    #[responds(204)]
    async fn end_session(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        user_id: String,
        id: String,
    ) -> Result<Response> {
        let user_id = parse_id(&user_id, "user_id")?;
        let id = parse_id(&id, "session_id")?;
        admin::sessions::end(&self.app, user_id, Some(id), &token.0, &client).await?;
        Ok(Response::no_content())
    }
}

impl Users {
    /// Returns the page after a cursor.
    async fn list_after(&self, request: &Request, filter: UserFilter) -> Result<Response> {
        let head = request.head();
        let limit = query_value(head, "limit");
        let (page, cursor) = read_cursor(request, query_value(head, "cursor"), limit.as_deref())?;
        let conn = self.app.shared().await?;
        let mut users = if filter.is_exact() {
            let mut users = store::user_list::list_exact(&conn, &filter).await?;
            users
                .retain(|user| cursor.is_none_or(|it| (user.created_at, user.id) < (it.at, it.id)));
            users
        } else {
            // One more than requested tells whether there is a next page.
            let after = cursor.map(|it| (it.at, it.id));
            store::user_list::list_after(&conn, &filter, after, to_i64(page.limit()) + 1).await?
        };
        let has_more = users.len() > page.limit();
        users.truncate(page.limit());
        let mut pagination = Pagination {
            has_more,
            next_cursor: None,
        };
        let mut response = Response::ok();
        if let Some(last) = users.last().filter(|_| has_more) {
            let next = Cursor {
                at: last.created_at,
                id: last.id,
            };
            let next = next.encode();
            response = response.header("link", page.link("next", &next));
            pagination.next_cursor = Some(next);
        }
        Ok(response.entity(UserList {
            users,
            aud: filter.aud,
            pagination: Some(pagination),
        }))
    }
}

/// Parses `created_at`, alone or with `asc` or `desc`, and returns whether the newest come first.
fn newest_first(sort: Option<&str>) -> Result<bool> {
    let Some(sort) = non_empty(sort) else {
        return Ok(true);
    };
    match sort.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["created_at"] => Ok(true),
        ["created_at", way] if way.eq_ignore_ascii_case("desc") => Ok(true),
        ["created_at", way] if way.eq_ignore_ascii_case("asc") => Ok(false),
        ["created_at", way @ ..] => Err(AuthError::validation(format!(
            "Bad Sort Parameters: bad direction for sort '{}', only 'asc' and 'desc' allowed",
            way.join(" ")
        ))),
        other => Err(AuthError::validation(format!(
            "Bad Sort Parameters: bad field for sort '{}'",
            other.first().unwrap_or(&"")
        ))),
    }
}
