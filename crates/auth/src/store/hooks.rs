//! Functions of the application. The name of a function is no parameter of a statement, so these
//! statements are written here.

use std::time::Duration;

use super::{GenericClient, Result};

const LIMIT: &str = "select current_setting('statement_timeout'), \
                     set_config('statement_timeout', $1, true)";
const RESTORE: &str = "select set_config('statement_timeout', $1, true)";

/// Calls a function of this schema and name with a JSON value, in the transaction that is under way;
/// it may take so long. What it returns is JSON, too.
pub(crate) async fn call(
    tx: &impl GenericClient,
    (schema, name): (&str, &str),
    input: &str,
    limit: Duration,
) -> Result<Option<String>> {
    let function = format!("{}.{}", quoted(schema), quoted(name));
    let called = format!("select {function}($1::text::jsonb)::jsonb::text");
    let millis = limit.as_millis().to_string();
    let former: String = {
        let statement = tx.prepare(LIMIT).await?;
        tx.query_one(&statement, &[&millis]).await?.try_get(0)?
    };
    let statement = tx.prepare(&called).await?;
    let output = match tx.query(&statement, &[&input]).await?.first() {
        Some(row) => row.try_get(0)?,
        None => None,
    };
    let statement = tx.prepare(RESTORE).await?;
    tx.query_one(&statement, &[&former]).await?;
    Ok(output)
}

/// A name as SQL takes it, letter for letter.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
