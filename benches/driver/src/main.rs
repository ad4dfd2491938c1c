//! Sends the same requests to `innkeeper-rest` and its peers, and compares their costs.
//!
//! Before anything is measured, every response is compared byte by byte ([`verify`]). Instructions
//! per request come from callgrind ([`instructions`]) and decide whether the goals are met
//! ([`goals`]); processor time and throughput ([`load`]), memory, sizes and check times are
//! printed beside them, and the cost of a thousand listeners and websockets ([`live`]).

mod cases;
mod check_time;
mod files;
mod footprint;
mod goals;
mod instructions;
mod live;
mod load;
mod process;
mod report;
mod results;
mod server;
mod verify;
mod wire;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Parser;

use crate::cases::Case;
use crate::results::Results;
use crate::server::Server;

/// Compares innkeeper with raw hyper, axum and actix-web.
#[derive(Debug, Parser)]
#[command(name = "bench-rest")]
struct Arguments {
    /// Only count instructions, on the four plain routes
    #[arg(long)]
    quick: bool,
    /// Only count instructions, on all routes
    #[arg(long)]
    instructions: bool,
    /// Only measure static files
    #[arg(long)]
    files: bool,
    /// Only measure events and websockets
    #[arg(long)]
    live: bool,
    /// Servers to run, separated by commas: innkeeper, hyper, axum, actix
    #[arg(long, value_delimiter = ',', value_name = "SERVER")]
    only: Vec<Server>,
    /// Cases to run, separated by commas: plaintext, user+headers, echo+pipelined, ...
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    case: Vec<String>,
    /// Rounds of the processor time and throughput measurement
    #[arg(long, default_value_t = 9)]
    rounds: usize,
}

/// Paths of binaries and results.
#[derive(Debug, Clone)]
struct Places {
    /// The folder of the servers' binaries, and of the driver's.
    binaries: PathBuf,
    /// `target/bench` of the repository: results, profiles, generated crates.
    output: PathBuf,
    /// The root of the repository.
    repository: PathBuf,
}

/// The servers and cases to run.
#[derive(Debug)]
struct Plan {
    places: Places,
    servers: Vec<Server>,
    cases: Vec<Case>,
}

impl Places {
    fn find() -> Result<Self> {
        let driver = std::env::current_exe().context("finding the driver's own binary")?;
        let binaries = driver
            .parent()
            .context("the driver has no folder")?
            .to_owned();
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let repository = repository
            .canonicalize()
            .context("finding the repository")?;
        let output = repository.join("target/bench");
        std::fs::create_dir_all(&output).context("creating target/bench")?;
        Ok(Self {
            binaries,
            output,
            repository,
        })
    }
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    if arguments.files {
        let results = &mut Results::default();
        files::measure(Places::find()?, arguments.rounds, results)?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.live {
        let live = live::measure(&Places::find()?)?;
        return Ok(if live.check() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        });
    }
    let plan = Plan::of(&arguments)?;
    verify::all(&plan)?;
    let mut results = Results::default();
    instructions::count(&plan, &mut results)?;
    report::instructions(&results, &plan);
    if !arguments.quick && !arguments.instructions {
        let memory = load::measure(&plan, arguments.rounds, &mut results)?;
        report::load(&results, &plan);
        report::footprint(&memory, &footprint::sizes(&plan)?);
        report::check_times(&check_time::measure(&plan)?);
    }
    let all = !arguments.quick && !arguments.instructions;
    if all && arguments.case.is_empty() {
        files::measure(plan.places.clone(), arguments.rounds, &mut results)?;
    }
    let live = if all && plan.servers.contains(&Server::Innkeeper) {
        Some(live::measure(&plan.places)?)
    } else {
        None
    };

    let complete = plan.is_complete() && results.has_load();
    let file = if complete {
        "rest.json"
    } else {
        "rest-partial.json"
    };
    let file = plan.places.output.join(file);
    results.write(&file)?;
    println!("\nwritten to {}", file.display());

    let reached = goals::check(&results, &plan.cases);
    let reached = live.is_none_or(|live| live.check()) && reached;
    Ok(if reached {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

impl Plan {
    fn of(arguments: &Arguments) -> Result<Self> {
        let places = Places::find()?;
        let cases = selected_cases(arguments)?;
        let only = &arguments.only;
        let servers = if only.is_empty() {
            Server::ALL.to_vec()
        } else {
            only.clone()
        };
        for server in &servers {
            let binary = server.binary(&places);
            ensure!(
                binary.is_file(),
                "{server} is not built: no {}",
                binary.display()
            );
        }
        Ok(Self {
            places,
            servers,
            cases,
        })
    }

    fn is_complete(&self) -> bool {
        self.servers.len() == Server::ALL.len() && self.cases.len() == cases::all().len()
    }
}

fn selected_cases(arguments: &Arguments) -> Result<Vec<Case>> {
    let mut cases = cases::all();
    if !arguments.case.is_empty() {
        for name in &arguments.case {
            let known = || {
                cases
                    .iter()
                    .map(|case| &*case.name)
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            ensure!(
                cases.iter().any(|case| case.name == *name),
                "no case {name}; there are {}",
                known()
            );
        }
        cases.retain(|case| arguments.case.contains(&case.name));
    } else if arguments.quick {
        cases.retain(Case::is_plain);
    }
    Ok(cases)
}
