//! SQL, one file per table. The statements are in `queries/*.sql`; the functions made from them are
//! called from here only.

pub(crate) mod checks;
pub(crate) mod component_states;
pub(crate) mod feedback;
pub(crate) mod incidents;
pub(crate) mod leases;
pub(crate) mod maintenances;

use std::time::Duration;

pub(crate) use innkeeper_hosting_queries::client::GenericClient;
use innkeeper_service::database::{Database, DatabaseError};

/// What every function here returns.
pub(crate) type Result<T> = std::result::Result<T, DatabaseError>;

/// How long a database may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether the database answers.
pub(crate) async fn answers(database: &Database) -> bool {
    let asked = async {
        let connection = database.connection().await.ok()?;
        connection.simple_query("select 1").await.ok()
    };
    matches!(tokio::time::timeout(PATIENCE, asked).await, Ok(Some(_)))
}
