//! The counters of this server that flows increment.

use innkeeper_service::telemetry::{Counter, Metrics};

/// Counters of events, incremented where they happen.
#[derive(Debug)]
pub(crate) struct Counters {
    pub(crate) cleaned_rows: Counter,
    pub(crate) mail_limited: Counter,
}

impl Counters {
    pub(crate) fn new(metrics: &Metrics) -> Self {
        Self {
            cleaned_rows: metrics.counter(
                "gotrue_cleanup_affected_rows",
                "Rows that were deleted because they had expired.",
            ),
            mail_limited: metrics.counter(
                "gotrue_email_rate_limit_counter",
                "Requests that were refused because too many mails were asked for.",
            ),
        }
    }
}
