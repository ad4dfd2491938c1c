//! Feedback as it is stored.

use innkeeper_service::database::rows;
use jiff::Timestamp;
use serde::Serialize;
use uuid::Uuid;

use super::feedback::Feedback;

rows! {
    /// How often readers found an article helpful, and how often not.
    #[derive(Debug, Clone, Serialize)]
    #[serde(rename_all = "camelCase")]
    pub struct FeedbackCount {
        /// The path of the article.
        pub path: String,
        /// How often it helped.
        pub helpful: i64,
        /// How often it did not help.
        pub not_helpful: i64,
        /// How many readers wrote a comment.
        pub comments: i64,
        /// When the last feedback was sent or changed.
        #[serde(serialize_with = "crate::base::timestamps::millis")]
        pub last_at: Timestamp,
    }
}

/// Stored feedback.
#[derive(Debug, Clone)]
pub struct FeedbackEntry {
    /// The id.
    pub id: Uuid,
    /// What the reader sent.
    pub feedback: Feedback,
    /// When it was first sent.
    pub received_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}
