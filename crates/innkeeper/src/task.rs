//! Runs one task of an operator to its end.

use std::future::Future;

use anyhow::anyhow;

use crate::output::with_causes;
use crate::progress;

/// Runs a task that queries the database, and shows progress while it takes long.
pub(crate) fn run<T, E>(task: impl Future<Output = Result<T, E>>) -> anyhow::Result<T>
where
    E: std::error::Error,
{
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| anyhow!("cannot start: {error}"))?;
    runtime
        .block_on(progress::show("Querying the database", task))
        .map_err(|error| anyhow!("{}", with_causes(&error)))
}
