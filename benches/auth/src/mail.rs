//! The cost of mail for clients that wait for a response, and the delivery rate.
//!
//! Three servers share the machine and take turns: one that needs no confirmation and thus sends no
//! mail, one whose mail server accepts mail, and one whose mail server accepts connections and never
//! responds. The mails queued at the last one are then delivered to a mail server that accepts them.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use innkeeper_service::cluster::Cluster;
use innkeeper_service::smtp_sink::{SinkBehaviour, SmtpSink};
use serde_json::json;
use tokio::time::{Instant, sleep};
use tokio_postgres::NoTls;

use crate::accounts::{Account, CONNECTIONS};
use crate::http::{Connection, Site, member};
use crate::load::{Meter, Sample, Step, drive};
use crate::measure::Requester;
use crate::places::Places;
use crate::process::{Process, free_address};
use crate::results::median;
use crate::scenario::{PASSWORD, Scenario, sign_up_body};
use crate::server::{Algorithm, innkeeper, wait_for};
use crate::{Plan, sink};

/// The maximum number of rounds: the whole benchmark must take less than two minutes.
const ROUNDS: usize = 3;
/// Mails in the queue when the delivery rate is measured.
const WAITING: i64 = 5000;
/// Connections that request mails during a measurement, and the pause of each between two requests. The
/// number of mails does not depend on the mail server.
const WRITERS: (usize, Duration) = (4, Duration::from_millis(100));
/// Connections that fill the outbox. Responses are delayed to a fixed time, so a few connections would
/// take long, and no address may request more than 30 mails at once.
const FILLERS: usize = 24;
/// Longer than any step takes.
const PATIENCE: Duration = Duration::from_mins(2);
/// Requests that are measured while mails are requested.
const OTHERS: [Scenario; 3] = [Scenario::User, Scenario::Refresh, Scenario::SignIn];

/// The results of the mail benchmark.
#[derive(Debug)]
pub(crate) struct Seen {
    /// Sign-ups per second, without a mail and with one.
    pub(crate) sign_ups: (f64, f64),
    pub(crate) others: Vec<Others>,
    /// Mails delivered per minute.
    pub(crate) per_minute: f64,
}

/// Latencies of other requests while mails are requested.
#[derive(Debug)]
pub(crate) struct Others {
    pub(crate) scenario: Scenario,
    pub(crate) working: Times,
    pub(crate) silent: Times,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
}

/// Runs the mail benchmark.
pub(crate) async fn measure(plan: &Plan, cluster: &Cluster) -> Result<Seen> {
    let places = &plan.places;
    let mails = sink::start(SinkBehaviour::Accept)?;
    let nobody = sink::start(SinkBehaviour::Silent)?;
    let autoconfirm = Stand::start(places, cluster, "mail_none", None).await?;
    let mut working = Stand::start(places, cluster, "mail_working", Some(&mails)).await?;
    let mut silent = Stand::start(places, cluster, "mail_silent", Some(&nobody)).await?;
    for stand in [&mut working, &mut silent] {
        stand.populate().await?;
    }
    let sign_ups = sign_ups(plan, (&autoconfirm, &working)).await?;
    autoconfirm.process.stop().await?;
    ensure!(mails.received() > 0, "no mail arrived");
    let others = others(plan, &mut working, &mut silent).await?;
    working.process.stop().await?;
    let per_minute = empty(places, silent, &mails).await?;
    Ok(Seen {
        sign_ups,
        others,
        per_minute,
    })
}

/// Measures sign-ups without a mail and with one, in turn.
async fn sign_ups(plan: &Plan, (autoconfirm, working): (&Stand, &Stand)) -> Result<(f64, f64)> {
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for round in 0..plan.rounds.min(ROUNDS) {
        let mut turns = [(autoconfirm, &mut without), (working, &mut with)];
        if round % 2 == 1 {
            turns.reverse();
        }
        for (stand, rates) in turns {
            let newcomers = stand.connections(CONNECTIONS, Newcomer::new).await?;
            let meter = Meter::Server(&stand.process);
            let (sample, _) = drive(newcomers, &meter, plan.window).await?;
            rates.push(sample.per_s);
        }
    }
    Ok((of_all(without)?, of_all(with)?))
}

