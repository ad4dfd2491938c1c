//! Facts about a PostgreSQL server that an operator should know.

use jiff::SignedDuration;
use tokio_postgres::Client;

use super::error::DatabaseError;
use crate::clock::Clock;

/// The version and state of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerInfo {
    /// The version, such as `15.14`.
    pub version: String,
    /// Whether it is read-only, as a standby is.
    pub is_read_only: bool,
    /// How far its clock is ahead of this machine's.
    pub clock_ahead: SignedDuration,
    /// Client connections in use.
    pub used_connections: i64,
    /// The most client connections.
    pub max_connections: i64,
}

/// Queries the version and state of a server.
pub async fn examine(client: &Client, clock: &Clock) -> Result<ServerInfo, DatabaseError> {
    // The first query may include one-time work on either side; the one for the clock must be quick.
    let row = client
        .query_one(
            "select current_setting('server_version'),
                pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool,
                (select count(*) from pg_stat_activity where backend_type = 'client backend'),
                current_setting('max_connections')::int8",
            &[],
        )
        .await?;
    let statement = client
        .prepare("select (extract(epoch from clock_timestamp()) * 1000)::int8")
        .await?;
    let before = clock.now().as_millisecond();
    let remote: i64 = client.query_one(&statement, &[]).await?.try_get(0)?;
    let after = clock.now().as_millisecond();
    let local = before.midpoint(after);
    let version: String = row.try_get(0)?;
    Ok(ServerInfo {
        // Debian adds its package version: `15.14 (Debian 15.14-0+deb12u1)`.
        version: version.split(' ').next().unwrap_or_default().to_owned(),
        is_read_only: row.try_get(1)?,
        clock_ahead: SignedDuration::from_millis(remote.saturating_sub(local)),
        used_connections: row.try_get(2)?,
        max_connections: row.try_get(3)?,
    })
}
