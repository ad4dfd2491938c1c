//! Sessions.

use jiff::Timestamp;
use serde::Deserialize;
use uuid::Uuid;

use super::Amr;

/// A row of `sessions`, with the methods with which the session was opened.
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
    /// The sealed key of the session's v2 refresh tokens. Sessions with v1 tokens have none.
    #[serde(default)]
    pub(crate) hmac_key: Option<String>,
    #[serde(default)]
    pub(crate) counter: Option<i64>,
    #[serde(default)]
    pub(crate) methods: Option<Vec<Amr>>,
}

impl SessionRecord {
    /// Returns the time of the last refresh, or of the sign-in.
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

    /// Returns whether a second factor was verified in the session.
    pub(crate) fn has_second_level(&self) -> bool {
        self.aal.as_deref() == Some("aal2")
    }

    /// Returns whether the session was opened with a link or a code from a mail.
    pub(crate) fn was_opened_by_mail(&self) -> bool {
        self.methods.iter().flatten().any(|method| {
            matches!(
                method.method.as_str(),
                "otp" | "magiclink" | "recovery" | "email/signup" | "invite"
            )
        })
    }
}
