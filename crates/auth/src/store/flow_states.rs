//! `flow_state`: PKCE flows, and sign-ins that go on at an external provider.

use innkeeper_service::database::{Executor, rows, statements};
use jiff::Timestamp;
use tokio_postgres::types::Json;
use uuid::Uuid;

use super::Result;
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

rows! {
    /// A flow whose user has come back from a provider.
    #[derive(Debug)]
    pub(crate) struct ProviderFlowRow {
        pub(crate) provider_type: String,
        pub(crate) code_challenge_method: Option<String>,
        pub(crate) code_challenge: Option<String>,
        pub(crate) target: Option<String>,
        pub(crate) linking_user_id: Option<Uuid>,
        pub(crate) created_at: Option<Timestamp>,
        /// The sealed secrets; GoTrue stores none.
        pub(crate) sealed: Option<String>,
    }
}

statements! {
    /// Starts a flow, and returns its id. Deletes flows whose link it replaces or whose code has expired.
    pub(crate) async fn insert(flow: &NewFlow<'_>, now: Timestamp) -> Uuid
    where {
        id: Uuid = Uuid::new_v4(),
        user_id: Uuid = flow.user_id,
        challenge: &str = flow.challenge,
        challenge_method: &str = flow.challenge_method,
        authentication_method: &str = flow.authentication_method,
        replaced: &[&str] = flow.replaced,
        expired: Timestamp = flow.expired,
        now: Timestamp,
    }
    {
        "with old as (
                delete from flow_state
                 where user_id = :user_id
                   and authentication_method = any(:replaced)
                   and (auth_code_issued_at is null or auth_code_issued_at < :expired))
         insert into flow_state
                (id, user_id, auth_code, code_challenge_method, code_challenge, provider_type, created_at, updated_at,
                 authentication_method)
         values (:id, :user_id, '', cast(:challenge_method as text)::code_challenge_method, :challenge, 'email', :now,
                 :now, :authentication_method)
         returning id"
    }

    /// Of links that do not name their flow only the newest works.
    async fn count_issued(
        user_id: Uuid, flow_id: Option<Uuid>, methods: &[&str], code_hash: &str, now: Timestamp,
    ) -> u64 {
        "update flow_state
            set auth_code = :code_hash, auth_code_issued_at = :now, updated_at = :now
          where id = coalesce(:flow_id,
                              (select f.id
                                 from flow_state f
                                where f.user_id = :user_id
                                  and f.authentication_method = any(:methods)
                                order by f.created_at desc
                                limit 1))
            and user_id = :user_id"
    }

    /// Starts a flow that goes on at an external provider.
    pub(crate) async fn insert_provider_flow(flow: &NewProviderFlow<'_>, now: Timestamp)
    where {
        id: Uuid = flow.id,
        provider: &str = flow.provider,
        target: &str = flow.target,
        challenge_method: Option<&str> = flow.challenge.map(|(method, _)| method),
        challenge: Option<&str> = flow.challenge.map(|(_, text)| text),
        linking_user_id: Option<Uuid> = flow.linking_user_id,
        sealed: &str = flow.sealed,
        now: Timestamp,
    }
    {
        "with started as (
                insert into flow_state
                       (id, code_challenge_method, code_challenge, provider_type, created_at, updated_at,
                        authentication_method, referrer, linking_target_id)
                values (:id, cast(:challenge_method as text)::code_challenge_method, :challenge, :provider, :now,
                        :now, 'oauth', :target, :linking_user_id)
             returning id)
         insert into innkeeper_flow_secrets (flow_id, sealed)
         select s.id, :sealed from started s"
    }

    /// Ends the part of a flow that goes on at a provider. Of several callers with the same id, one gets it.
    pub(crate) async fn take_provider_flow(id: Uuid) -> Option<ProviderFlowRow> {
        include_str!("flow_states/take_provider_flow.sql")
    }

    /// Stores a code that the client can exchange, and what the provider said about the user.
    pub(crate) async fn insert_provider_code(code: &NewProviderCode<'_>, now: Timestamp)
    where {
        id: Uuid = code.id,
        user_id: Uuid = code.user_id,
        code_hash: &str = code.code_hash,
        challenge: &str = code.challenge,
        challenge_method: &str = code.challenge_method,
        provider: &str = code.provider,
        subject: &str = code.subject,
        access_token: Option<&str> = code.access_token,
        refresh_token: Option<&str> = code.refresh_token,
        identity_data: Json<&Object> = Json(code.identity_data),
        now: Timestamp,
    }
    { include_str!("flow_states/insert_provider_code.sql") }
}

/// Sets the code of a flow of this user: of the one with this id, else of the newest of these methods. Returns
/// whether there is one.
pub(crate) async fn issue_code(
    conn: &dyn Executor,
    user_id: Uuid,
    flow_id: Option<Uuid>,
    methods: &[&str],
    code_hash: &str,
    now: Timestamp,
) -> Result<bool> {
    let issued = count_issued(conn, user_id, flow_id, methods, code_hash, now).await?;
    Ok(issued > 0)
}
