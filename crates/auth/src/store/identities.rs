//! `identities`: the ways in which a user can sign in.

use innkeeper_auth_queries::queries::identities as queries;
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::{GenericClient, Result};
use crate::model::Object;

/// Adds an identity of email or phone, whose subject is the user's own id.
pub(crate) async fn insert(
    conn: &impl GenericClient,
    user_id: Uuid,
    provider: &str,
    data: &Object,
    now: Timestamp,
) -> Result<()> {
    insert_external(conn, user_id, provider, &user_id.to_string(), data, now).await
}

/// Adds an identity with this subject at the provider.
pub(crate) async fn insert_external(
    conn: &impl GenericClient,
    user_id: Uuid,
    provider: &str,
    subject: &str,
    data: &Object,
    now: Timestamp,
) -> Result<()> {
    let data = Value::Object(data.clone());
    queries::insert_identity()
        .bind(
            conn,
            &Uuid::new_v4(),
            &subject,
            &user_id,
            &data,
            &provider,
            &now,
        )
        .one()
        .await?;
    Ok(())
}

/// Merges members into the data of an identity. Returns whether the user has such an identity.
pub(crate) async fn merge(
    conn: &impl GenericClient,
    user_id: Uuid,
    provider: &str,
    data: &Object,
    now: Timestamp,
) -> Result<bool> {
    let data = Value::Object(data.clone());
    let changed = queries::merge_data()
        .bind(conn, &data, &now, &user_id, &provider)
        .await?;
    Ok(changed > 0)
}

/// Replaces the data of an identity. Returns whether the user has such an identity.
pub(crate) async fn replace(
    conn: &impl GenericClient,
    user_id: Uuid,
    provider: &str,
    data: &Object,
    now: Timestamp,
) -> Result<bool> {
    let data = Value::Object(data.clone());
    let changed = queries::replace_data()
        .bind(conn, &data, &now, &user_id, &provider)
        .await?;
    Ok(changed > 0)
}

/// Deletes all identities of a user except those of one provider.
pub(crate) async fn delete_others(
    conn: &impl GenericClient,
    user_id: Uuid,
    provider: &str,
) -> Result<()> {
    queries::delete_others()
        .bind(conn, &user_id, &provider)
        .await?;
    Ok(())
}

/// Deletes all identities of a user except the one with this subject at the provider.
pub(crate) async fn delete_unproven(
    conn: &impl GenericClient,
    user_id: Uuid,
    provider: &str,
    subject: &str,
) -> Result<()> {
    queries::delete_unproven()
        .bind(conn, &user_id, &provider, &subject)
        .await?;
    Ok(())
}

/// Deletes an identity if it belongs to this user. Returns whether it did.
pub(crate) async fn delete_of_user(
    conn: &impl GenericClient,
    id: Uuid,
    user_id: Uuid,
) -> Result<bool> {
    let deleted = queries::delete_of_user().bind(conn, &id, &user_id).await?;
    Ok(deleted > 0)
}

/// Removes personal data from an identity.
pub(crate) async fn anonymise(
    conn: &impl GenericClient,
    id: Uuid,
    subject: &str,
    now: Timestamp,
) -> Result<()> {
    queries::anonymise().bind(conn, &subject, &now, &id).await?;
    Ok(())
}
