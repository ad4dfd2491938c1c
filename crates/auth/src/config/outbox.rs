//! `MAILER_OUTBOX_*`: how long mails are tried and kept.

use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::SignedDuration;

use super::Profile;
use super::checks::positive;

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "MAILER_OUTBOX_RETRY_FOR",
        Kind::Duration,
        "How long a mail is tried again before it is given up.",
    )
    .default(&["24h"]),
    Setting::new(
        "MAILER_OUTBOX_KEEP_DELIVERED",
        Kind::Duration,
        "How long a delivered mail stays in the list of mails. Its content is erased at once.",
    )
    .default(&["168h"]),
    Setting::new(
        "MAILER_OUTBOX_KEEP_FAILED",
        Kind::Duration,
        "How long a failed mail stays in the list of mails, from which it can be tried again.",
    )
    .default(&["720h"]),
];

/// `MAILER_OUTBOX_*` settings.
#[derive(Debug, Clone)]
pub struct OutboxConfig {
    /// `MAILER_OUTBOX_RETRY_FOR`, default a day.
    pub retry_for: SignedDuration,
    /// `MAILER_OUTBOX_KEEP_DELIVERED`, default a week.
    pub keep_delivered: SignedDuration,
    /// `MAILER_OUTBOX_KEEP_FAILED`, default 30 days.
    pub keep_failed: SignedDuration,
}

impl OutboxConfig {
    pub(super) fn read(reader: &mut Reader, profile: Profile) -> Self {
        Self {
            retry_for: positive(reader, profile, "MAILER_OUTBOX_RETRY_FOR"),
            keep_delivered: positive(reader, profile, "MAILER_OUTBOX_KEEP_DELIVERED"),
            keep_failed: positive(reader, profile, "MAILER_OUTBOX_KEEP_FAILED"),
        }
    }
}
