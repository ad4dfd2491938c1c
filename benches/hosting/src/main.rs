//! Compares the hosting server with nginx, which serves the same bytes as static files.
//!
//! Before anything is measured, the responses of both are compared ([`cases`]). Throughput, latency and
//! processor time come from rounds under load ([`load`]), instructions from callgrind
//! ([`instructions`]). Further figures are those of a large folder ([`many`]), of the start
//! ([`start`]), and of machines: their consoles ([`console`], [`command`]), their power ([`power`]) and the
//! keys of their owners ([`key`]).

mod articles;
mod cases;
mod command;
mod console;
mod game_host;
mod instructions;
mod key;
mod load;
mod many;
mod places;
mod power;
mod process;
mod report;
mod results;
mod search;
mod server;
mod start;
mod wire;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};

use crate::cases::{Case, Site};
use crate::places::Places;
use crate::results::Results;

/// Compares the hosting server with nginx, which serves the same bytes as static files.
#[derive(Debug, Parser)]
#[command(name = "bench-hosting")]
struct Arguments {
    /// Innkeeper's binary
    #[arg(long, value_name = "FILE")]
    innkeeper: PathBuf,
    /// nginx's binary
    #[arg(long, value_name = "FILE")]
    nginx: PathBuf,
    /// Length of each window, in seconds
    #[arg(long, default_value_t = 0.25)]
    seconds: f64,
    /// Number of rounds under load; the medians count
    #[arg(long, default_value_t = 28)]
    rounds: usize,
    /// Number of articles in the large folder
    #[arg(long, default_value_t = 10_000)]
    articles: usize,
    /// Parts to run, separated by commas; all but search by default
    #[arg(long, value_delimiter = ',', value_name = "PART")]
    only: Vec<Part>,
    /// Cases to run, separated by commas: article, list+gzip, status+304, ...
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    case: Vec<String>,
    /// Four rounds, and 1,000 articles
    #[arg(long)]
    quick: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Requests per second, latency, processor time
    Load,
    /// Instructions per request
    Instructions,
    /// Loading, searching and changing many articles
    Many,
    /// Time from start to first response, and idle memory
    Start,
    /// PostgreSQL's full-text search on the same articles
    Search,
    /// Memory and line delay of consoles beside a minimal server
    Console,
    /// Power requests beside bare commits
    Power,
    /// Commands on a console beside a bare attachment to a container
    Command,
    /// The check of an API key
    Key,
}

/// The parts with machines; all parts of this list need a database, as `Start` and `Search` do.
const WITH_POSTGRES: [Part; 6] = [
    Part::Start,
    Part::Search,
    Part::Console,
    Part::Power,
    Part::Command,
    Part::Key,
];

/// The parts and cases to run, and for how long.
#[derive(Debug)]
struct Plan {
    places: Places,
    parts: Vec<Part>,
    only_cases: Vec<String>,
    rounds: usize,
    window: Duration,
    articles: usize,
    is_whole: bool,
}

fn main() -> Result<ExitCode> {
    let plan = Plan::of(Arguments::parse())?;
    let load = std::fs::read_to_string("/proc/loadavg").context("reading the load average")?;
    println!("load average before: {}", load.trim());
    let mut results = Results::default();
    if WITH_POSTGRES.into_iter().any(|part| plan.has(part)) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(with_postgres(&plan, &mut results))?;
    }
    if plan.has(Part::Many) {
        many::measure(&plan, &mut results)?;
    }
    if plan.has(Part::Load) || plan.has(Part::Instructions) {
        let site = Site::prepare(&plan.places)?;
        if plan.has(Part::Load) {
            load::measure(&plan, &site, &mut results)?;
        }
        if plan.has(Part::Instructions) {
            instructions::count(&plan, &site, &mut results)?;
        }
        report::table(&results);
        let file = plan.places.output.join(plan.file_name());
        results.write(&file)?;
        println!("\nwritten to {}", file.display());
    }
    Ok(if report::goals(&results) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn with_postgres(plan: &Plan, results: &mut Results) -> Result<()> {
    let cluster = plan.places.start_cluster().await?;
    if plan.has(Part::Start) {
        start::measure(plan, &cluster, results).await?;
    }
    if plan.has(Part::Search) {
        search::measure(plan, &cluster).await?;
    }
    if plan.has(Part::Key) {
        key::measure(plan, &cluster, results).await?;
    }
    if plan.has(Part::Power) {
        power::measure(plan, &cluster, results).await?;
    }
    if plan.has(Part::Command) {
        command::measure(plan, &cluster, results).await?;
    }
    if plan.has(Part::Console) {
        console::measure(plan, &cluster, results).await?;
    }
    Ok(cluster.stop().await?)
}

impl Plan {
    fn of(arguments: Arguments) -> Result<Self> {
        let parts = if arguments.only.is_empty() {
            let all = Part::value_variants().iter().copied();
            all.filter(|part| *part != Part::Search).collect()
        } else {
            arguments.only.clone()
        };
        let (rounds, seconds, articles) = if arguments.quick {
            (4, 0.25, 1000)
        } else {
            (
                arguments.rounds.max(1),
                arguments.seconds,
                arguments.articles,
            )
        };
        Ok(Self {
            places: Places::find(&arguments.innkeeper, &arguments.nginx)?,
            is_whole: arguments.only.is_empty() && arguments.case.is_empty() && !arguments.quick,
            parts,
            only_cases: arguments.case,
            rounds,
            window: Duration::try_from_secs_f64(seconds).context("--seconds")?,
            articles,
        })
    }

    fn has(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// Returns how often each server of the consoles writes lines.
    fn console_rounds(&self) -> usize {
        self.rounds.min(10)
    }

    /// Returns how often the power of all machines is changed.
    fn power_rounds(&self) -> usize {
        self.rounds.min(10)
    }

    /// Returns how many commands are typed.
    fn command_rounds(&self) -> usize {
        self.rounds * 5
    }

    /// Returns the cases to run.
    fn cases<'a>(&'a self, site: &'a Site) -> impl Iterator<Item = &'a Case> {
        let wanted =
            |case: &&Case| self.only_cases.is_empty() || self.only_cases.contains(&case.name);
        site.cases.iter().filter(wanted)
    }

    /// Returns the name of the results file. Partial runs do not replace the results of a full one.
    fn file_name(&self) -> &'static str {
        if self.is_whole {
            "hosting.json"
        } else {
            "hosting-partial.json"
        }
    }
}
