//! What must happen before requests are answered.

use std::sync::Arc;

use innkeeper_service::clock::Clock;
use innkeeper_service::telemetry::Telemetry;

use super::start_error::StartError;
use super::{App, assemble, hash_times};
use crate::config::Config;
use crate::crypto::signing::SigningKeysError;
use crate::store::migrate;

/// Migrates the database and loads the keys; from then on requests are answered.
pub(crate) async fn prepare(app: &App) -> Result<(), StartError> {
    let mut connection = app.database.connect_once().await?;
    let report = migrate::migrate(&mut connection, &app.config.database.namespace).await?;
    // It counts for the limit on connections.
    drop(connection);
    if !report.is_empty() {
        tracing::info!(
            migrations = report.len(),
            "the schema was brought up to date"
        );
    }
    let conn = app.database.shared().await?;
    app.reload_keys().await?;
    let keys = app.keys.current();
    if keys.is_signing_revoked() {
        let kid = keys.signing().verifying().kid().unwrap_or_default();
        return Err(SigningKeysError::Revoked(kid.to_owned()).into());
    }
    hash_times::imitate(app, &conn).await?;
    app.ready.set();
    Ok(())
}

/// Creates the components for a command, without a server.
pub(crate) async fn ready(config: &Config, clock: &Clock) -> Result<Arc<App>, StartError> {
    let app = assemble::app(config.clone(), clock.clone(), Telemetry::off())?;
    prepare(&app).await?;
    Ok(app)
}
