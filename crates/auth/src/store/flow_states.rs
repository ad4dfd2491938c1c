//! `flow_state`: code exchanges (PKCE) that have begun.

use innkeeper_auth_queries::queries::flow_states as queries;
pub(crate) use innkeeper_auth_queries::queries::flow_states::FlowRow;
use jiff::Timestamp;
use uuid::Uuid;

use super::{GenericClient, Result};

/// Begins an exchange.
pub(crate) async fn insert(
    conn: &impl GenericClient,
    user_id: Uuid,
    (method, challenge): (&str, &str),
    authentication_method: &str,
    now: Timestamp,
) -> Result<()> {
    queries::insert_flow()
        .bind(
            conn,
            &Uuid::new_v4(),
            &user_id,
            &method,
            &challenge,
            &now,
            &authentication_method,
        )
        .await?;
    Ok(())
}

/// Gives the newest exchange of this user and kind its code; says whether there is one.
pub(crate) async fn issue_code(
    conn: &impl GenericClient,
    user_id: Uuid,
    authentication_method: &str,
    code_hash: &str,
    now: Timestamp,
) -> Result<bool> {
    let issued = queries::issue_code()
        .bind(conn, &code_hash, &now, &user_id, &authentication_method)
        .opt()
        .await?;
    Ok(issued.is_some())
}

/// The exchange with this code, stored hashed by us or plain by an earlier server.
pub(crate) async fn find_by_code(
    conn: &impl GenericClient,
    code_hash: &str,
    code: &str,
) -> Result<Option<FlowRow>> {
    let row = queries::find_by_code()
        .bind(conn, &code_hash, &code)
        .opt()
        .await?;
    Ok(row)
}

/// Ends an exchange; says whether this caller was the one who ended it.
pub(crate) async fn take(conn: &impl GenericClient, id: Uuid) -> Result<bool> {
    let taken = queries::take().bind(conn, &id).await?;
    Ok(taken > 0)
}
