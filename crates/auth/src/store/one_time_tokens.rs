//! `one_time_tokens` and `innkeeper_one_time_codes`: links and codes that work once.

use innkeeper_auth_queries::queries::one_time_tokens as queries;
pub(crate) use innkeeper_auth_queries::queries::one_time_tokens::{
    CodeRow, FormerLinkRow, FormerRow, LinkRow,
};
use jiff::Timestamp;
use uuid::Uuid;

use super::{GenericClient, Result};

/// What is stored of a link and a code.
#[derive(Debug)]
pub(crate) struct Stored<'a> {
    pub(crate) user_id: Uuid,
    pub(crate) kind: &'a str,
    pub(crate) token_hash: &'a str,
    pub(crate) relates_to: &'a str,
    pub(crate) code_mac: &'a [u8],
    pub(crate) carries_password: bool,
}

/// Stores a link and a code; earlier ones of the kind stop working.
pub(crate) async fn replace(
    conn: &impl GenericClient,
    stored: &Stored<'_>,
    now: Timestamp,
) -> Result<()> {
    queries::replace()
        .bind(
            conn,
            &stored.user_id,
            &stored.kind,
            &stored.token_hash,
            &stored.relates_to,
            &now,
            &stored.code_mac,
            &stored.carries_password,
        )
        .await?;
    Ok(())
}

/// The link whose secret has this hash.
pub(crate) async fn find_by_link(
    conn: &impl GenericClient,
    token_hash: &str,
) -> Result<Option<LinkRow>> {
    Ok(queries::find_by_link()
        .bind(conn, &token_hash)
        .opt()
        .await?)
}

/// The link that an earlier server stored as it sent it.
pub(crate) async fn find_by_former_link(
    conn: &impl GenericClient,
    link: &str,
) -> Result<Option<FormerLinkRow>> {
    let row = queries::find_by_former_link()
        .bind(conn, &link)
        .opt()
        .await?;
    Ok(row)
}

/// The codes of an account that wait, and how often they were guessed wrong.
pub(crate) async fn list_codes(conn: &impl GenericClient, user_id: Uuid) -> Result<Vec<CodeRow>> {
    Ok(queries::list_codes().bind(conn, &user_id).all().await?)
}

/// What an earlier server stored of the codes it sent.
pub(crate) async fn former_hashes(
    conn: &impl GenericClient,
    user_id: Uuid,
) -> Result<Option<FormerRow>> {
    Ok(queries::former_hashes().bind(conn, &user_id).opt().await?)
}

/// Counts a wrong code against the one that waits, if one does.
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

/// Ends the link and the code of one kind.
pub(crate) async fn clear_kind(conn: &impl GenericClient, user_id: Uuid, kind: &str) -> Result<()> {
    queries::clear_kind().bind(conn, &user_id, &kind).await?;
    Ok(())
}

/// Ends all links and codes of an account.
pub(crate) async fn clear_all(conn: &impl GenericClient, user_id: Uuid) -> Result<()> {
    queries::clear_all().bind(conn, &user_id).await?;
    Ok(())
}
