//! `users`: the phone numbers of accounts.

use innkeeper_service::database::{Executor, statements};
use jiff::Timestamp;
use uuid::Uuid;

use super::Result;
use super::users::{IN_AUDIENCE, USERS, lock_by_id};
use crate::model::User;

statements! {
    /// Finds the user with this phone number in any audience.
    async fn find_holder_id(phone: &str) -> Option<Uuid> {
        "select u.id from users u where u.phone = :phone and not u.is_sso_user and u.deleted_at is null"
    }

    /// Finds the user with this phone number, and locks the row until the transaction ends.
    pub(crate) async fn lock_by_phone(aud: &str, phone: &str) -> Option<User> {
        USERS, "where u.phone = :phone", IN_AUDIENCE, "for update of u"
    }

    /// Finds the user with an unfinished change to this phone number, and locks the row until the transaction ends.
    /// Whoever has a code comes first.
    pub(crate) async fn lock_by_pending_phone(aud: &str, phone: &str) -> Option<User> {
        USERS, "where u.phone_change = :phone", IN_AUDIENCE,
        "and u.deleted_at is null
         order by coalesce(u.phone_change_token, '') <> '' desc, u.phone_change_sent_at desc nulls last
         limit 1
           for update of u"
    }

    /// Starts a change of phone number.
    pub(crate) async fn start_phone_change(id: Uuid, phone: &str, now: Timestamp) {
        "update users set phone_change = :phone, phone_change_sent_at = :now, updated_at = :now where id = :id"
    }

    /// Finishes a change of phone number; the new one counts as confirmed.
    pub(crate) async fn finish_phone_change(id: Uuid, now: Timestamp) {
        "update users
            set phone = phone_change,
                phone_change = '',
                phone_confirmed_at = coalesce(phone_confirmed_at, :now),
                is_anonymous = false,
                updated_at = :now
          where id = :id"
    }
}

/// Finds the user with this phone number in any audience, and locks the row until the transaction ends.
pub(crate) async fn lock_in_any_audience(conn: &dyn Executor, phone: &str) -> Result<Option<User>> {
    match find_holder_id(conn, phone).await? {
        Some(id) => lock_by_id(conn, id).await,
        None => Ok(None),
    }
}
