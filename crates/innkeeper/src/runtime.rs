//! What the servers run on.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use anyhow::Context as _;
use tokio::runtime::{Builder, Runtime};

/// A runtime with a thread for each processor, or as many as `TOKIO_WORKER_THREADS` says. With only one
/// there is nobody to share the work with, and it is done without the means to.
pub(crate) fn start() -> anyhow::Result<Runtime> {
    #[expect(
        clippy::disallowed_methods,
        reason = "a setting of the runtime, which reads it like this"
    )]
    let threads = std::env::var("TOKIO_WORKER_THREADS");
    let is_alone = match threads {
        Ok(threads) => threads == "1",
        Err(_) => available_parallelism().is_ok_and(|threads| threads == NonZeroUsize::MIN),
    };
    let mut builder = if is_alone {
        Builder::new_current_thread()
    } else {
        Builder::new_multi_thread()
    };
    builder.enable_all().build().context("cannot start")
}
