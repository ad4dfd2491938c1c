//! `flow_state`: PKCE flows in progress.

use innkeeper_auth_queries::queries::flow_states as queries;
pub(crate) use innkeeper_auth_queries::queries::flow_states::FlowRow;
use jiff::Timestamp;
use uuid::Uuid;

use super::{GenericClient, Result};

/// A flow to be started.
#[derive(Debug)]
pub(crate) struct NewFlow<'a> {
    pub(crate) user_id: Uuid,
    pub(crate) challenge: &'a str,
    pub(crate) challenge_method: &'a str,
    /// The authentication method that the session will record.
    pub(crate) authentication_method: &'a str,
    /// The methods whose flows of this user end when this one starts.
    pub(crate) replaced: &'a [&'a str],
    /// Codes issued before this time can no longer be exchanged.
    pub(crate) expired: Timestamp,
}

/// Starts a flow, and returns its id.
pub(crate) async fn insert(
    conn: &impl GenericClient,
    flow: &NewFlow<'_>,
    now: Timestamp,
) -> Result<Uuid> {
    let id = Uuid::new_v4();
    queries::insert_flow()
        .bind(
            conn,
            &flow.user_id,
            &flow.replaced,
            &flow.expired,
            &id,
            &flow.challenge_method,
            &flow.challenge,
            &now,
            &flow.authentication_method,
        )
        .await?;
    Ok(id)
}

/// Sets the code of a flow of this user: of the one with this id, else of the newest of these methods. Returns
/// whether there is one.
pub(crate) async fn issue_code(
    conn: &impl GenericClient,
    user_id: Uuid,
    flow_id: Option<Uuid>,
    methods: &[&str],
    code_hash: &str,
    now: Timestamp,
) -> Result<bool> {
    let issued = queries::issue_code()
        .bind(conn, &code_hash, &now, &flow_id, &user_id, &methods)
        .opt()
        .await?;
    Ok(issued.is_some())
}

/// Finds the flow with this code, which this server stores hashed and GoTrue in plain text.
pub(crate) async fn find_by_code(
    conn: &impl GenericClient,
    code_hash: &str,
    gotrue_code: &str,
) -> Result<Option<FlowRow>> {
    let row = queries::find_by_code()
        .bind(conn, &code_hash, &gotrue_code)
        .opt()
        .await?;
    Ok(row)
}

/// Ends a flow. Returns `false` if another caller was faster.
pub(crate) async fn take(conn: &impl GenericClient, id: Uuid) -> Result<bool> {
    let taken = queries::take().bind(conn, &id).await?;
    Ok(taken > 0)
}
