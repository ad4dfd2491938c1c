//! The audit log: who did what, and the outcome.

use innkeeper_service::database::Executor;

use crate::model::AuditEntry;
use crate::store;
use crate::store::database::ServerDatabase;

/// Adds an entry, in the transaction of what it is about.
pub(crate) async fn record(conn: &dyn Executor, entry: &AuditEntry) -> store::Result<()> {
    store::audit_log::insert(conn, entry).await
}

/// Adds an entry about a request that was refused. The refusal does not depend on it, so a failure is logged
/// only.
pub(crate) async fn record_refusal(database: &ServerDatabase, entry: &AuditEntry) {
    let recorded = async {
        let connection = database.connection().await?;
        record(&connection, entry).await
    };
    if let Err(error) = recorded.await {
        tracing::warn!(%error, event = entry.event, "an entry of the audit log is lost");
    }
}
