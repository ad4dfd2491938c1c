//! Hooks that are PostgreSQL functions. A statement cannot have the name of a function as a parameter,
//! so these statements are built here.

use std::time::Duration;

use innkeeper_service::database::{Executor, query, query_one};

use super::Result;

const SET_TIMEOUT: &str = "select current_setting('statement_timeout'), \
                     set_config('statement_timeout', $1, true)";
const RESTORE_TIMEOUT: &str = "select set_config('statement_timeout', $1, true)";

const MAY_EXECUTE: &str = "select has_function_privilege(to_regprocedure($1::text), 'execute')";

/// Calls a function with a JSON value, in the current transaction, with a limit on its time. Returns the
/// function's result as JSON.
pub(crate) async fn call(
    tx: &dyn Executor,
    schema: &str,
    name: &str,
    input: &str,
    timeout: Duration,
) -> Result<Option<String>> {
    let call = call_statement(&full_name(schema, name));
    let millis = timeout.as_millis().to_string();
    let previous: String = query_one(tx, SET_TIMEOUT, &[&millis]).await?.try_get(0)?;
    let output = match query(tx, &call, &[&input]).await?.first() {
        Some(row) => row.try_get(0)?,
        None => None,
    };
    query_one(tx, RESTORE_TIMEOUT, &[&previous]).await?;
    Ok(output)
}

/// Returns whether a function exists that can be called with a JSON value, and this user may call it. Does not call it;
/// one that does not exist is an error.
pub(crate) async fn may_call(conn: &dyn Executor, schema: &str, name: &str) -> Result<bool> {
    let function = full_name(schema, name);
    let call = call_statement(&function);
    conn.prepared().prepare(conn.client(), &call).await?;
    let signature = format!("{function}(jsonb)");
    let row = query_one(conn, MAY_EXECUTE, &[&signature]).await?;
    // A function with another signature, such as one of `anyelement`, is not found by it.
    Ok(row.try_get::<_, Option<bool>>(0)?.unwrap_or(true))
}

fn call_statement(function: &str) -> String {
    format!("select {function}($1::text::jsonb)::jsonb::text")
}

fn full_name(schema: &str, name: &str) -> String {
    format!("{}.{}", quote(schema), quote(name))
}

/// Quotes an identifier for SQL.
fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
