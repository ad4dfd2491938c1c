//! Deletes expired rows: sessions, one-time links and codes, PKCE flows, sent mails, old entries of the audit
//! log, second factors that nobody verified, challenges of passkeys, and anonymous users who did not come back.

use innkeeper_service::database::{PooledConnection, Transaction};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::app::App;
use crate::config::Profile;
use crate::store;
use crate::store::cleanup::{CleanupTable, Cutoffs};

/// How long a row is kept after it has expired. Replicas may differ in clocks and settings, and clients
/// that come a little late are told that the link or session has expired.
const GRACE: SignedDuration = SignedDuration::from_hours(24);

/// The same for the challenges of passkeys, which anybody can make.
const CHALLENGE_GRACE: SignedDuration = SignedDuration::from_hours(1);

/// How many rows one statement reads.
const BATCH: i64 = 500;

/// Deletes expired rows, unless another replica is doing so, and returns how many it deleted.
pub(crate) async fn run(app: &App) -> store::Result<i64> {
    // The outbox is always cleaned: no other program knows it, so none would delete from it.
    let is_enabled = app.config.database.cleanup_enabled;
    let tables = if is_enabled {
        CleanupTable::ALL.as_slice()
    } else {
        &[CleanupTable::Outbox]
    };
    let mut conn = app.database.connection().await?;
    let cutoffs = cutoffs(app);
    let mut deleted = 0;
    for &table in tables {
        let mut next = Some(Uuid::nil());
        while let Some(after) = next {
            let Some(tx) = lock(&mut conn).await? else {
                return Ok(report(app, deleted));
            };
            let swept = match store::cleanup::sweep(&tx, table, &cutoffs, after, BATCH).await {
                Ok(swept) => swept,
                // Rows of the application may refer to users, and must not keep all other rows from being deleted.
                Err(error) if error.constraint().is_some() => {
                    tracing::error!(
                        error = &error as &dyn std::error::Error,
                        ?table,
                        "rows could not be deleted"
                    );
                    break;
                }
                Err(error) => return Err(error),
            };
            tx.commit().await?;
            deleted += swept.gone;
            next = swept.last;
        }
    }
    let mut next = is_enabled.then_some(0);
    while let Some(after) = next {
        let Some(tx) = lock(&mut conn).await? else {
            return Ok(report(app, deleted));
        };
        let ended = cutoffs.session_ended;
        let (last, tokens) = store::cleanup::sweep_refresh_tokens(&tx, ended, after, BATCH).await?;
        tx.commit().await?;
        deleted += tokens;
        next = last;
    }
    Ok(report(app, deleted))
}

/// Begins the transaction of a batch; `None` if another replica is deleting.
async fn lock(conn: &mut PooledConnection) -> store::Result<Option<Transaction<'_>>> {
    let tx = conn.transaction().await?;
    let is_locked = store::cleanup::try_lock(&tx).await?;
    Ok(is_locked.then_some(tx))
}

/// Counts and logs the deleted rows, and returns their number.
fn report(app: &App, deleted: i64) -> i64 {
    app.counters
        .cleaned_rows
        .add(u64::try_from(deleted).unwrap_or_default(), &[]);
    if deleted > 0 {
        tracing::info!(rows = deleted, "expired rows were deleted");
    }
    deleted
}

/// Returns the times before which nothing can be used any more.
fn cutoffs(app: &App) -> Cutoffs {
    let now = app.clock.now();
    // No row is older than 1970, and PostgreSQL does not have jiff's earliest years.
    let earliest = Timestamp::UNIX_EPOCH;
    let before = |length: SignedDuration| now.checked_sub(length).unwrap_or(earliest).max(earliest);
    // The last access token of a session outlives the session, and is accepted as long as its row exists.
    let grace = GRACE.max(app.config.jwt.exp);
    let sessions = &app.config.sessions;
    let after_end = |length: SignedDuration| before(length.saturating_add(grace));
    let links = app.config.mailer.otp_exp.max(app.config.sms.otp_exp);
    // A link that leads to a PKCE flow may be followed for as long as any other.
    let flows = links.saturating_add(app.config.external.flow_state_expiry_duration);
    let external = &app.config.external;
    let anonymous = external
        .anonymous_users_enabled
        .then(|| before(external.anonymous_users_retention));
    let mfa = &app.config.mfa;
    let factors = mfa.challenge_expiry.max(mfa.factor_expiry);
    Cutoffs {
        session_ended: before(grace),
        session_started: sessions.timebox.map(after_end),
        session_used: sessions.inactivity_timeout.map(after_end),
        token_sent: before(links.saturating_add(GRACE)),
        flow_changed: before(flows.saturating_add(GRACE)),
        mail_delivered: before(app.config.outbox.keep_delivered),
        mail_failed: before(app.config.outbox.keep_failed),
        audit_written: app.config.audit_log_retention.map(before),
        factor_used: before(factors.saturating_add(GRACE)),
        challenge_expired: before(CHALLENGE_GRACE),
        anonymous_created: anonymous,
        // GoTrue counts from the sign-up, however much the user is used.
        anonymous_used: anonymous.filter(|_| app.config.profile == Profile::Std),
    }
}
