//! `users`: the list for admins.

use innkeeper_service::database::{Executor, statements};
use jiff::Timestamp;
use uuid::Uuid;

use super::Result;
use crate::model::User;

/// Users without identities and factors, as clients expect of lists.
const LISTED: &str = concat!(
    include_str!("users/columns.sql"),
    "null::jsonb as identities, null::jsonb as factors, null::jsonb as session from users u",
);

/// Whether a user belongs to the audience, and the address or the full name contains the pattern.
const MATCHES: &str = "(u.aud = :aud or u.aud is null)
   and (:pattern = ''
        or u.email ilike '%' || :pattern || '%'
        or u.raw_user_meta_data ->> 'full_name' ilike '%' || :pattern || '%')";

/// Users without a time of creation count as very old.
const NEWEST_FIRST: &str = "order by coalesce(u.created_at, 'epoch') desc, u.id desc";

/// Selects users. An empty field matches every user.
#[derive(Debug, Default)]
pub(crate) struct UserFilter {
    pub(crate) aud: String,
    /// A part of the email address or of the full name, with `%`, `_` and `\` escaped.
    pub(crate) pattern: String,
    pub(crate) email: String,
    pub(crate) phone: String,
}

impl UserFilter {
    /// Returns whether the filter has an email address or a phone number, so that an index finds the few
    /// users it matches.
    pub(crate) fn is_exact(&self) -> bool {
        !self.email.is_empty() || !self.phone.is_empty()
    }
}

statements! {
    /// Lists the users with the email address and the phone number of the filter, of which one may be empty, newest
    /// first. Indexes find them.
    pub(crate) async fn list_exact(filter: &UserFilter) -> Vec<User>
    where {
        aud: &str = &filter.aud,
        pattern: &str = &filter.pattern,
        email: &str = &filter.email,
        phone: &str = &filter.phone,
    }
    { LISTED, include_str!("users/exact.sql"), MATCHES, NEWEST_FIRST }

    async fn list_newest(filter: &UserFilter, limit: i64, offset: i64) -> Vec<User>
    where { aud: &str = &filter.aud, pattern: &str = &filter.pattern, limit: i64, offset: i64 }
    { LISTED, "where", MATCHES, NEWEST_FIRST, "limit :limit offset :offset" }

    async fn list_oldest(filter: &UserFilter, limit: i64, offset: i64) -> Vec<User>
    where { aud: &str = &filter.aud, pattern: &str = &filter.pattern, limit: i64, offset: i64 }
    {
        LISTED, "where", MATCHES, "order by coalesce(u.created_at, 'epoch'), u.id limit :limit offset :offset"
    }

    /// Returns the page after a cursor, newest first.
    pub(crate) async fn list_after(
        filter: &UserFilter, cursor: Option<(Timestamp, Uuid)>, limit: i64,
    ) -> Vec<User>
    where {
        aud: &str = &filter.aud,
        pattern: &str = &filter.pattern,
        cursor_at: Option<Timestamp> = cursor.map(|(at, _)| at),
        cursor_id: Option<Uuid> = cursor.map(|(_, id)| id),
        limit: i64,
    }
    {
        LISTED, "where", MATCHES,
        "and (cast(:cursor_at as timestamptz) is null
              or (coalesce(u.created_at, 'epoch'), u.id) < (:cursor_at, :cursor_id))",
        NEWEST_FIRST, "limit :limit"
    }

    /// Counts the users that match the audience and the pattern of the filter.
    pub(crate) async fn count(filter: &UserFilter) -> i64
    where { aud: &str = &filter.aud, pattern: &str = &filter.pattern }
    { "select count(*) from users u where", MATCHES }
}

/// Returns one page by offset. The email address and phone number of the filter are ignored.
pub(crate) async fn list(
    conn: &dyn Executor,
    filter: &UserFilter,
    newest_first: bool,
    limit: i64,
    offset: i64,
) -> Result<Vec<User>> {
    if newest_first {
        list_newest(conn, filter, limit, offset).await
    } else {
        list_oldest(conn, filter, limit, offset).await
    }
}
