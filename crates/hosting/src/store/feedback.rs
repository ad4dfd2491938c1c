//! `feedback` and `feedback_salts`: feedback of readers on articles.

use innkeeper_service::database::{Column, Executor, FromRow, Row, RowError, rows, statements};
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::Result;
use crate::content::feedback::{Feedback, FeedbackCount, FeedbackEntry};

/// The key of the client hashes of a day.
pub(crate) type Salt = [u8; 32];

/// A client, hashed with the salt of today and with that of yesterday.
pub(crate) struct ClientHashes<'a> {
    pub(crate) today: &'a [u8],
    pub(crate) yesterday: &'a [u8],
}

rows! {
    /// The id under which feedback is stored, and when it was first sent.
    pub(crate) struct Stored {
        pub(crate) id: Uuid,
        pub(crate) received_at: Timestamp,
    }

    struct SaltRow {
        day: Date,
        salt: Vec<u8>,
    }

    struct EntryRow {
        id: Uuid,
        path: String,
        helpful: bool,
        reason: Option<String>,
        comment: Option<String>,
        email: Option<String>,
        received_at: Timestamp,
        updated_at: Timestamp,
    }
}

impl<'r> FromRow<'r> for FeedbackEntry {
    const COLUMNS: &'static [Column] = EntryRow::COLUMNS;

    fn from_row(row: &'r Row) -> std::result::Result<Self, RowError> {
        let row = EntryRow::from_row(row)?;
        Ok(Self {
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
        })
    }
}

statements! {
    /// Stores feedback under this id, unless the same client sent feedback on the same article within a day:
    /// then that is replaced.
    pub(crate) async fn upsert(id: Uuid, client: &ClientHashes<'_>, feedback: &Feedback, now: Timestamp) -> Stored
    where {
        id: Uuid,
        path: &str = &feedback.path,
        today: &[u8] = client.today,
        yesterday: &[u8] = client.yesterday,
        helpful: bool = feedback.helpful,
        reason: Option<&str> = feedback.reason.as_deref(),
        comment: Option<&str> = feedback.comment.as_deref(),
        email: Option<&str> = feedback.email.as_deref(),
        now: Timestamp,
        since: Timestamp = now - SignedDuration::from_hours(24),
    }
    { include_str!("feedback/upsert.sql") }

    /// Stores a salt for a day, unless the day has one already.
    pub(crate) async fn insert_salt(day: Date, salt: &[u8]) {
        "insert into feedback_salts (day, salt) values (:day, :salt) on conflict (day) do nothing"
    }

    async fn salt_rows(from: Date) -> Vec<SaltRow> {
        "select s.day, s.salt from feedback_salts s where s.day >= :from"
    }

    /// Deletes the salts from before a day. Afterwards nobody can tell which client sent feedback then.
    pub(crate) async fn delete_salts(before: Date) -> u64 {
        "delete from feedback_salts where day < :before"
    }

    /// Counts how often each article was found helpful or not, the most talked about first.
    pub(crate) async fn counts() -> Vec<FeedbackCount> {
        "select f.path,
                count(*) filter (where f.helpful) as helpful,
                count(*) filter (where not f.helpful) as not_helpful,
                count(f.comment) as comments,
                max(f.updated_at) as last_at
           from feedback f
          group by f.path
          order by count(*) desc, f.path"
    }

    /// Returns all feedback, oldest first.
    pub(crate) async fn all() -> Vec<FeedbackEntry> {
        "select f.id, f.path, f.helpful, f.reason, f.comment, f.email, f.received_at, f.updated_at
           from feedback f
          order by f.received_at, f.id"
    }
}

/// Returns the salts from a day on.
pub(crate) async fn salts(conn: &dyn Executor, from: Date) -> Result<Vec<(Date, Salt)>> {
    let rows = salt_rows(conn, from).await?;
    let read = rows
        .into_iter()
        .filter_map(|row| Some((row.day, Salt::try_from(row.salt).ok()?)));
    Ok(read.collect())
}
