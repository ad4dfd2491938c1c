//! `users`: the list for admins.

use innkeeper_auth_queries::queries::users as queries;
use jiff::Timestamp;
use uuid::Uuid;

use super::{GenericClient, Result};
use crate::model::User;

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

/// Lists the users with the email address or phone number of the filter, newest first.
pub(crate) async fn list_exact(
    conn: &impl GenericClient,
    filter: &UserFilter,
) -> Result<Vec<User>> {
    let rows = queries::list_exact()
        .bind(
            conn,
            &filter.email,
            &filter.phone,
            &filter.aud,
            &filter.pattern,
        )
        .map(without_identities)
        .all()
        .await?;
    Ok(rows)
}

/// Returns one page by offset. The email address and phone number of the filter are ignored.
pub(crate) async fn list(
    conn: &impl GenericClient,
    filter: &UserFilter,
    newest_first: bool,
    limit: i64,
    offset: i64,
) -> Result<Vec<User>> {
    let UserFilter { aud, pattern, .. } = filter;
    let rows = if newest_first {
        queries::list_newest()
            .bind(conn, aud, pattern, &limit, &offset)
            .map(without_identities)
            .all()
            .await?
    } else {
        queries::list_oldest()
            .bind(conn, aud, pattern, &limit, &offset)
            .map(without_identities)
            .all()
            .await?
    };
    Ok(rows)
}

/// Returns the page after a cursor, newest first.
pub(crate) async fn list_after(
    conn: &impl GenericClient,
    filter: &UserFilter,
    cursor: Option<(Timestamp, Uuid)>,
    limit: i64,
) -> Result<Vec<User>> {
    let UserFilter { aud, pattern, .. } = filter;
    let at = cursor.map(|(at, _)| at);
    let id = cursor.map_or(Uuid::nil(), |(_, id)| id);
    let rows = queries::list_after()
        .bind(conn, aud, pattern, &at, &id, &limit)
        .map(without_identities)
        .all()
        .await?;
    Ok(rows)
}

/// Counts the users that match the audience and the pattern of the filter.
pub(crate) async fn count(conn: &impl GenericClient, filter: &UserFilter) -> Result<i64> {
    let UserFilter { aud, pattern, .. } = filter;
    let total = queries::count_listed()
        .bind(conn, aud, pattern)
        .one()
        .await?;
    Ok(total)
}

/// Converts a row to a user without identities, which lists do not show.
fn without_identities(row: queries::UserRowBorrowed<'_>) -> User {
    let mut user = User::from_row(row);
    user.identities = None;
    user
}
