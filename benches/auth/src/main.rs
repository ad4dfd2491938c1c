//! Drives the authentication server and `@supabase/lite` with the same requests, on databases of the
//! same private PostgreSQL, and compares what they cost.
//!
//! Beside them stand the limits: the statements that a request needs, run by `pgbench` ([`pgbench`])
//! and by the bare driver ([`bare`]). How often a request asks the database is counted on the wire
//! ([`trips`]). What mail costs those who wait for an answer is measured apart ([`mail`]).

mod accounts;
mod bare;
mod goals;
mod http;
mod load;
mod mail;
mod measure;
mod pgbench;
mod places;
mod process;
mod report;
mod results;
mod scenario;
mod server;
mod sink;
mod sql;
mod start;
mod timing;
mod trips;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;
use tokio::task::LocalSet;

use crate::places::Places;
use crate::results::Results;
use crate::scenario::Scenario;
use crate::server::{Subject, stand_up};

/// Measures the authentication server beside @supabase/lite, pgbench and the bare driver.
#[derive(Debug, Parser)]
#[command(name = "bench-auth")]
struct Arguments {
    /// The binary of this project
    #[arg(long, value_name = "FILE")]
    innkeeper: PathBuf,
    /// The folder where npm has put @supabase/lite; without it that server is left out
    #[arg(long, value_name = "FOLDER")]
    lite: Option<PathBuf>,
    /// How long each window is
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// How often everything is measured; the medians count
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Scenarios to run, by comma
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    only: Vec<Scenario>,
    /// Servers to run, by comma: innkeeper, lite, driver, pgbench
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    server: Vec<Subject>,
    /// One round of short windows
    #[arg(long)]
    quick: bool,
    /// Only whether the time of an answer tells who has an account
    #[arg(long)]
    timing: bool,
    /// Only what mail costs others, and how fast it goes out
    #[arg(long, conflicts_with = "timing")]
    mail: bool,
    /// How many times each kind of address is asked about, with --timing
    #[arg(long, default_value_t = 200)]
    samples: usize,
}

/// What to run.
#[derive(Debug)]
struct Plan {
    places: Places,
    scenarios: Vec<Scenario>,
    subjects: Vec<Subject>,
    rounds: usize,
    window: Duration,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let timing = arguments.timing.then_some(arguments.samples.max(10));
    let only_mail = arguments.mail;
    let plan = Plan::of(arguments)?;
    // One thread is enough to keep two cores busy with everything else.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let met = LocalSet::new().block_on(&runtime, async {
        match timing {
            Some(samples) => timing::run(&plan.places, samples).await,
            None if only_mail => run_mail(&plan).await,
            None => run(&plan).await,
        }
    })?;
    Ok(if met {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Runs everything; false if a goal is missed.
async fn run(plan: &Plan) -> Result<bool> {
    let cluster = plan.places.start_cluster().await?;
    let mut results = Results::default();
    let starts = start::measure(plan, &cluster, &mut results).await?;
    let trips = trips::count(plan, &cluster).await?;
    let mut stand = stand_up(plan, &cluster, &mut results).await?;
    measure::all(plan, &mut stand, &mut results).await?;
    stand.stop().await?;
    let seen = if plan.has(Subject::Innkeeper) && plan.is_whole() {
        Some(mail::measure(plan, &cluster).await?)
    } else {
        None
    };
    cluster.stop().await?;

    report::table(&results, &trips);
    report::starts(&starts);
    if let Some(seen) = &seen {
        report::mail(seen);
    }
    let file = plan.places.output.join(plan.file_name());
    results.write(&file)?;
    println!("\nwritten to {}", file.display());
    Ok(goals::check(&results, &trips, seen.as_ref()))
}

/// Runs what is about mail; false if a goal is missed.
async fn run_mail(plan: &Plan) -> Result<bool> {
    let cluster = plan.places.start_cluster().await?;
    let seen = mail::measure(plan, &cluster).await?;
    cluster.stop().await?;
    report::mail(&seen);
    Ok(goals::check_mail(&seen))
}

impl Plan {
    fn of(arguments: Arguments) -> Result<Self> {
        let places = Places::find(&arguments.innkeeper, arguments.lite.as_deref())?;
        let mut subjects = all_if_empty(arguments.server, &Subject::ALL);
        if places.lite.is_none() && subjects.contains(&Subject::Lite) {
            println!("lite is left out: it is not installed");
            subjects.retain(|&subject| subject != Subject::Lite);
        }
        let (rounds, seconds) = if arguments.quick {
            (1, 1.0)
        } else {
            (arguments.rounds.max(1), arguments.seconds)
        };
        Ok(Self {
            places,
            scenarios: all_if_empty(arguments.only, &Scenario::ALL),
            subjects,
            rounds,
            window: Duration::try_from_secs_f64(seconds).context("--seconds")?,
        })
    }

    /// Whether no scenario is left out.
    fn is_whole(&self) -> bool {
        self.scenarios.len() == Scenario::ALL.len()
    }

    /// Only a run of everything counts as the result.
    fn file_name(&self) -> &'static str {
        if self.is_whole() && self.subjects.len() == Subject::ALL.len() {
            "auth.json"
        } else {
            "auth-partial.json"
        }
    }

    fn has(&self, subject: Subject) -> bool {
        self.subjects.contains(&subject)
    }
}

fn all_if_empty<T: Copy>(some: Vec<T>, all: &[T]) -> Vec<T> {
    if some.is_empty() { all.to_vec() } else { some }
}
