//! `flow_state`: code exchanges (PKCE) that have begun.

use innkeeper_auth_queries::queries::flow_states as queries;
pub(crate) use innkeeper_auth_queries::queries::flow_states::FlowRow;
use jiff::Timestamp;
use uuid::Uuid;

use super::{GenericClient, Result};

/// An exchange that begins.
#[derive(Debug)]
pub(crate) struct NewFlow<'a> {
    pub(crate) user_id: Uuid,
    pub(crate) challenge: &'a str,
    pub(crate) challenge_method: &'a str,
    /// How the session will say it was opened.
    pub(crate) authentication_method: &'a str,
    /// The methods whose links this one makes useless.
    pub(crate) replaced: &'a [&'a str],
    /// Codes given out before this time can no longer be exchanged.
    pub(crate) expired: Timestamp,
}

/// Begins an exchange.
pub(crate) async fn insert(
    conn: &impl GenericClient,
    flow: &NewFlow<'_>,
    now: Timestamp,
) -> Result<()> {
    queries::insert_flow()
        .bind(
            conn,
            &flow.user_id,
            &flow.replaced,
            &flow.expired,
            &Uuid::new_v4(),
            &flow.challenge_method,
            &flow.challenge,
            &now,
            &flow.authentication_method,
        )
        .await?;
    Ok(())
}

/// Gives the newest exchange of this user and these methods its code; says whether there is one.
pub(crate) async fn issue_code(
    conn: &impl GenericClient,
    user_id: Uuid,
    methods: &[&str],
    code_hash: &str,
    now: Timestamp,
) -> Result<bool> {
    let issued = queries::issue_code()
        .bind(conn, &code_hash, &now, &user_id, &methods)
        .opt()
        .await?;
    Ok(issued.is_some())
}

/// The exchange with this code, stored hashed by us or plain by an earlier server.
pub(crate) async fn find_by_code(
    conn: &impl GenericClient,
    code_hash: &str,
    former_code: &str,
) -> Result<Option<FlowRow>> {
    let row = queries::find_by_code()
        .bind(conn, &code_hash, &former_code)
        .opt()
        .await?;
    Ok(row)
}

/// Ends an exchange; says whether this caller was the one who ended it.
pub(crate) async fn take(conn: &impl GenericClient, id: Uuid) -> Result<bool> {
    let taken = queries::take().bind(conn, &id).await?;
    Ok(taken > 0)
}
