//! `users`: the phone numbers of accounts.

use innkeeper_auth_queries::queries::users as queries;
use jiff::Timestamp;
use uuid::Uuid;

use super::users::lock_by_id;
use super::{GenericClient, Result};
use crate::model::User;

/// Finds the user with this phone number in any audience, and locks the row until the transaction ends.
pub(crate) async fn lock_in_any_audience(
    conn: &impl GenericClient,
    phone: &str,
) -> Result<Option<User>> {
    match queries::find_phone_holder()
        .bind(conn, &phone)
        .opt()
        .await?
    {
        Some(id) => lock_by_id(conn, id).await,
        None => Ok(None),
    }
}

/// Finds the user with this phone number, and locks the row until the transaction ends.
pub(crate) async fn lock_by_phone(
    conn: &impl GenericClient,
    aud: &str,
    phone: &str,
) -> Result<Option<User>> {
    Ok(queries::lock_by_phone()
        .bind(conn, &phone, &aud)
        .map(User::from_row)
        .opt()
        .await?)
}

/// Finds the user with an unfinished change to this phone number, and locks the row until the transaction ends.
pub(crate) async fn lock_by_pending_phone(
    conn: &impl GenericClient,
    aud: &str,
    phone: &str,
) -> Result<Option<User>> {
    Ok(queries::lock_by_pending_phone()
        .bind(conn, &phone, &aud)
        .map(User::from_row)
        .opt()
        .await?)
}

/// Starts a change of phone number.
pub(crate) async fn start_phone_change(
    conn: &impl GenericClient,
    id: Uuid,
    phone: &str,
    now: Timestamp,
) -> Result<()> {
    queries::start_phone_change()
        .bind(conn, &phone, &now, &id)
        .await?;
    Ok(())
}

/// Finishes a change of phone number; the new one counts as confirmed.
pub(crate) async fn finish_phone_change(
    conn: &impl GenericClient,
    id: Uuid,
    now: Timestamp,
) -> Result<()> {
    queries::finish_phone_change().bind(conn, &now, &id).await?;
    Ok(())
}
