//! Feedback of readers on articles of the knowledge base.
//!
//! No address is stored. A client is a keyed hash of its address; the key is a salt of the day, and
//! salts are deleted a day after their day. So a client is recognised within a day, and nobody can tell
//! later who it was.

mod csv;
mod salts;

use std::net::IpAddr;

use innkeeper_service::database::{DatabaseError, Executor};
use jiff::Timestamp;
use uuid::Uuid;

pub use crate::model::{Feedback, FeedbackCount, FeedbackEntry, InvalidField, REASONS};
pub use csv::csv;
pub(crate) use salts::SaltCache;

use crate::store;
use salts::client_hash;

/// The result of storing feedback.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredFeedback {
    pub(crate) id: Uuid,
    pub(crate) received_at: Timestamp,
    /// Whether it is new; otherwise it replaced earlier feedback of the same client.
    pub(crate) is_new: bool,
}

/// Stores feedback. When this returns, the feedback is on disk.
pub(crate) async fn store(
    conn: &dyn Executor,
    salts: &SaltCache,
    address: IpAddr,
    feedback: &Feedback,
    now: Timestamp,
) -> Result<StoredFeedback, DatabaseError> {
    let salts = salts.get(conn, now).await?;
    let today = client_hash(&salts.today, address);
    let yesterday = client_hash(&salts.yesterday, address);
    let client = store::feedback::ClientHashes {
        today: today.as_ref(),
        yesterday: yesterday.as_ref(),
    };
    let own = Uuid::new_v4();
    let stored = store::feedback::upsert(conn, own, &client, feedback, now).await?;
    Ok(StoredFeedback {
        id: stored.id,
        received_at: stored.received_at,
        is_new: stored.id == own,
    })
}
