//! `identities`: the ways in which a user can sign in.

use innkeeper_auth_queries::queries::identities as queries;
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::{GenericClient, Result};
use crate::model::Object;

/// Adds an identity. The subject of an email or phone identity is the user's own id.
pub(crate) async fn insert(
    conn: &impl GenericClient,
    user_id: Uuid,
    provider: &str,
    data: &Object,
    now: Timestamp,
) -> Result<()> {
    let subject = user_id.to_string();
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
