//! Sends the same requests to the authentication server and `@supabase/lite`, on databases of the
//! same private PostgreSQL, and compares their costs.
//!
//! As limits, the statements of a request are also run by `pgbench` ([`pgbench`]) and by the bare driver
//! ([`bare`]). Round trips to the database are counted on the wire ([`trips`]). The cost of mail for
//! clients that wait for a response is measured separately ([`mail`]).

#![expect(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a program for people at a terminal"
)]

mod accounts;
mod authenticator;
mod bare;
mod factors;
mod goals;
mod http;
mod keycloak;
mod load;
mod mail;
mod measure;
mod pgbench;
mod places;
mod pooler;
mod process;
mod provider;
mod report;
mod results;
mod scenario;
mod server;
mod sink;
mod sql;
mod start;
mod statements;
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

/// Compares the authentication server with @supabase/lite, pgbench and the bare driver.
#[derive(Debug, Parser)]
#[command(name = "bench-auth")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "switches of a command line, most of which exclude each other"
)]
struct Arguments {
    /// Innkeeper's binary
    #[arg(long, value_name = "FILE")]
    innkeeper: PathBuf,
    /// The folder where npm installed @supabase/lite; without it, that server is skipped
    #[arg(long, value_name = "FOLDER")]
    lite: Option<PathBuf>,
    /// Length of each window, in seconds
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Number of rounds; the medians count
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Scenarios to run, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    only: Vec<Scenario>,
    /// Servers to run, separated by commas: innkeeper, lite, driver, pgbench
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    server: Vec<Subject>,
    /// One round of short windows
    #[arg(long)]
    quick: bool,
    /// Only test whether response times reveal who has an account
    #[arg(long)]
    timing: bool,
    /// Only measure the cost of mail for other requests, and the delivery rate
    #[arg(long, conflicts_with = "timing")]
    mail: bool,
    /// Only measure the cost of a connection pooler
    #[arg(long, conflicts_with_all = ["timing", "mail"])]
    pooler: bool,
    /// Only measure sign-ins with an external provider
    #[arg(long, conflicts_with_all = ["timing", "mail", "pooler"])]
    provider: bool,
    /// Only measure second factors and passkeys
    #[arg(long, conflicts_with_all = ["timing", "mail", "pooler", "provider"])]
    factors: bool,
    /// Number of requests about each kind of address, with --timing
    #[arg(long, default_value_t = 200)]
    samples: usize,
}

/// The scenarios and subjects to run, and for how long.
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
    let only_pooler = arguments.pooler;
    let only_provider = arguments.provider;
    let only_factors = arguments.factors;
    let plan = Plan::of(arguments)?;
    // One thread sends enough requests to keep two cores busy.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let met = LocalSet::new().block_on(&runtime, async {
        match timing {
            Some(samples) => timing::run(&plan.places, samples).await,
            None if only_mail => run_mail(&plan).await,
            None if only_pooler => run_pooler(&plan).await,
            None if only_provider => run_provider(&plan).await,
            None if only_factors => run_factors(&plan).await,
            None => run(&plan).await,
        }
    })?;
    Ok(if met {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Runs all benchmarks; returns false if a goal is missed.
async fn run(plan: &Plan) -> Result<bool> {
    let cluster = plan.places.start_cluster().await?;
    let mut results = Results::default();
    let starts = start::measure(plan, &cluster, &mut results).await?;
    let trips = trips::count(plan, &cluster).await?;
    let mut stand = stand_up(plan, &cluster, &mut results).await?;
    measure::all(plan, &mut stand, &mut results).await?;
    stand.stop().await?;
    let (mut seen, mut providers, mut factors) = (None, None, None);
    let mut poolers = Vec::new();
    if plan.has(Subject::Innkeeper) && plan.is_whole() {
        poolers = pooler::measure(plan, &cluster).await?;
        providers = Some(provider::measure(plan, &cluster).await?);
        factors = Some(factors::measure(plan, &cluster).await?);
        seen = Some(mail::measure(plan, &cluster).await?);
    }
    cluster.stop().await?;

    report::table(&results, &trips);
    report::starts(&starts);
    report::poolers(&poolers);
    if let Some(costs) = &providers {
        report::providers(costs);
    }
    if let Some(costs) = &factors {
        report::factors(costs);
    }
    if let Some(seen) = &seen {
        report::mail(seen);
    }
    let file = plan.places.output.join(plan.file_name());
    results.write(&file)?;
    println!("\nwritten to {}", file.display());
    let mut all = goals::of_results(&results, &trips);
    all.extend(goals::of_mail(seen.as_ref()));
    all.push(goals::of_poolers(&poolers));
    all.extend(goals::of_providers(providers.as_ref()));
    all.extend(goals::of_factors(factors.as_ref()));
    Ok(goals::check(all))
}

/// Runs the mail benchmark; returns false if a goal is missed.
async fn run_mail(plan: &Plan) -> Result<bool> {
    let cluster = plan.places.start_cluster().await?;
    let seen = mail::measure(plan, &cluster).await?;
    cluster.stop().await?;
    report::mail(&seen);
    Ok(goals::check(goals::of_mail(Some(&seen))))
}

/// Runs the benchmark of poolers; returns false if a goal is missed.
async fn run_pooler(plan: &Plan) -> Result<bool> {
    let cluster = plan.places.start_cluster().await?;
    let poolers = pooler::measure(plan, &cluster).await?;
    cluster.stop().await?;
    report::poolers(&poolers);
    Ok(goals::check(vec![goals::of_poolers(&poolers)]))
}

/// Runs the benchmark of external providers; returns false if a goal is missed.
async fn run_provider(plan: &Plan) -> Result<bool> {
    let cluster = plan.places.start_cluster().await?;
    let costs = provider::measure(plan, &cluster).await?;
    cluster.stop().await?;
    report::providers(&costs);
    Ok(goals::check(goals::of_providers(Some(&costs))))
}

/// Runs the benchmark of second factors and passkeys; returns false if a goal is missed.
async fn run_factors(plan: &Plan) -> Result<bool> {
    let cluster = plan.places.start_cluster().await?;
    let costs = factors::measure(plan, &cluster).await?;
    cluster.stop().await?;
    report::factors(&costs);
    Ok(goals::check(goals::of_factors(Some(&costs))))
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

    /// Whether all scenarios are run.
    fn is_whole(&self) -> bool {
        self.scenarios.len() == Scenario::ALL.len()
    }

    /// Returns the name of the results file. Partial runs do not replace the results of a full one.
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
