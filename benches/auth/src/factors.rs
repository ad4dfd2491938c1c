//! The cost of second factors and passkeys.
//!
//! Only one request of each sign-in is measured: those before it have taken place when the clock is read.

use anyhow::{Context, Result};
use innkeeper_service::cluster::Cluster;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::Plan;
use crate::accounts::CONNECTIONS;
use crate::authenticator::{ORIGIN, Passkey, RP_ID, code, current_step};
use crate::http::{Connection, Site, member, text};
use crate::process::{Process, free_address};
use crate::provider::StepCost;
use crate::results::median;
use crate::scenario::sign_up_body;
use crate::server::{Algorithm, innkeeper, wait_for};
use crate::trips::Relay;

/// Requests of each connection in one round. Each code of an app needs a user of its own, because a code works once.
const REQUESTS: usize = 20;
/// Requests whose round trips are counted; the median is reported.
const COUNTED: usize = 15;

/// The request that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measured {
    /// The challenge of an authenticator app.
    Challenge,
    /// Its code, which raises the session to the second level.
    Code,
    /// The challenge of a sign-in by passkey.
    Options,
    /// Its answer, which opens a session.
    Passkey,
}

impl Measured {
    const ALL: [Self; 4] = [Self::Challenge, Self::Code, Self::Options, Self::Passkey];

    fn name(self) -> &'static str {
        match self {
            Self::Challenge => "authenticator app, challenge",
            Self::Code => "authenticator app, code",
            Self::Options => "passkey, options",
            Self::Passkey => "passkey, sign-in",
        }
    }
}

/// The results of this benchmark.
#[derive(Debug)]
pub(crate) struct FactorCosts {
    pub(crate) steps: Vec<StepCost>,
    /// Processor time of checking the signature of a passkey, in milliseconds. A sign-in contains it.
    pub(crate) check_ms: f64,
}

impl FactorCosts {
    /// Returns the processor time of the costliest request, besides the signature check.
    pub(crate) fn most_cpu_ms(&self) -> Option<f64> {
        let besides = |step: &StepCost| {
            let has_check = step.name == Measured::Passkey.name();
            step.cpu_ms - if has_check { self.check_ms } else { 0.0 }
        };
        self.steps.iter().map(besides).reduce(f64::max)
    }
}

/// Runs the benchmark.
pub(crate) async fn measure(plan: &Plan, cluster: &Cluster) -> Result<FactorCosts> {
    let relay = Relay::start(cluster.port()).await?;
    let relayed = Server::start(plan, cluster, "factors_relayed", Some(&relay)).await?;
    let mut server = Server::start(plan, cluster, "factors", None).await?;
    let mut costs: Vec<_> = Measured::ALL.map(|measured| (measured, Vec::new())).into();
    for _ in 0..plan.rounds {
        for (measured, times) in &mut costs {
            let time = server.cpu_ms(*measured).await;
            times.push(time.with_context(|| measured.name())?);
        }
    }
    let check_ms = Visitor::open(server.site.clone())
        .await?
        .add_passkey()
        .await?
        .check_ms()?;
    let mut steps = Vec::new();
    for (measured, times) in costs {
        steps.push(StepCost {
            name: measured.name(),
            trips: relayed.trips(measured, &relay).await?,
            cpu_ms: median(times).context("nothing was measured")?,
        });
    }
    relayed.process.stop().await?;
    server.process.stop().await?;
    Ok(FactorCosts { steps, check_ms })
}

/// A server with second factors and passkeys.
struct Server {
    process: Process,
    site: Site,
}

impl Server {
    async fn start(
        plan: &Plan,
        cluster: &Cluster,
        name: &str,
        relay: Option<&Relay>,
    ) -> Result<Self> {
        cluster.ensure_database(name).await?;
        let mut url = cluster.url(name);
        if let Some(relay) = relay {
            url = relay.url(&url, cluster.port());
        }
        let address = free_address()?;
        let mut command = innkeeper(&plan.places, Algorithm::Es256, &url, address.port());
        command.envs([
            ("AUTH_MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY", "1000000000"),
            ("AUTH_RATE_LIMIT_PASSKEY", "1000000000"),
            ("AUTH_PASSKEY_ENABLED", "true"),
            ("AUTH_WEBAUTHN_RP_ID", RP_ID),
            ("AUTH_WEBAUTHN_RP_ORIGINS", ORIGIN),
        ]);
        let mut process = Process::spawn(command, &plan.places.folder_of(name)?)?;
        let site = Site {
            address,
            prefix: "",
            api_key: None,
        };
        wait_for(&mut process, &site, "/settings").await?;
        Ok(Self { process, site })
    }

    /// Returns the processor time per request.
    async fn cpu_ms(&mut self, measured: Measured) -> Result<f64> {
        self.process.check()?;
        let mut preparing = JoinSet::new();
        for _ in 0..CONNECTIONS {
            let site = self.site.clone();
            preparing.spawn_local(async move { Visitor::prepared(site, measured, REQUESTS).await });
        }
        let mut visitors = Vec::new();
        while let Some(prepared) = preparing.join_next().await {
            visitors.push(prepared.context("a worker panicked")??);
        }
        let family = self.process.family()?;
        let before = family.cpu_time()?;
        let mut running = JoinSet::new();
        for mut visitor in visitors {
            running.spawn_local(async move { visitor.send_all().await });
        }
        while let Some(finished) = running.join_next().await {
            finished.context("a worker panicked")??;
        }
        let cpu = family.cpu_time()?.saturating_sub(before);
        let count = u32::try_from(CONNECTIONS * REQUESTS)?;
        Ok(cpu.as_secs_f64() * 1000.0 / f64::from(count))
    }

