//! `users`, as the admin lists them.

use innkeeper_auth_queries::queries::users as queries;
use jiff::Timestamp;
use uuid::Uuid;

use super::{GenericClient, Result};
use crate::user::User;

/// Which accounts are wanted; an empty text means all.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) aud: String,
    /// A piece of the address or of the full name, with `%`, `_` and `\` escaped.
    pub(crate) pattern: String,
    pub(crate) email: String,
    pub(crate) phone: String,
}

impl Wanted {
    /// Whether it names an address or a number, so that an index finds the few accounts it means.
    pub(crate) fn is_exact(&self) -> bool {
        !self.email.is_empty() || !self.phone.is_empty()
    }
}

/// The accounts with the address or the number that is wanted, newest first.
pub(crate) async fn list_exact(conn: &impl GenericClient, wanted: &Wanted) -> Result<Vec<User>> {
    let rows = queries::list_exact()
        .bind(
            conn,
            &wanted.email,
            &wanted.phone,
            &wanted.aud,
            &wanted.pattern,
        )
        .map(listed)
        .all()
        .await?;
    Ok(rows)
}

/// One page by number; addresses and numbers are not looked at.
pub(crate) async fn list(
    conn: &impl GenericClient,
    wanted: &Wanted,
    newest_first: bool,
    size: i64,
    skipped: i64,
) -> Result<Vec<User>> {
    let Wanted { aud, pattern, .. } = wanted;
    let rows = if newest_first {
        queries::list_newest()
            .bind(conn, aud, pattern, &size, &skipped)
            .map(listed)
            .all()
            .await?
    } else {
        queries::list_oldest()
            .bind(conn, aud, pattern, &size, &skipped)
            .map(listed)
            .all()
            .await?
    };
    Ok(rows)
}

/// The page after a cursor, newest first.
pub(crate) async fn list_after(
    conn: &impl GenericClient,
    wanted: &Wanted,
    cursor: Option<(Timestamp, Uuid)>,
    size: i64,
) -> Result<Vec<User>> {
    let Wanted { aud, pattern, .. } = wanted;
    let at = cursor.map(|(at, _)| at);
    let id = cursor.map_or(Uuid::nil(), |(_, id)| id);
    let rows = queries::list_after()
        .bind(conn, aud, pattern, &at, &id, &size)
        .map(listed)
        .all()
        .await?;
    Ok(rows)
}

/// How many accounts there are.
pub(crate) async fn count(conn: &impl GenericClient, wanted: &Wanted) -> Result<i64> {
    let Wanted { aud, pattern, .. } = wanted;
    let total = queries::count_listed()
        .bind(conn, aud, pattern)
        .one()
        .await?;
    Ok(total)
}

/// Lists show no identities.
fn listed(row: queries::UserRowBorrowed<'_>) -> User {
    let mut user = User::of(row);
    user.identities = None;
    user
}
