//! Hooks that are functions in the database.

use std::time::Duration;

use innkeeper_service::database::{Database, DatabaseError};
use tokio_postgres::error::SqlState;

use super::HookError;
use crate::error::AuthError;
use crate::store::{self, Connection, GenericClient};

/// How long a function may take.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Calls a function in the transaction that is under way.
pub(super) async fn call(
    tx: &impl GenericClient,
    schema: &str,
    name: &str,
    input: &str,
) -> Result<Option<Vec<u8>>, HookError> {
    let answer = store::hooks::call(tx, schema, name, input, TIMEOUT).await;
    Ok(answer.map_err(failed)?.map(String::into_bytes))
}

/// Calls a function in a transaction of its own. What it has written stands, whatever it answers.
pub(super) async fn call_alone(
    database: &Database,
    schema: &str,
    name: &str,
    input: &str,
) -> Result<Option<Vec<u8>>, HookError> {
    let lost = |error: tokio_postgres::Error| failed(error.into());
    let mut conn = Connection(database.connection().await.map_err(failed)?);
    let tx = conn.transaction().await.map_err(lost)?;
    let answer = call(&tx, schema, name, input).await?;
    tx.commit().await.map_err(lost)?;
    Ok(answer)
}

fn failed(error: DatabaseError) -> HookError {
    let is_late = matches!(&error, DatabaseError::Sql(error)
        if error.code() == Some(&SqlState::QUERY_CANCELED));
    if is_late {
        return HookError::Late(TIMEOUT);
    }
    HookError::Database(AuthError::from(error))
}
