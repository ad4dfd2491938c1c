//! Hooks that are PostgreSQL functions. A statement cannot have the name of a function as a parameter,
//! so these statements are built here.

use std::time::Duration;

use super::{GenericClient, Result};

const SET_TIMEOUT: &str = "select current_setting('statement_timeout'), \
                     set_config('statement_timeout', $1, true)";
const RESTORE_TIMEOUT: &str = "select set_config('statement_timeout', $1, true)";

/// Calls a function with a JSON value, in the current transaction, with a limit on its time. Returns the
/// function's result as JSON.
pub(crate) async fn call(
    tx: &impl GenericClient,
    schema: &str,
    name: &str,
    input: &str,
    timeout: Duration,
) -> Result<Option<String>> {
    let function = format!("{}.{}", quote(schema), quote(name));
    let call = format!("select {function}($1::text::jsonb)::jsonb::text");
    let millis = timeout.as_millis().to_string();
    let previous: String = {
        let statement = tx.prepare(SET_TIMEOUT).await?;
        tx.query_one(&statement, &[&millis]).await?.try_get(0)?
    };
    let statement = tx.prepare(&call).await?;
    let output = match tx.query(&statement, &[&input]).await?.first() {
        Some(row) => row.try_get(0)?,
        None => None,
    };
    let statement = tx.prepare(RESTORE_TIMEOUT).await?;
    tx.query_one(&statement, &[&previous]).await?;
    Ok(output)
}

/// Quotes an identifier for SQL.
fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
