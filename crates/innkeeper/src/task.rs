//! Runs one task of an operator to its end.

use std::future::Future;

use anyhow::anyhow;
use tokio::runtime::Runtime;

use crate::output::with_causes;
use crate::progress;

/// Runs a task that queries the database, and shows progress while it takes long.
pub(crate) fn run<T, E>(task: impl Future<Output = Result<T, E>>) -> anyhow::Result<T>
where
    E: std::error::Error,
{
    runtime()?
        .block_on(progress::show("Querying the database", task))
        .map_err(|error| anyhow!("{}", with_causes(&error)))
}

/// As [`run`], with a message that changes while the task goes on.
pub(crate) fn run_showing<T, E>(
    message: impl Fn() -> String,
    task: impl Future<Output = Result<T, E>>,
) -> anyhow::Result<T>
where
    E: std::error::Error,
{
    runtime()?
        .block_on(progress::show_changing(message, task))
        .map_err(|error| anyhow!("{}", with_causes(&error)))
}

/// Runs a task that fails with a message of its own.
pub(crate) fn block_on<T>(
    what: &str,
    task: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<T> {
    runtime()?.block_on(progress::show(what, task))
}

/// Calls a function that needs a runtime.
pub(crate) fn on_runtime<T>(function: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    let runtime = runtime()?;
    let _context = runtime.enter();
    function()
}

/// Creates a runtime with one thread.
pub(crate) fn runtime() -> anyhow::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| anyhow!("cannot start: {error}"))
}