    /// Returns the round trips to the database.
    async fn trips(&self, measured: Measured, relay: &Relay) -> Result<usize> {
        let mut counts = Vec::new();
        for _ in 0..COUNTED {
            let mut visitor = Visitor::prepared(self.site.clone(), measured, 1).await?;
            let before = relay.count();
            visitor.send_all().await?;
            counts.push(relay.count() - before);
        }
        counts.sort_unstable();
        counts.get(COUNTED / 2).copied().context("nothing counted")
    }
}

/// One connection, and the requests that it has prepared.
#[derive(Debug)]
struct Visitor {
    connection: Connection,
    site: Site,
    requests: Vec<Vec<u8>>,
}

impl Visitor {
    async fn open(site: Site) -> Result<Self> {
        Ok(Self {
            connection: Connection::open(site.address).await?,
            site,
            requests: Vec::new(),
        })
    }

    /// Opens a connection, and goes through everything that precedes the measured requests.
    async fn prepared(site: Site, measured: Measured, count: usize) -> Result<Self> {
        let mut visitor = Self::open(site).await?;
        match measured {
            Measured::Challenge | Measured::Code => {
                for _ in 0..count {
                    let request = visitor.with_app(measured).await?;
                    visitor.requests.push(request);
                }
            }
            Measured::Options => {
                let request = visitor.site.post("/passkeys/authentication/options", "{}");
                visitor.requests = vec![request; count];
            }
            Measured::Passkey => {
                let mut passkey = visitor.add_passkey().await?;
                for _ in 0..count {
                    let request = visitor.with_passkey(&mut passkey).await?;
                    visitor.requests.push(request);
                }
            }
        }
        Ok(visitor)
    }

    /// Signs up somebody with an authenticator app, and returns the request that is measured.
    async fn with_app(&mut self, measured: Measured) -> Result<Vec<u8>> {
        let token = self.sign_up().await?;
        let body = json!({ "factor_type": "totp" });
        let enrolled = self.ask("/factors", &token, &body).await?;
        let factor = text(&enrolled, "/id")?;
        let secret = text(&enrolled, "/totp/secret")?;
        let (challenge, verify) = (
            format!("/factors/{factor}/challenge"),
            format!("/factors/{factor}/verify"),
        );
        let step = current_step();
        let answer = |challenge: &Value, step: i64| -> Result<Value> {
            Ok(json!({ "challenge_id": text(challenge, "/id")?, "code": code(secret, step)? }))
        };
        let begun = self.ask(&challenge, &token, &json!({})).await?;
        let verified = self.ask(&verify, &token, &answer(&begun, step)?).await?;
        let token = text(&verified, "/access_token")?;
        if measured == Measured::Challenge {
            return Ok(self.site.post_as(token, &challenge, "{}"));
        }
        let begun = self.ask(&challenge, token, &json!({})).await?;
        let body = answer(&begun, step + 1)?.to_string();
        Ok(self.site.post_as(token, &verify, &body))
    }

    /// Signs up somebody, and adds a passkey to the account.
    async fn add_passkey(&mut self) -> Result<Passkey> {
        let token = self.sign_up().await?;
        let options = "/passkeys/registration/options";
        let started = self.ask(options, &token, &json!({})).await?;
        let (passkey, credential) = Passkey::create(started.get("options").context("no options")?)?;
        let body =
            json!({ "challenge_id": text(&started, "/challenge_id")?, "credential": credential });
        let verify = "/passkeys/registration/verify";
        self.ask(verify, &token, &body).await?;
        Ok(passkey)
    }

    /// Begins a sign-in, and returns the request that completes it.
    async fn with_passkey(&mut self, passkey: &mut Passkey) -> Result<Vec<u8>> {
        let request = self.site.post("/passkeys/authentication/options", "{}");
        let started: Value = serde_json::from_str(self.connection.ask_ok(&request).await?)?;
        let credential = passkey.sign(started.get("options").context("no options")?)?;
        let body =
            json!({ "challenge_id": text(&started, "/challenge_id")?, "credential": credential });
        let verify = "/passkeys/authentication/verify";
        Ok(self.site.post(verify, &body.to_string()))
    }

    /// Signs up a new user, and returns the access token.
    async fn sign_up(&mut self) -> Result<String> {
        let email = format!("new-{}@example.com", uuid::Uuid::new_v4().simple());
        let request = self.site.post("/signup", &sign_up_body(&email));
        let body = self.connection.ask_ok(&request).await?;
        Ok(member(body, "access_token")?.to_owned())
    }

    async fn ask(&mut self, path: &str, token: &str, body: &Value) -> Result<Value> {
        let request = self.site.post_as(token, path, &body.to_string());
        let answer = self.connection.ask_ok(&request).await;
        Ok(serde_json::from_str(
            answer.with_context(|| path.to_owned())?,
        )?)
    }

    /// Sends the requests that are prepared.
    async fn send_all(&mut self) -> Result<()> {
        for request in std::mem::take(&mut self.requests) {
            self.connection.ask_ok(&request).await?;
        }
        Ok(())
    }
}
