//! What an operator wants to know about a PostgreSQL server.

use jiff::SignedDuration;
use tokio_postgres::Client;

use super::DatabaseError;
use crate::clock::Clock;

/// A server as one connection sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examination {
    /// Its release, such as `15.14`.
    pub version: String,
    /// Whether nothing can be written, as on a standby.
    pub is_read_only: bool,
    /// How far its clock is ahead of ours.
    pub clock_ahead: SignedDuration,
    /// How many clients it serves now.
    pub used_connections: i64,
    /// How many it would serve.
    pub max_connections: i64,
}

/// Asks a server about itself.
pub async fn examine(client: &Client, clock: &Clock) -> Result<Examination, DatabaseError> {
    // The first question may include preparations on either side; the second is quick.
    let about = client
        .query_one(
            "select current_setting('server_version'),
                pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool,
                (select count(*) from pg_stat_activity where backend_type = 'client backend'),
                current_setting('max_connections')::int8",
            &[],
        )
        .await?;
    let question = client
        .prepare("select (extract(epoch from clock_timestamp()) * 1000)::int8")
        .await?;
    let before = clock.now().as_millisecond();
    let there: i64 = client.query_one(&question, &[]).await?.try_get(0)?;
    let after = clock.now().as_millisecond();
    let here = before.midpoint(after);
    let version: String = about.try_get(0)?;
    Ok(Examination {
        // Debian adds its own: `15.14 (Debian 15.14-0+deb12u1)`.
        version: version.split(' ').next().unwrap_or_default().to_owned(),
        is_read_only: about.try_get(1)?,
        clock_ahead: SignedDuration::from_millis(there.saturating_sub(here)),
        used_connections: about.try_get(2)?,
        max_connections: about.try_get(3)?,
    })
}
