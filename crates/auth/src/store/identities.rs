//! `identities`: the ways in which a user can sign in.

use innkeeper_service::database::{Executor, statements};
use jiff::Timestamp;
use tokio_postgres::types::Json;
use uuid::Uuid;

use super::Result;
use crate::model::Object;

statements! {
    /// Adds an identity with this subject at the provider.
    pub(crate) async fn insert_external(
        user_id: Uuid, provider: &str, subject: &str, data: &Object, now: Timestamp,
    )
    where {
        id: Uuid = Uuid::new_v4(),
        subject: &str,
        user_id: Uuid,
        data: Json<&Object> = Json(data),
        provider: &str,
        now: Timestamp,
    }
    {
        "insert into identities
                (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
         values (:id, :subject, :user_id, :data, :provider, :now, :now, :now)"
    }

    async fn merge_data(user_id: Uuid, provider: &str, data: &Object, now: Timestamp) -> u64
    where { user_id: Uuid, provider: &str, data: Json<&Object> = Json(data), now: Timestamp }
    {
        "update identities
            set identity_data = identity_data || :data,
                updated_at = :now
          where user_id = :user_id
            and provider = :provider"
    }

    async fn replace_data(user_id: Uuid, provider: &str, data: &Object, now: Timestamp) -> u64
    where { user_id: Uuid, provider: &str, data: Json<&Object> = Json(data), now: Timestamp }
    {
        "update identities
            set identity_data = :data,
                updated_at = :now
          where user_id = :user_id
            and provider = :provider"
    }

    /// Deletes all identities of a user except those of one provider: somebody who may not own the address gave them
    /// to an unconfirmed user.
    pub(crate) async fn delete_others(user_id: Uuid, provider: &str) {
        "delete from identities where user_id = :user_id and provider <> :provider"
    }

    /// Deletes all identities of a user except the one with this subject at the provider, which is the only one that
    /// proves that the user owns the address.
    pub(crate) async fn delete_unproven(user_id: Uuid, provider: &str, subject: &str) {
        "delete from identities
          where user_id = :user_id
            and not (provider = :provider and provider_id = :subject)"
    }

    async fn count_deleted(id: Uuid, user_id: Uuid) -> u64 {
        "delete from identities where id = :id and user_id = :user_id"
    }

    /// Removes personal data from an identity.
    pub(crate) async fn anonymise(id: Uuid, subject: &str, now: Timestamp) {
        "update identities set provider_id = :subject, identity_data = '{}', updated_at = :now where id = :id"
    }
}

/// Adds an identity of email or phone, whose subject is the user's own id.
pub(crate) async fn insert(
    conn: &dyn Executor,
    user_id: Uuid,
    provider: &str,
    data: &Object,
    now: Timestamp,
) -> Result<()> {
    insert_external(conn, user_id, provider, &user_id.to_string(), data, now).await
}

/// Merges members into the data of an identity. Returns whether the user has such an identity.
pub(crate) async fn merge(
    conn: &dyn Executor,
    user_id: Uuid,
    provider: &str,
    data: &Object,
    now: Timestamp,
) -> Result<bool> {
    Ok(merge_data(conn, user_id, provider, data, now).await? > 0)
}

/// Replaces the data of an identity. Returns whether the user has such an identity.
pub(crate) async fn replace(
    conn: &dyn Executor,
    user_id: Uuid,
    provider: &str,
    data: &Object,
    now: Timestamp,
) -> Result<bool> {
    Ok(replace_data(conn, user_id, provider, data, now).await? > 0)
}

/// Deletes an identity if it belongs to this user. Returns whether it did.
pub(crate) async fn delete_of_user(conn: &dyn Executor, id: Uuid, user_id: Uuid) -> Result<bool> {
    Ok(count_deleted(conn, id, user_id).await? > 0)
}
