//! `identities`: ways to sign in to an account.

use innkeeper_auth_queries::queries::identities as queries;
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::{GenericClient, Result};
use crate::user::Object;

/// Adds an identity. The subject of addresses and numbers is the account's own id.
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

/// Merges members into what is known of an identity; says whether there is one.
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

/// Replaces what is known of an identity; says whether there is one.
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

/// Takes away every other way to sign in.
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

/// Takes away what an identity says of its owner.
pub(crate) async fn anonymise(
    conn: &impl GenericClient,
    id: Uuid,
    subject: &str,
    now: Timestamp,
) -> Result<()> {
    queries::anonymise().bind(conn, &subject, &now, &id).await?;
    Ok(())
}
