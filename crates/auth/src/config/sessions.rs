//! `SESSIONS_*`: the lifetime of sessions.

use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::SignedDuration;

use super::checks::positive_if_set;

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "SESSIONS_TIMEBOX",
        Kind::Duration,
        "The maximum lifetime of a session.",
    ),
    Setting::new(
        "SESSIONS_INACTIVITY_TIMEOUT",
        Kind::Duration,
        "How long a session lasts without a refresh.",
    ),
    Setting::new(
        "SESSIONS_ALLOW_LOW_AAL",
        Kind::Duration,
        "How long a user with a second factor may use a session without it.",
    ),
    Setting::new(
        "SESSIONS_SINGLE_PER_USER",
        Kind::Boolean,
        "Only the newest session of a user, or of each tag, is refreshed.",
    )
    .default(&["false"]),
    Setting::new(
        "SESSIONS_TAGS",
        Kind::List,
        "The tags that separate the sessions of a user.",
    ),
];

/// `SESSIONS_*` settings.
#[derive(Debug, Clone, Default)]
pub struct SessionsConfig {
    /// `SESSIONS_TIMEBOX`: a session ends this long after it began.
    pub timebox: Option<SignedDuration>,
    /// `SESSIONS_INACTIVITY_TIMEOUT`: a session ends this long after its last refresh.
    pub inactivity_timeout: Option<SignedDuration>,
    /// `SESSIONS_ALLOW_LOW_AAL`: how long a user with a second factor may use a session without it.
    pub allow_low_aal: Option<SignedDuration>,
    /// `SESSIONS_SINGLE_PER_USER`: only the newest session of a user (and tag) is refreshed.
    pub single_per_user: bool,
    /// `SESSIONS_TAGS`: the tags that separate the sessions of a user.
    pub tags: Vec<String>,
}

impl SessionsConfig {
    pub(super) fn read(reader: &mut Reader) -> Self {
        Self {
            timebox: positive_if_set(reader, "SESSIONS_TIMEBOX"),
            inactivity_timeout: positive_if_set(reader, "SESSIONS_INACTIVITY_TIMEOUT"),
            allow_low_aal: positive_if_set(reader, "SESSIONS_ALLOW_LOW_AAL"),
            single_per_user: reader.get("SESSIONS_SINGLE_PER_USER"),
            tags: reader.get("SESSIONS_TAGS"),
        }
    }
}
