//! Calls hooks that are database functions.

use std::time::Duration;

use innkeeper_service::database::{Database, DatabaseError, Executor};
use tokio_postgres::error::SqlState;

use super::error::HookError;
use crate::base::error::AuthError;
use crate::store;

/// How long a function may take.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Calls a function in a transaction of the caller.
pub(super) async fn call_in(
    tx: &dyn Executor,
    schema: &str,
    name: &str,
    input: &str,
) -> Result<Option<Vec<u8>>, HookError> {
    let answer = store::hooks::call(tx, schema, name, input, TIMEOUT).await;
    Ok(answer.map_err(failed)?.map(String::into_bytes))
}

/// Calls a function in a transaction of its own, which is committed even if the function refuses.
pub(super) async fn call(
    database: &Database,
    schema: &str,
    name: &str,
    input: &str,
) -> Result<Option<Vec<u8>>, HookError> {
    let lost = |error: tokio_postgres::Error| failed(error.into());
    let mut conn = database.connection().await.map_err(failed)?;
    let tx = conn.transaction().await.map_err(lost)?;
    let answer = call_in(&tx, schema, name, input).await?;
    tx.commit().await.map_err(lost)?;
    Ok(answer)
}

fn failed(error: DatabaseError) -> HookError {
    let is_timeout = matches!(&error, DatabaseError::Sql(error)
        if error.code() == Some(&SqlState::QUERY_CANCELED));
    if is_timeout {
        return HookError::TimedOut(TIMEOUT);
    }
    HookError::Database(AuthError::from(error))
}
