//! The hosting server of the console benchmark: the server of `innkeeper hosting serve`, with machines that are on
//! and keys of their owner. Its game servers are in memory, or containers. Settings come from the environment.

mod check_keys;
mod machines;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};
use innkeeper_hosting::Hosting;
use innkeeper_hosting::config::{Config, reader};
use innkeeper_hosting::testing::MemoryHost;
use innkeeper_rest::{Server, Stop};
use innkeeper_service::clock::Clock;
use innkeeper_service::telemetry;
use tokio::signal::unix::{SignalKind, signal};

use crate::machines::Machines;

/// Runs game servers for a benchmark, or measures the check of keys.
#[derive(Debug, Parser)]
#[command(name = "bench-hosting-server")]
struct Arguments {
    /// What runs the game servers
    #[arg(long, value_enum, default_value_t = Engine::Memory)]
    engine: Engine,
    /// The number of game servers
    #[arg(long, default_value_t = 1)]
    machines: u32,
    /// The number of keys
    #[arg(long, default_value_t = 1)]
    keys: usize,
    /// The file that is written once all game servers are on
    #[arg(long, value_name = "FILE")]
    ready: PathBuf,
    /// Check a key this many times and end, instead of serving
    #[arg(long, value_name = "TIMES")]
    check_keys: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Engine {
    /// Values in memory, which write lines between one SIGUSR1 and the next
    Memory,
    /// Containers of the demo game
    Podman,
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let mut reader = reader().with_environment(std::env::vars());
    let config = Config::read(&mut reader).map_err(|faults| anyhow::anyhow!("{faults}"))?;
    let _log = telemetry::init_logging(&config.log)?;
    let (clock, host) = (Clock::system(), MemoryHost::default());
    let hosting = match arguments.engine {
        Engine::Memory => {
            let (engines, boot) = (host.engines(), Some(host.boot_id()));
            Hosting::start_with_engines(config.clone(), clock, engines, boot)?
        }
        Engine::Podman => Hosting::start(config.clone(), clock)?,
    };
    hosting.prepare_database().await?;
    if let Some(times) = arguments.check_keys {
        check_keys::measure(&hosting, &config, times).await?;
        return Ok(ExitCode::SUCCESS);
    }
    let server = Server::bind((config.http.host.as_str(), config.http.port))?;
    let stop = Stop::new();
    let serving = tokio::spawn({
        let (hosting, stop) = (hosting.clone(), stop.clone());
        async move { hosting.serve(server, stop).await }
    });
    let machines = Machines::add(&hosting, &config, arguments.machines, arguments.keys).await?;
    machines.start(&hosting).await?;
    let ids = machines.ids.clone();
    let writing = bench_console_lines::write_lines(arguments.machines, |machine, line| {
        if let Some(id) = ids.get(machine) {
            host.print(*id, line);
        }
    });
    std::fs::write(&arguments.ready, machines.description().to_string())?;
    let mut ends = signal(SignalKind::terminate()).context("SIGTERM")?;
    tokio::select! {
        written = writing => written?,
        _ = ends.recv() => {}
    }
    if arguments.engine == Engine::Podman {
        machines.remove(&hosting).await;
    }
    stop.now();
    serving.await??;
    hosting.close_engines().await;
    Ok(ExitCode::SUCCESS)
}
