//! Sessions and their refresh tokens.

pub(crate) mod issue;
pub(crate) mod rotation;
pub mod token;
pub(crate) mod validity;

use jiff::Timestamp;
use serde::Deserialize;
use uuid::Uuid;

use crate::jwt::Amr;

/// A session as the database knows it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct SessionRecord {
    pub(crate) id: Uuid,
    #[serde(default)]
    pub(crate) created_at: Option<Timestamp>,
    #[serde(default)]
    pub(crate) refreshed_at: Option<Timestamp>,
    #[serde(default)]
    pub(crate) aal: Option<String>,
    #[serde(default)]
    pub(crate) not_after: Option<Timestamp>,
    #[serde(default)]
    pub(crate) tag: Option<String>,
    /// The key of its refresh tokens, sealed; sessions of an earlier server have none.
    #[serde(default)]
    pub(crate) hmac_key: Option<String>,
    #[serde(default)]
    pub(crate) counter: Option<i64>,
    #[serde(default)]
    pub(crate) methods: Option<Vec<Amr>>,
}

impl SessionRecord {
    /// When it was used last.
    pub(crate) fn used_at(&self) -> Timestamp {
        self.refreshed_at
            .or(self.created_at)
            .unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// Returns the counter of the session's newest refresh token; 0 if it is of version 1.
    pub(crate) fn refresh_counter(&self) -> u64 {
        self.counter
            .and_then(|counter| u64::try_from(counter).ok())
            .unwrap_or_default()
    }

    /// Whether it was opened by a link or a code rather than a password.
    pub(crate) fn was_opened_by_mail(&self) -> bool {
        self.methods.iter().flatten().any(|method| {
            matches!(
                method.method.as_str(),
                "otp" | "magiclink" | "recovery" | "email/signup" | "invite"
            )
        })
    }
}
