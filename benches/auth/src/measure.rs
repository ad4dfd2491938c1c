//! The rounds: every scenario on every subject that supports it, in turn.
//!
//! Other load on the machine then affects all subjects alike.

use std::time::Duration;

use anyhow::{Context, Result};
use tokio::time::sleep;

use crate::Plan;
use crate::accounts::{Account, CONNECTIONS};
use crate::http::{Connection, Site, member};
use crate::load::{Meter, Sample, Step, drive};
use crate::pgbench;
use crate::results::{IDLE_AGAIN, Results, RowName};
use crate::scenario::Scenario;
use crate::server::{Kind, Running, Stand, Subject};

/// After this long without a request, a server has released the memory that it can.
const REST: Duration = Duration::from_secs(12);

/// The subject that is measured next.
#[derive(Debug, Clone, Copy)]
enum Turn {
    /// An index into the servers.
    Server(usize),
    Limit(Subject),
}

/// Runs all rounds.
pub(crate) async fn all(plan: &Plan, stand: &mut Stand, results: &mut Results) -> Result<()> {
    let (rounds, seconds) = (plan.rounds, plan.window.as_secs_f64());
    let busy = std::fs::read_to_string("/proc/loadavg").context("reading the load average")?;
    println!(
        "{rounds} rounds, {CONNECTIONS} connections, windows of {seconds} s, twice that with passwords"
    );
    println!(
        "load average before: {}",
        busy.split(' ').next().unwrap_or_default()
    );
    for round in 0..rounds {
        for &scenario in &plan.scenarios {
            let turns = turns(plan, stand, scenario);
            for &turn in turns.iter().cycle().skip(round).take(turns.len()) {
                take(plan, stand, scenario, turn, results).await?;
            }
        }
        eprintln!("round {} of {rounds}", round + 1);
    }
    sleep(REST).await;
    for server in &stand.servers {
        let sample = Sample {
            rss_kb: Some(server.process.family()?.resident()?),
            ..Sample::default()
        };
        results.add(server.kind.row(IDLE_AGAIN), sample);
    }
    Ok(())
}

/// Returns the subjects that support a scenario.
fn turns(plan: &Plan, stand: &Stand, scenario: Scenario) -> Vec<Turn> {
    let mut turns = Vec::new();
    for (place, server) in stand.servers.iter().enumerate() {
        let kind = server.kind;
        let is_main = kind == Kind::INNKEEPER || kind == Kind::LITE;
        // The algorithm matters most where a request does little else.
        if plan.has(kind.subject) && (is_main || scenario == Scenario::Refresh) {
            turns.push(Turn::Server(place));
        }
    }
    if stand.limits.is_some() && !scenario.statements().is_empty() {
        let limits = [Subject::Driver, Subject::Pgbench].into_iter();
        turns.extend(limits.filter(|&limit| plan.has(limit)).map(Turn::Limit));
    }
    turns
}

async fn take(
    plan: &Plan,
    stand: &mut Stand,
    scenario: Scenario,
    turn: Turn,
    results: &mut Results,
) -> Result<()> {
    let (row, sample) = match turn {
        Turn::Server(place) => {
            let server = stand.servers.get_mut(place).context("no such server")?;
            let row = server.kind.row(scenario.name());
            let window = plan.window * scenario.stretch();
            (row, serve(server, scenario, window).await)
        }
        Turn::Limit(subject) => {
            let limits = stand.limits.as_ref().context("no limits")?;
            let row = RowName {
                scenario: scenario.name(),
                subject,
                algorithm: None,
            };
            let sample = if subject == Subject::Pgbench {
                pgbench::run(plan, limits, scenario).await
            } else {
                let workers = limits.workers(scenario).await?;
                let driven = drive(workers, &Meter::Own, plan.window).await;
                driven.map(|(sample, _)| sample)
            };
            (row, sample)
        }
    };
    match sample {
        Ok(sample) => results.add(row, sample),
        Err(error) => eprintln!("{scenario} of {} is left out: {error:#}", row.subject),
    }
    Ok(())
}

/// Measures one window of a scenario on a server.
async fn serve(server: &mut Running, scenario: Scenario, window: Duration) -> Result<Sample> {
    server.process.check()?;
    let meter = Meter::Server(&server.process);
    let (mine, others) = server.accounts.split_at(CONNECTIONS);
    let requesters = connect(&server.site, scenario, mine).await?;
    if scenario == Scenario::UserDuringSignIns {
        let signing_in = connect(&server.site, Scenario::SignIn, others).await?;
        let (asked, signed_in) = tokio::join!(
            drive(requesters, &meter, window),
            drive(signing_in, &meter, window)
        );
        signed_in.context("signing in meanwhile")?;
        let (sample, _) = asked?;
        // The processor time of both kinds of requests cannot be separated.
        return Ok(Sample {
            cpu_ms: None,
            ..sample
        });
    }
    let (sample, requesters) = drive(requesters, &meter, window).await?;
    for (account, requester) in server.accounts.iter_mut().zip(requesters) {
        *account = requester.account();
    }
    Ok(sample)
}

async fn connect(site: &Site, scenario: Scenario, accounts: &[Account]) -> Result<Vec<Requester>> {
    let mut requesters = Vec::new();
    for account in accounts {
        let connection = Connection::open(site.address).await?;
        requesters.push(Requester::new(connection, site, scenario, account.clone()));
    }
    Ok(requesters)
}

/// One connection that sends one request after the other.
#[derive(Debug)]
pub(crate) struct Requester {
    connection: Connection,
    site: Site,
    scenario: Scenario,
    account: Account,
}

impl Requester {
    pub(crate) fn new(
        connection: Connection,
        site: &Site,
        scenario: Scenario,
        account: Account,
    ) -> Self {
        Self {
            connection,
            site: site.clone(),
            scenario,
            account,
        }
    }

    /// Returns the account of the requests, with its current tokens.
    pub(crate) fn account(self) -> Account {
        self.account
    }
}

impl Step for Requester {
    async fn step(&mut self) -> Result<()> {
        let request = self.scenario.request(&self.site, &self.account);
        let body = self.connection.ask_ok(&request).await?;
        if self.scenario == Scenario::Refresh {
            member(body, "refresh_token")?.clone_into(&mut self.account.refresh_token);
        }
        Ok(())
    }
}
