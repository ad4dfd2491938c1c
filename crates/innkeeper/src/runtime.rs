//! The Tokio runtime of the servers.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use anyhow::Context as _;
use tokio::runtime::{Builder, Runtime};

use crate::file_limit;

/// Starts a runtime with one thread per processor, or with `TOKIO_WORKER_THREADS` threads. A single thread
/// gets the current-thread runtime, which spares the cost of sharing work between threads.
pub(crate) fn start() -> anyhow::Result<Runtime> {
    file_limit::raise();
    #[expect(
        clippy::disallowed_methods,
        reason = "Tokio's own variable, which it reads the same way"
    )]
    let threads = std::env::var("TOKIO_WORKER_THREADS");
    let is_single = match threads {
        Ok(threads) => threads == "1",
        Err(_) => available_parallelism().is_ok_and(|threads| threads == NonZeroUsize::MIN),
    };
    let mut builder = if is_single {
        Builder::new_current_thread()
    } else {
        Builder::new_multi_thread()
    };
    builder.enable_all().build().context("cannot start")
}
