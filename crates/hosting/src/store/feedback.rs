//! `feedback` and `feedback_salts`: what readers say about articles.

use innkeeper_hosting_queries::queries::feedback as queries;
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::{GenericClient, Result};
use crate::feedback::{Count, Entry, Feedback, Salt};

/// Who says something, as a hash with the salt of today, and as one with that of yesterday.
pub(crate) struct Client<'a> {
    pub(crate) today: &'a [u8],
    pub(crate) yesterday: &'a [u8],
}

/// Stores feedback under this id, unless the same client said something about the same article within
/// a day: then that is changed. Says what it is stored under, and since when.
pub(crate) async fn keep(
    conn: &impl GenericClient,
    id: Uuid,
    client: &Client<'_>,
    feedback: &Feedback,
    now: Timestamp,
) -> Result<(Uuid, Timestamp)> {
    let since = now - SignedDuration::from_hours(24);
    let keep = queries::keep();
    let kept = keep.bind(
        conn,
        &feedback.helpful,
        &feedback.reason,
        &feedback.comment,
        &feedback.email,
        &now,
        &feedback.path,
        &client.today,
        &client.yesterday,
        &since,
        &id,
    );
    let kept = kept.one().await?;
    Ok((kept.id, kept.received_at))
}

/// Offers a salt for a day that may have one already.
pub(crate) async fn make_salt(conn: &impl GenericClient, day: Date, salt: &[u8]) -> Result<()> {
    queries::make_salt().bind(conn, &day, &salt).await?;
    Ok(())
}

/// The salts from a day on.
pub(crate) async fn salts(conn: &impl GenericClient, from: Date) -> Result<Vec<(Date, Salt)>> {
    let rows = queries::list_salts().bind(conn, &from).all().await?;
    let read = rows
        .into_iter()
        .filter_map(|row| Some((row.day, Salt::try_from(row.salt).ok()?)));
    Ok(read.collect())
}

/// Deletes the salts from before a day. Nobody can tell any more who said something then.
pub(crate) async fn forget_salts(conn: &impl GenericClient, before: Date) -> Result<u64> {
    Ok(queries::forget_salts().bind(conn, &before).await?)
}

/// How often each article was found helpful, and not.
pub(crate) async fn counts(conn: &impl GenericClient) -> Result<Vec<Count>> {
    let rows = queries::counts().bind(conn).all().await?;
    let read = rows.into_iter().map(|row| Count {
        path: row.path,
        helpful: row.helpful,
        not_helpful: row.not_helpful,
        comments: row.comments,
        last_at: row.last_at,
    });
    Ok(read.collect())
}

/// Everything that was said, oldest first.
pub(crate) async fn all(conn: &impl GenericClient) -> Result<Vec<Entry>> {
    let rows = queries::export().bind(conn).all().await?;
    let read = rows.into_iter().map(|row| Entry {
        id: row.id,
        feedback: Feedback {
            path: row.path,
            helpful: row.helpful,
            reason: row.reason,
            comment: row.comment,
            email: row.email,
        },
        received_at: row.received_at,
        updated_at: row.updated_at,
    });
    Ok(read.collect())
}
