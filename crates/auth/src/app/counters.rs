//! Metrics that are counted where the event happens.

use innkeeper_service::telemetry::{Counter, Metrics};

/// The counters that the server increments itself. All other metrics are read when they are collected.
#[derive(Debug)]
pub(crate) struct Counters {
    pub(crate) cleaned_rows: Counter,
    pub(crate) mail_limited: Counter,
    pub(crate) sms_limited: Counter,
}

impl Counters {
    pub(crate) fn new(metrics: &Metrics) -> Self {
        Self {
            cleaned_rows: metrics.counter(
                "gotrue_cleanup_affected_rows",
                "Rows deleted because they had expired.",
            ),
            mail_limited: metrics.counter(
                "gotrue_email_rate_limit_counter",
                "Requests refused because of a mail limit.",
            ),
            sms_limited: metrics.counter(
                "auth_sms_rate_limit_counter",
                "Requests refused because of a limit of text messages.",
            ),
        }
    }
}
