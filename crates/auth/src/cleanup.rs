//! Deleting what is of no use any more: sessions, links, codes, exchanges and mails that are over, and old
//! entries of the audit log.

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::app::App;
use crate::store;
use crate::store::cleanup::{Ends, Table};

/// How long something is kept after its end. Replicas may differ in clocks and settings, and whoever
/// comes a little late is told what has ended.
const GRACE: SignedDuration = SignedDuration::from_hours(24);

/// How many rows a statement looks at.
const BATCH: i64 = 500;

/// Deletes what is over, unless another replica is at it, and says how many rows that were.
pub(crate) async fn run(app: &App) -> store::Result<i64> {
    // Nobody else knows the outbox, so nobody else would delete from it.
    let is_on = app.config.database.cleanup_enabled;
    let tables = if is_on {
        Table::ALL.as_slice()
    } else {
        &[Table::Outbox]
    };
    // Not one of the pool: the lock ends with the connection, however this ends.
    let conn = app.database.connect_once().await?;
    if !store::cleanup::try_lock(&conn).await? {
        return Ok(0);
    }
    let ends = ends(app);
    let mut gone = 0;
    for &table in tables {
        let mut place = Some(Uuid::nil());
        while let Some(after) = place {
            let swept = store::cleanup::sweep(&conn, table, &ends, after, BATCH).await?;
            gone += swept.gone;
            place = swept.last;
        }
    }
    let mut place = is_on.then_some(0);
    while let Some(after) = place {
        let (last, tokens) = store::cleanup::sweep_tokens(&conn, ends.ended, after, BATCH).await?;
        gone += tokens;
        place = last;
    }
    app.counters
        .cleaned_rows
        .add(u64::try_from(gone).unwrap_or_default(), &[]);
    if gone > 0 {
        tracing::info!(rows = gone, "what had expired was deleted");
    }
    Ok(gone)
}

/// Nothing that is as old as this can be used any more.
fn ends(app: &App) -> Ends {
    let now = app.clock.now();
    // No row is older than that, and PostgreSQL does not know the first years of this calendar.
    let first = Timestamp::UNIX_EPOCH;
    let before = |length: SignedDuration| now.checked_sub(length).unwrap_or(first).max(first);
    // The last access token of a session outlives it, and is good for as long as the session is there.
    let grace = GRACE.max(app.config.jwt.exp);
    let sessions = &app.config.sessions;
    let after_end = |length: SignedDuration| before(length.saturating_add(grace));
    let links = app.config.mailer.otp_exp;
    // A link that ends in an exchange may be followed as long as any other.
    let exchanges = links.saturating_add(app.config.external.flow_state_expiry_duration);
    Ends {
        ended: before(grace),
        timeboxed: sessions.timebox.map(after_end),
        idle: sessions.inactivity_timeout.map(after_end),
        sent: before(links.saturating_add(GRACE)),
        touched: before(exchanges.saturating_add(GRACE)),
        delivered: before(app.config.outbox.keep_delivered),
        failed: before(app.config.outbox.keep_failed),
        written: app.config.audit_log_retention.map(before),
    }
}
