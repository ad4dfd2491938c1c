//! `flow_state`: PKCE flows, and sign-ins that go on at an external provider.

use innkeeper_auth_queries::queries::flow_states as queries;
pub(crate) use innkeeper_auth_queries::queries::flow_states::ProviderFlowRow;
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::{GenericClient, Result};
use crate::model::Object;

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

/// A flow that goes on at an external provider.
#[derive(Debug)]
pub(crate) struct NewProviderFlow<'a> {
    /// The `state` at the provider.
    pub(crate) id: Uuid,
    pub(crate) provider: &'a str,
    /// The URL that the user is sent back to.
    pub(crate) target: &'a str,
    /// The method and the text of the client's code challenge.
    pub(crate) challenge: Option<(&'a str, &'a str)>,
    /// The user whom the identity will be added to.
    pub(crate) linking_user_id: Option<Uuid>,
    /// The sealed secrets of the flow.
    pub(crate) sealed: &'a str,
}

/// Starts a flow that goes on at an external provider.
pub(crate) async fn insert_provider_flow(
    conn: &impl GenericClient,
    flow: &NewProviderFlow<'_>,
    now: Timestamp,
) -> Result<()> {
    let (method, challenge) = flow.challenge.unzip();
    queries::insert_provider_flow()
        .bind(
            conn,
            &flow.id,
            &method,
            &challenge,
            &flow.provider,
            &now,
            &flow.target,
            &flow.linking_user_id,
            &flow.sealed,
        )
        .await?;
    Ok(())
}

/// Ends the part of a flow that goes on at a provider. Of several callers with the same id, one gets it.
pub(crate) async fn take_provider_flow(
    conn: &impl GenericClient,
    id: Uuid,
) -> Result<Option<ProviderFlowRow>> {
    Ok(queries::take_provider_flow().bind(conn, &id).opt().await?)
}

/// The code of a user who has come back from a provider.
#[derive(Debug)]
pub(crate) struct NewProviderCode<'a> {
    pub(crate) id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) code_hash: &'a str,
    pub(crate) challenge: &'a str,
    pub(crate) challenge_method: &'a str,
    pub(crate) provider: &'a str,
    /// The id of the user at the provider.
    pub(crate) subject: &'a str,
    /// The sealed tokens of the provider.
    pub(crate) access_token: Option<&'a str>,
    pub(crate) refresh_token: Option<&'a str>,
    /// The new data of the identity.
    pub(crate) identity_data: &'a Object,
}

/// Stores a code that the client can exchange, and what the provider said about the user.
pub(crate) async fn insert_provider_code(
    conn: &impl GenericClient,
    code: &NewProviderCode<'_>,
    now: Timestamp,
) -> Result<()> {
    let data = Value::Object(code.identity_data.clone());
    queries::insert_provider_code()
        .bind(
            conn,
            &Some(data),
            &now,
            &code.provider,
            &code.subject,
            &code.id,
            &code.user_id,
            &code.code_hash,
            &code.challenge_method,
            &code.challenge,
            &code.access_token,
            &code.refresh_token,
        )
        .await?;
    Ok(())
}
