//! What a connection pooler in transaction mode costs: the same requests to two servers on one database, one
//! of them behind PgBouncer.

use anyhow::{Context, Result};
use innkeeper_service::cluster::Cluster;
use innkeeper_service::testing::TestPooler;

use crate::Plan;
use crate::accounts::{self, Account};
use crate::http::{Connection, Site};
use crate::load::{Meter, Sample, drive};
use crate::measure::Requester;
use crate::places::Places;
use crate::process::{Process, free_address};
use crate::results::median;
use crate::scenario::Scenario;
use crate::server::{Algorithm, innkeeper, wait_for};

/// The requests that are measured: one that reads, and one that also writes.
const SCENARIOS: [Scenario; 2] = [Scenario::User, Scenario::Refresh];

/// The processor time of a server per request, in milliseconds.
#[derive(Debug)]
pub(crate) struct PoolerCost {
    pub(crate) scenario: Scenario,
    pub(crate) direct_ms: f64,
    pub(crate) pooled_ms: f64,
}

impl PoolerCost {
    pub(crate) fn ratio(&self) -> f64 {
        self.pooled_ms / self.direct_ms
    }
}

/// A server with users of its own.
struct Server {
    process: Process,
    site: Site,
    accounts: Vec<Account>,
}

/// Measures both servers in turn.
pub(crate) async fn measure(plan: &Plan, cluster: &Cluster) -> Result<Vec<PoolerCost>> {
    let (places, names) = (&plan.places, ["pooler_direct", "pooler_pooled"]);
    for name in names {
        cluster.ensure_database(name).await?;
    }
    let [direct, pooled] = names.map(|name| (name, cluster.url(name)));
    let pgbouncer = TestPooler::start(&pooled.1).await;
    let pgbouncer = pgbouncer.context("starting PgBouncer")?;
    let mut direct = Server::start(places, direct.0, &direct.1).await?;
    let mut pooled = Server::start(places, pooled.0, pgbouncer.url()).await?;
    let mut costs = Vec::new();
    for scenario in SCENARIOS {
        let (mut without, mut with) = (Vec::new(), Vec::new());
        for round in 0..plan.rounds {
            let mut turns = [(&mut direct, &mut without), (&mut pooled, &mut with)];
            if round % 2 == 1 {
                turns.reverse();
            }
            for (server, times) in turns {
                let sample = server.window(plan, scenario).await?;
                times.extend(sample.cpu_ms);
            }
        }
        costs.push(PoolerCost {
            scenario,
            direct_ms: median(without).context("nothing was measured")?,
            pooled_ms: median(with).context("nothing was measured")?,
        });
    }
    direct.process.stop().await?;
    pooled.process.stop().await?;
    Ok(costs)
}

impl Server {
    async fn start(places: &Places, name: &str, url: &str) -> Result<Self> {
        let address = free_address()?;
        let command = innkeeper(places, Algorithm::Es256, url, address.port());
        let mut process = Process::spawn(command, &places.folder_of(name)?)?;
        let site = Site {
            address,
            prefix: "",
            api_key: None,
        };
        let started = wait_for(&mut process, &site, "/settings").await;
        started.with_context(|| format!("starting {name}"))?;
        let accounts = accounts::create(&site).await.context("signing up")?;
        Ok(Self {
            process,
            site,
            accounts,
        })
    }

    async fn window(&mut self, plan: &Plan, scenario: Scenario) -> Result<Sample> {
        self.process.check()?;
        let mut requesters = Vec::new();
        for account in &self.accounts {
            let connection = Connection::open(self.site.address).await?;
            let account = account.clone();
            requesters.push(Requester::new(connection, &self.site, scenario, account));
        }
        let meter = Meter::Server(&self.process);
        let (sample, requesters) = drive(requesters, &meter, plan.window).await?;
        self.accounts = requesters.into_iter().map(Requester::account).collect();
        Ok(sample)
    }
}