/// Measures other requests while mails are requested, with both mail servers in turn.
async fn others(plan: &Plan, working: &mut Stand, silent: &mut Stand) -> Result<Vec<Others>> {
    let mut all = Vec::new();
    for scenario in OTHERS {
        let (mut well, mut ill) = (Vec::new(), Vec::new());
        for round in 0..plan.rounds.min(ROUNDS) {
            let mut turns = [(&mut *working, &mut well), (&mut *silent, &mut ill)];
            if round % 2 == 1 {
                turns.reverse();
            }
            for (stand, samples) in turns {
                samples.push(stand.others(scenario, plan.window).await?);
            }
        }
        all.push(Others {
            scenario,
            working: Times::of(&well)?,
            silent: Times::of(&ill)?,
        });
    }
    Ok(all)
}

/// Fills the outbox of a server whose mail server does not respond, then switches to one that accepts
/// all mails; returns the number of mails delivered per minute.
async fn empty(places: &Places, silent: Stand, mails: &SmtpSink) -> Result<f64> {
    let sql = silent.sql().await?;
    loop {
        let missing = WAITING - count_waiting(&sql).await?;
        if missing <= 0 {
            break;
        }
        silent.fill(usize::try_from(missing)?).await?;
    }
    let Stand {
        name, url, process, ..
    } = silent;
    process.stop().await?;
    let (waiting, received) = (count_waiting(&sql).await?, mails.received());
    let all = received + u64::try_from(waiting)?;
    let start = Instant::now();
    let again = Stand::run(places, &name, &url, Some(mails)).await?;
    while mails.received() < all {
        ensure!(
            start.elapsed() < PATIENCE,
            "{} of {waiting} mails arrived",
            mails.received() - received
        );
        sleep(Duration::from_millis(5)).await;
    }
    let minutes = start.elapsed().as_secs_f64() / 60.0;
    again.0.stop().await?;
    Ok(f64::from(i32::try_from(waiting)?) / minutes)
}

impl Times {
    fn of(samples: &[Sample]) -> Result<Self> {
        let all = |pick: fn(&Sample) -> f64| of_all(samples.iter().map(pick).collect());
        Ok(Self {
            p50_ms: all(|sample| sample.p50_ms)?,
            p99_ms: all(|sample| sample.p99_ms)?,
        })
    }
}

fn of_all(values: Vec<f64>) -> Result<f64> {
    median(values).context("nothing was measured")
}

/// A server and its database.
struct Stand {
    name: String,
    url: String,
    process: Process,
    site: Site,
    accounts: Vec<Account>,
}

impl Stand {
    async fn start(
        places: &Places,
        cluster: &Cluster,
        name: &str,
        mails: Option<&Arc<SmtpSink>>,
    ) -> Result<Self> {
        cluster.ensure_database(name).await?;
        let url = cluster.url(name);
        let (process, site) = Self::run(places, name, &url, mails.map(AsRef::as_ref)).await?;
        Ok(Self {
            name: name.to_owned(),
            url,
            process,
            site,
            accounts: Vec::new(),
        })
    }

    async fn run(
        places: &Places,
        name: &str,
        url: &str,
        mails: Option<&SmtpSink>,
    ) -> Result<(Process, Site)> {
        let address = free_address()?;
        let mut command = innkeeper(places, Algorithm::Es256, url, address.port());
        if let Some(mails) = mails {
            command
                .env("AUTH_MAILER_AUTOCONFIRM", "false")
                .env("AUTH_SMTP_PORT", mails.address().port().to_string());
        }
        let mut process = Process::spawn(command, &places.folder_of(name)?)?;
        let site = Site {
            address,
            prefix: "",
            api_key: None,
        };
        let started = wait_for(&mut process, &site, "/settings").await;
        started.with_context(|| format!("starting {name}"))?;
        Ok((process, site))
    }

