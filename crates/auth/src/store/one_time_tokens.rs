//! `one_time_tokens` and `innkeeper_one_time_codes`: links and codes that can be used once.

use innkeeper_auth_queries::queries::one_time_tokens as queries;
pub(crate) use innkeeper_auth_queries::queries::one_time_tokens::{
    CodeRow, FormerLinkRow, FormerRow, LinkRow,
};
use jiff::Timestamp;
use uuid::Uuid;

use super::{GenericClient, Result};

/// The hashes of a link and a code to be stored.
#[derive(Debug)]
pub(crate) struct NewOneTimeToken<'a> {
    pub(crate) user_id: Uuid,
    pub(crate) kind: &'a str,
    pub(crate) token_hash: &'a str,
    pub(crate) relates_to: &'a str,
    pub(crate) code_mac: &'a [u8],
    pub(crate) carries_password: bool,
    /// The PKCE flow that the link belongs to.
    pub(crate) flow_id: Option<Uuid>,
}

/// Stores a link and a code. Earlier ones of the same kind stop working, except for the links of sign-ups.
pub(crate) async fn replace(
    conn: &impl GenericClient,
    token: &NewOneTimeToken<'_>,
    now: Timestamp,
) -> Result<()> {
    queries::replace()
        .bind(
            conn,
            &token.carries_password,
            &token.user_id,
            &token.kind,
            &token.token_hash,
            &token.relates_to,
            &now,
            &token.code_mac,
            &token.flow_id,
        )
        .await?;
    Ok(())
}

/// Finds the link whose secret has this hash.
pub(crate) async fn find_by_link(
    conn: &impl GenericClient,
    token_hash: &str,
) -> Result<Option<LinkRow>> {
    Ok(queries::find_by_link()
        .bind(conn, &token_hash)
        .opt()
        .await?)
}

/// Finds a link of GoTrue, which stores links as it sends them.
pub(crate) async fn find_by_gotrue_link(
    conn: &impl GenericClient,
    link: &str,
) -> Result<Option<FormerLinkRow>> {
    let row = queries::find_by_former_link()
        .bind(conn, &link)
        .opt()
        .await?;
    Ok(row)
}

/// Lists the unused codes of a user, with the number of wrong attempts.
pub(crate) async fn list_codes(conn: &impl GenericClient, user_id: Uuid) -> Result<Vec<CodeRow>> {
    Ok(queries::list_codes().bind(conn, &user_id).all().await?)
}

/// Finds the hashes that GoTrue stored of the codes it sent to a user.
pub(crate) async fn find_gotrue_hashes(
    conn: &impl GenericClient,
    user_id: Uuid,
) -> Result<Option<FormerRow>> {
    Ok(queries::former_hashes().bind(conn, &user_id).opt().await?)
}

/// Counts a wrong attempt against the unused code of this kind, if there is one.
pub(crate) async fn count_attempt(
    conn: &impl GenericClient,
    user_id: Uuid,
    kind: &str,
    now: Timestamp,
) -> Result<()> {
    queries::count_attempt()
        .bind(conn, &kind, &now, &user_id)
        .await?;
    Ok(())
}

/// Deletes the link and the code of one kind.
pub(crate) async fn clear_kind(conn: &impl GenericClient, user_id: Uuid, kind: &str) -> Result<()> {
    queries::clear_kind().bind(conn, &user_id, &kind).await?;
    Ok(())
}

/// Deletes all links and codes of a user.
pub(crate) async fn clear_all(conn: &impl GenericClient, user_id: Uuid) -> Result<()> {
    queries::clear_all().bind(conn, &user_id).await?;
    Ok(())
}

/// Deletes the times at which messages were sent to a user.
pub(crate) async fn forget_sent_times(conn: &impl GenericClient, user_id: Uuid) -> Result<()> {
    queries::forget_sent_times().bind(conn, &user_id).await?;
    Ok(())
}
