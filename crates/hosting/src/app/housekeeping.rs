//! Housekeeping of the database: the schema, sums of old checks, and data that has expired.

use std::sync::Arc;
use std::time::Duration;

use innkeeper_service::clock::Clock;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::store;
use crate::store::database::{ServerDatabase, ServerDatabaseError};

/// How often housekeeping runs.
const INTERVAL: SignedDuration = SignedDuration::from_hours(1);
/// When it runs again after a failure.
const RETRY: SignedDuration = SignedDuration::from_mins(1);
/// How long one run may take.
const TIMEOUT: Duration = Duration::from_secs(30);
/// For how many days single checks are kept.
const CHECK_DAYS: i32 = 7;
/// For how many days the daily sums of checks are kept.
const SUM_DAYS: i64 = 400;
/// For how many days actions that have ended and the audit log are kept.
const HISTORY_DAYS: i32 = 90;

/// The housekeeping of a server. Every replica does it: the statements may run concurrently, and the
/// second to run finds nothing left to do.
#[derive(Debug)]
pub(crate) struct Housekeeping {
    clock: Clock,
    database: Option<Arc<ServerDatabase>>,
    schedule: Mutex<Schedule>,
}

#[derive(Debug, Default)]
struct Schedule {
    last_run: Option<Timestamp>,
    /// The time to wait after `last_run`.
    pause: SignedDuration,
}

impl Schedule {
    /// Tells whether housekeeping is due, also if the clock was set back.
    fn is_due(&self, now: Timestamp) -> bool {
        self.last_run
            .is_none_or(|last| now.duration_since(last).abs() >= self.pause)
    }
}

impl Housekeeping {
    pub(crate) fn new(database: Option<Arc<ServerDatabase>>, clock: Clock) -> Self {
        Self {
            clock,
            database,
            schedule: Mutex::default(),
        }
    }

    /// Brings the schema up to date as soon as the database can be reached, and runs housekeeping when
    /// it is due.
    pub(crate) async fn tick(&self) {
        let Some(database) = &self.database else {
            return;
        };
        // The status monitor logs that the database is away.
        if database.make_ready().await.is_err() {
            return;
        }
        let mut schedule = self.schedule.lock().await;
        let now = self.clock.now();
        if !schedule.is_due(now) {
            return;
        }
        let run = timeout(TIMEOUT, run(database, now)).await;
        let run = run.unwrap_or(Err(ServerDatabaseError::Timeout));
        schedule.last_run = Some(now);
        schedule.pause = INTERVAL;
        if let Err(error) = run {
            tracing::warn!(%error, "housekeeping failed and will be tried again");
            schedule.pause = RETRY;
        }
    }
}

/// Sums up old checks, and deletes what is no longer kept.
async fn run(database: &ServerDatabase, now: Timestamp) -> Result<(), ServerDatabaseError> {
    let connection = database.connection().await?;
    let day = SignedDuration::from_hours(24);
    let today = now.to_zoned(TimeZone::UTC).date();
    let midnight = Timestamp::from_second(now.as_second().div_euclid(86_400) * 86_400);
    let midnight = midnight.unwrap_or(now);
    store::checks::sum_up(&connection, midnight - day * CHECK_DAYS).await?;
    let oldest = today.saturating_sub(Span::new().days(SUM_DAYS));
    store::checks::delete_days(&connection, oldest).await?;
    let yesterday = today.saturating_sub(Span::new().days(1));
    store::feedback::delete_salts(&connection, yesterday).await?;
    store::audit_log::delete_before(&connection, now - day * HISTORY_DAYS).await?;
    store::actions::delete_finished(&connection, now - day * HISTORY_DAYS).await?;
    store::idempotency_keys::delete_expired(&connection, now).await?;
    store::console_tickets::delete_expired(&connection, now).await?;
    store::status_readers::forget_silent(&connection).await?;
    Ok(())
}