    /// Signs up one user for each connection, confirms them and signs them in.
    async fn populate(&mut self) -> Result<()> {
        let mut connection = Connection::open(self.site.address).await?;
        for number in 0..CONNECTIONS {
            let body = sign_up_body(&format!("user-{number}@example.com"));
            connection
                .ask_ok(&self.site.post("/signup", &body))
                .await
                .context("signing up")?;
        }
        let confirm = "update auth.users set email_confirmed_at = now(), confirmation_token = ''";
        self.sql().await?.batch_execute(confirm).await?;
        for number in 0..CONNECTIONS {
            let email = format!("user-{number}@example.com");
            let body = json!({ "email": email, "password": PASSWORD }).to_string();
            let request = self.site.post("/token?grant_type=password", &body);
            let answer = connection.ask_ok(&request).await.context("signing in")?;
            self.accounts.push(Account {
                access_token: member(answer, "access_token")?.to_owned(),
                refresh_token: member(answer, "refresh_token")?.to_owned(),
                email,
            });
        }
        Ok(())
    }

    async fn connections<S>(
        &self,
        number: usize,
        make: fn(Connection, Site) -> S,
    ) -> Result<Vec<S>> {
        let mut all = Vec::new();
        for _ in 0..number {
            let connection = Connection::open(self.site.address).await?;
            all.push(make(connection, self.site.clone()));
        }
        Ok(all)
    }

    /// Measures one window of other requests while mails are requested.
    async fn others(&mut self, scenario: Scenario, window: Duration) -> Result<Sample> {
        self.process.check()?;
        let mut requesters = Vec::new();
        for account in &self.accounts {
            let connection = Connection::open(self.site.address).await?;
            let account = account.clone();
            requesters.push(Requester::new(connection, &self.site, scenario, account));
        }
        let writers = self.connections(WRITERS.0, Writer::rested).await?;
        let meter = Meter::Server(&self.process);
        let (asked, written) = tokio::join!(
            drive(requesters, &meter, window),
            drive(writers, &meter, window)
        );
        written.context("asking for mails meanwhile")?;
        let (sample, requesters) = asked?;
        self.accounts = requesters.into_iter().map(Requester::account).collect();
        Ok(sample)
    }

    /// Requests this number of mails as fast as possible.
    async fn fill(&self, mails: usize) -> Result<()> {
        let mut work = tokio::task::JoinSet::new();
        for mut writer in self.connections(FILLERS, Writer::restless).await? {
            work.spawn_local(async move {
                for _ in 0..mails.div_ceil(FILLERS) {
                    writer.step().await?;
                }
                anyhow::Ok(())
            });
        }
        while let Some(done) = work.join_next().await {
            done.context("a worker panicked")?
                .context("asking for mails")?;
        }
        Ok(())
    }

    async fn sql(&self) -> Result<tokio_postgres::Client> {
        let (sql, connection) = tokio_postgres::connect(&self.url, NoTls).await?;
        tokio::spawn(connection);
        Ok(sql)
    }
}

async fn count_waiting(sql: &tokio_postgres::Client) -> Result<i64> {
    let count = "select count(*) from auth.innkeeper_outbox where state in ('waiting', 'sending')";
    Ok(sql.query_one(count, &[]).await?.try_get(0)?)
}

/// Signs up new users repeatedly.
struct Newcomer {
    connection: Connection,
    site: Site,
}

impl Newcomer {
    fn new(connection: Connection, site: Site) -> Self {
        Self { connection, site }
    }
}

impl Step for Newcomer {
    async fn step(&mut self) -> Result<()> {
        let email = format!("new-{}@example.com", uuid::Uuid::new_v4().simple());
        let request = self.site.post("/signup", &sign_up_body(&email));
        self.connection.ask_ok(&request).await?;
        Ok(())
    }
}

/// Requests mails to new addresses repeatedly.
struct Writer {
    connection: Connection,
    site: Site,
    rest: Duration,
}

impl Writer {
    fn rested(connection: Connection, site: Site) -> Self {
        Self {
            connection,
            site,
            rest: WRITERS.1,
        }
    }

    fn restless(connection: Connection, site: Site) -> Self {
        Self {
            rest: Duration::ZERO,
            ..Self::rested(connection, site)
        }
    }
}

impl Step for Writer {
    async fn step(&mut self) -> Result<()> {
        let rested = Instant::now() + self.rest;
        let email = format!("new-{}@example.com", uuid::Uuid::new_v4().simple());
        let request = self
            .site
            .post("/otp", &json!({ "email": email }).to_string());
        self.connection.ask_ok(&request).await?;
        tokio::time::sleep_until(rested).await;
        Ok(())
    }
}
