//! Static files of the framework: from the disk, or from memory if `LOADED` is set.

use std::num::NonZeroUsize;

use anyhow::{Context, Result};
use bench_common::{Settings, root};
use innkeeper_rest::{App, Files, Server, Stop};
use tokio::signal::unix::{SignalKind, signal};

fn main() -> Result<()> {
    let settings = Settings::read()?;
    let root = root()?;
    let loaded = std::env::var_os("LOADED").is_some();
    let app = || {
        let files = if loaded {
            Files::loaded(&root)
        } else {
            Files::directory(&root)
        };
        App::new().files("/files", files)
    };
    let stop = Stop::new();
    let told = stop.clone();
    // The server has its own runtimes, one per core; another one waits for the signal.
    std::thread::spawn(move || -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            signal(SignalKind::terminate())?.recv().await;
            told.now();
            Ok(())
        })
    });
    let threads = NonZeroUsize::new(settings.threads).context("THREADS is zero")?;
    Server::bind(settings.address)?
        .stop_on(stop)
        .serve_per_core(threads, app)?;
    Ok(())
}
