//! Deleting what is over, of several tables.

use innkeeper_auth_queries::queries::cleanup as queries;
pub(crate) use innkeeper_auth_queries::queries::cleanup::Swept;
use jiff::Timestamp;
use uuid::Uuid;

use super::{GenericClient, Result};

/// Half of the advisory lock's key: "innc". The other half is a hash of the schema's name.
const LOCK: i32 = 0x696e_6e63;

/// What can be over.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Table {
    Sessions,
    OneTimeTokens,
    OneTimeCodes,
    FlowStates,
    Outbox,
    AuditLog,
}

impl Table {
    pub(crate) const ALL: [Self; 6] = [
        Self::Sessions,
        Self::OneTimeTokens,
        Self::OneTimeCodes,
        Self::FlowStates,
        Self::Outbox,
        Self::AuditLog,
    ];
}

/// What is older than these times is over.
#[derive(Debug)]
pub(crate) struct Ends {
    /// Of sessions that know their own end.
    pub(crate) ended: Timestamp,
    /// The beginning of sessions, if they may last only so long.
    pub(crate) timeboxed: Option<Timestamp>,
    /// The last use of sessions, if they must be used.
    pub(crate) idle: Option<Timestamp>,
    /// When links and codes were sent.
    pub(crate) sent: Timestamp,
    /// When something last happened to an exchange.
    pub(crate) touched: Timestamp,
    /// When mails were delivered.
    pub(crate) delivered: Timestamp,
    /// When mails were given up.
    pub(crate) failed: Timestamp,
    /// When entries of the audit log were written, if they do not stay for ever.
    pub(crate) written: Option<Timestamp>,
}

/// Takes the lock of the one that cleans up; it ends with the connection.
pub(crate) async fn try_lock(conn: &impl GenericClient) -> Result<bool> {
    Ok(queries::try_lock().bind(conn, &LOCK).one().await?)
}

/// Deletes what is over among so many rows after a place, and says which place was reached.
pub(crate) async fn sweep(
    conn: &impl GenericClient,
    table: Table,
    ends: &Ends,
    after: Uuid,
    batch: i64,
) -> Result<Swept> {
    let swept = match table {
        Table::Sessions => {
            let Ends {
                ended,
                timeboxed,
                idle,
                ..
            } = ends;
            queries::sweep_sessions()
                .bind(conn, &after, &batch, ended, timeboxed, idle)
                .one()
                .await
        }
        Table::OneTimeTokens => {
            queries::sweep_one_time_tokens()
                .bind(conn, &after, &batch, &ends.sent)
                .one()
                .await
        }
        Table::OneTimeCodes => {
            queries::sweep_one_time_codes()
                .bind(conn, &after, &batch, &ends.sent)
                .one()
                .await
        }
        Table::FlowStates => {
            queries::sweep_flow_states()
                .bind(conn, &after, &batch, &ends.touched)
                .one()
                .await
        }
        Table::Outbox => {
            queries::sweep_outbox()
                .bind(conn, &after, &batch, &ends.delivered, &ends.failed)
                .one()
                .await
        }
        Table::AuditLog => {
            // Where everything stays, nothing need be looked at.
            let Some(written) = &ends.written else {
                return Ok(Swept {
                    last: None,
                    gone: 0,
                });
            };
            queries::sweep_audit_log()
                .bind(conn, &after, &batch, written)
                .one()
                .await
        }
    };
    Ok(swept?)
}

/// The same for revoked refresh tokens without a session, whose keys are numbers.
pub(crate) async fn sweep_tokens(
    conn: &impl GenericClient,
    ended: Timestamp,
    after: i64,
    batch: i64,
) -> Result<(Option<i64>, i64)> {
    let swept = queries::sweep_refresh_tokens()
        .bind(conn, &after, &batch, &ended)
        .one()
        .await?;
    Ok((swept.last, swept.gone))
}
