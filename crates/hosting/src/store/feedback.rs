//! `feedback` and `feedback_salts`: feedback of readers on articles.

use innkeeper_hosting_queries::queries::feedback as queries;
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::{GenericClient, Result};
use crate::feedback::{Feedback, FeedbackCount, FeedbackEntry};

/// The key of the client hashes of a day.
pub(crate) type Salt = [u8; 32];

/// A client, hashed with the salt of today and with that of yesterday.
pub(crate) struct ClientHashes<'a> {
    pub(crate) today: &'a [u8],
    pub(crate) yesterday: &'a [u8],
}

/// Stores feedback under this id, unless the same client sent feedback on the same article within a day:
/// then that is replaced. Returns the id under which it is stored, and when it was first sent.
pub(crate) async fn upsert(
    conn: &impl GenericClient,
    id: Uuid,
    client: &ClientHashes<'_>,
    feedback: &Feedback,
    now: Timestamp,
) -> Result<(Uuid, Timestamp)> {
    let since = now - SignedDuration::from_hours(24);
    let upsert = queries::keep();
    let stored = upsert.bind(
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
    let stored = stored.one().await?;
    Ok((stored.id, stored.received_at))
}

/// Stores a salt for a day, unless the day has one already.
pub(crate) async fn insert_salt(conn: &impl GenericClient, day: Date, salt: &[u8]) -> Result<()> {
    queries::make_salt().bind(conn, &day, &salt).await?;
    Ok(())
}

/// Returns the salts from a day on.
pub(crate) async fn salts(conn: &impl GenericClient, from: Date) -> Result<Vec<(Date, Salt)>> {
    let rows = queries::list_salts().bind(conn, &from).all().await?;
    let read = rows
        .into_iter()
        .filter_map(|row| Some((row.day, Salt::try_from(row.salt).ok()?)));
    Ok(read.collect())
}

/// Deletes the salts from before a day. Afterwards nobody can tell which client sent feedback then.
pub(crate) async fn delete_salts(conn: &impl GenericClient, before: Date) -> Result<u64> {
    Ok(queries::forget_salts().bind(conn, &before).await?)
}

/// Counts the feedback on each article.
pub(crate) async fn counts(conn: &impl GenericClient) -> Result<Vec<FeedbackCount>> {
    let rows = queries::counts().bind(conn).all().await?;
    let read = rows.into_iter().map(|row| FeedbackCount {
        path: row.path,
        helpful: row.helpful,
        not_helpful: row.not_helpful,
        comments: row.comments,
        last_at: row.last_at,
    });
    Ok(read.collect())
}

/// Returns all feedback, oldest first.
pub(crate) async fn all(conn: &impl GenericClient) -> Result<Vec<FeedbackEntry>> {
    let rows = queries::export().bind(conn).all().await?;
    let read = rows.into_iter().map(|row| FeedbackEntry {
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
