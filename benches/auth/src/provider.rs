//! The cost of sign-ins with an external provider, and what providers that do not answer cost other requests.
//!
//! Only the last step of each sign-in is measured: those before it have taken place when the clock is read.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use innkeeper_service::cluster::Cluster;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::Plan;
use crate::accounts::{self, Account, CONNECTIONS};
use crate::http::{Connection, Site, member};
use crate::keycloak::{Keycloak, UNANSWERED};
use crate::load::{Meter, drive};
use crate::measure::Requester;
use crate::process::{Process, free_address};
use crate::results::median;
use crate::scenario::Scenario;
use crate::server::{Algorithm, innkeeper, wait_for};
use crate::trips::Relay;

/// Sign-ins of each connection in one round.
const SIGN_INS: usize = 60;
/// Callbacks that wait for a provider while other requests are measured.
const WAITING: usize = 1000;
const PATIENCE: Duration = Duration::from_secs(30);
/// A verifier, and the base64url text of its SHA-256 hash.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// The cost of one kind of request.
#[derive(Debug)]
pub(crate) struct StepCost {
    pub(crate) name: &'static str,
    /// Round trips to the database.
    pub(crate) trips: usize,
    /// Processor time of the server per request, in milliseconds.
    pub(crate) cpu_ms: f64,
}

/// The results of this benchmark.
#[derive(Debug)]
pub(crate) struct ProviderCosts {
    pub(crate) steps: Vec<StepCost>,
    /// The 99th percentile of `GET /user` in milliseconds, without waiting callbacks and with them.
    pub(crate) user_p99_ms: (f64, f64),
}

/// The last step of a sign-in of a user who has signed in before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastStep {
    /// The browser comes back, and gets a session.
    Callback,
    /// The browser comes back, and gets a code.
    CallbackWithCode,
    /// The client exchanges the code.
    Exchange,
}

impl LastStep {
    const ALL: [Self; 3] = [Self::Callback, Self::CallbackWithCode, Self::Exchange];

    fn name(self) -> &'static str {
        match self {
            Self::Callback => "callback, session",
            Self::CallbackWithCode => "callback, code",
            Self::Exchange => "exchange of the code",
        }
    }
}

/// Allows this process as many open files as it may have: it is the browsers and the provider at once.
fn raise_file_limit() -> Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    setrlimit(Resource::Nofile, raised).context("raising the limit of open files")
}

/// Runs the benchmark.
pub(crate) async fn measure(plan: &Plan, cluster: &Cluster) -> Result<ProviderCosts> {
    raise_file_limit()?;
    let provider = Keycloak::start()?;
    let relay = Relay::start(cluster.port()).await?;
    let relayed = Server::start(plan, cluster, &provider, "provider_relayed", Some(&relay)).await?;
    let mut server = Server::start(plan, cluster, &provider, "provider", None).await?;
    let mut steps = Vec::new();
    for step in LastStep::ALL {
        let mut costs = Vec::new();
        for _ in 0..plan.rounds {
            costs.push(server.cpu_ms(step).await.with_context(|| step.name())?);
        }
        steps.push(StepCost {
            name: step.name(),
            trips: relayed.trips(step, &relay).await?,
            cpu_ms: median(costs).context("nothing was measured")?,
        });
    }
    relayed.process.stop().await?;
    let mut idle = Server::start(plan, cluster, &provider, "provider_idle", None).await?;
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..plan.rounds {
        without.push(idle.user_p99_ms(plan).await?);
        let waiting = server.wait_for_provider(&provider).await?;
        with.push(server.user_p99_ms(plan).await?);
        drop(waiting);
    }
    idle.process.stop().await?;
    server.process.stop().await?;
    Ok(ProviderCosts {
        steps,
        user_p99_ms: (
            median(without).context("nothing was measured")?,
            median(with).context("nothing was measured")?,
        ),
    })
}

/// A server whose users can sign in with the provider.
struct Server {
    process: Process,
    site: Site,
    accounts: Vec<Account>,
}

impl Server {
    async fn start(
        plan: &Plan,
        cluster: &Cluster,
        provider: &Keycloak,
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
        command
            // Long enough for all callbacks that wait to be under way at once.
            .env("AUTH_API_MAX_REQUEST_DURATION", "200s")
            .env("AUTH_INTERNAL_HTTP_TIMEOUT", "90s")
            .env("AUTH_EXTERNAL_KEYCLOAK_ENABLED", "true")
            .env("AUTH_EXTERNAL_KEYCLOAK_CLIENT_ID", "bench")
            .env("AUTH_EXTERNAL_KEYCLOAK_SECRET", "bench-secret")
            .env(
                "AUTH_EXTERNAL_KEYCLOAK_URL",
                format!("http://{}", provider.address),
            )
            .env(
                "AUTH_EXTERNAL_KEYCLOAK_REDIRECT_URI",
                format!("http://{address}/callback"),
            );
        let mut process = Process::spawn(command, &plan.places.folder_of(name)?)?;
        let site = Site {
            address,
            prefix: "",
            api_key: None,
        };
        wait_for(&mut process, &site, "/settings").await?;
        let accounts = accounts::create(&site).await?;
        Ok(Self {
            process,
            site,
            accounts,
        })
    }

    /// Returns the processor time per request of a step.
    async fn cpu_ms(&mut self, step: LastStep) -> Result<f64> {
        self.process.check()?;
        let mut connections = Vec::new();
        for number in 0..CONNECTIONS {
            let mut browser = Browser::open(&self.site, number).await?;
            browser.prepare(step, SIGN_INS).await?;
            connections.push(browser);
        }
        let family = self.process.family()?;
        let before = family.cpu_time()?;
        let mut running = JoinSet::new();
        for mut browser in connections {
            running.spawn_local(async move { browser.finish_all(step).await });
        }
        while let Some(finished) = running.join_next().await {
            finished.context("a worker panicked")??;
        }
        let cpu = family.cpu_time()?.saturating_sub(before);
        let count = u32::try_from(CONNECTIONS * SIGN_INS)?;
        Ok(cpu.as_secs_f64() * 1000.0 / f64::from(count))
    }

    /// Returns the round trips to the database of a step.
    async fn trips(&self, step: LastStep, relay: &Relay) -> Result<usize> {
        let mut browser = Browser::open(&self.site, 0).await?;
        let mut counts = Vec::new();
        for _ in 0..SIGN_INS {
            browser.prepare(step, 1).await?;
            let before = relay.count();
            browser.finish_all(step).await?;
            counts.push(relay.count() - before);
        }
        counts.sort_unstable();
        counts.get(SIGN_INS / 2).copied().context("nothing counted")
    }

    /// Starts callbacks for which the provider has no answer.
    async fn wait_for_provider(&self, provider: &Keycloak) -> Result<JoinSet<Result<()>>> {
        let before = provider.unanswered();
        let mut waiting = JoinSet::new();
        for number in 0..WAITING {
            let site = self.site.clone();
            waiting.spawn_local(async move {
                let mut browser = Browser::open(&site, number).await?;
                browser.code = format!("{UNANSWERED}{number}");
                browser.prepare(LastStep::Callback, 1).await?;
                browser.finish_all(LastStep::Callback).await
            });
        }
        let start = Instant::now();
        while provider.unanswered() - before < WAITING {
            if let Some(ended) = waiting.try_join_next() {
                ended.context("a worker panicked")??;
            }
            ensure!(
                start.elapsed() < PATIENCE,
                "only {} callbacks wait for the provider",
                provider.unanswered() - before
            );
            sleep(Duration::from_millis(10)).await;
        }
        Ok(waiting)
    }

    async fn user_p99_ms(&mut self, plan: &Plan) -> Result<f64> {
        let mut requesters = Vec::new();
        for account in self.accounts.iter().take(CONNECTIONS) {
            let connection = Connection::open(self.site.address).await?;
            let account = account.clone();
            requesters.push(Requester::new(
                connection,
                &self.site,
                Scenario::User,
                account,
            ));
        }
        let meter = Meter::Server(&self.process);
        let (sample, _) = drive(requesters, &meter, plan.window).await?;
        Ok(sample.p99_ms)
    }
}

/// The browser of one user, and the requests that it has prepared.
#[derive(Debug)]
struct Browser {
    connection: Connection,
    site: Site,
    /// What the provider has given the user.
    code: String,
    requests: Vec<Vec<u8>>,
}

impl Browser {
    async fn open(site: &Site, number: usize) -> Result<Self> {
        let connection = Connection::open(site.address).await?;
        Ok(Self {
            connection,
            site: site.clone(),
            code: format!("guest-{number}"),
            requests: Vec::new(),
        })
    }

    /// Goes through sign-ins up to their last step.
    async fn prepare(&mut self, step: LastStep, count: usize) -> Result<()> {
        for _ in 0..count {
            let challenge = match step {
                LastStep::Callback => String::new(),
                _ => format!("&code_challenge={CHALLENGE}&code_challenge_method=s256"),
            };
            let path = format!("/authorize?provider=keycloak{challenge}");
            let at = self.redirect(&self.site.get(&path, None)).await?;
            let state = parameter(&at, "state")?;
            let callback = format!("/callback?state={state}&code={}", self.code);
            let mut request = self.site.get(&callback, None);
            if step == LastStep::Exchange {
                let code = parameter(&self.redirect(&request).await?, "code")?.to_owned();
                let body = json!({ "auth_code": code, "code_verifier": VERIFIER });
                request = self.site.post("/token?grant_type=pkce", &body.to_string());
            }
            self.requests.push(request);
        }
        Ok(())
    }

    /// Sends the requests that are prepared.
    async fn finish_all(&mut self, step: LastStep) -> Result<()> {
        for request in std::mem::take(&mut self.requests) {
            match step {
                LastStep::Callback => {
                    let at = self.redirect(&request).await?;
                    parameter(&at, "access_token")?;
                }
                LastStep::CallbackWithCode => {
                    parameter(&self.redirect(&request).await?, "code")?;
                }
                LastStep::Exchange => {
                    member(self.connection.ask_ok(&request).await?, "access_token")?;
                }
            }
        }
        Ok(())
    }

    /// Sends a request and returns the URL of the redirect.
    async fn redirect(&mut self, request: &[u8]) -> Result<String> {
        let answer = self.connection.ask(request).await?;
        let location = answer.header("location");
        let location = location.with_context(|| format!("{}: {}", answer.status, answer.body))?;
        Ok(location.to_owned())
    }
}

/// Returns a parameter of the query or the fragment of a URL.
fn parameter<'a>(url: &'a str, name: &str) -> Result<&'a str> {
    let found = url.split(['?', '#', '&']).find_map(|pair| {
        let value = pair.strip_prefix(name)?;
        value.strip_prefix('=')
    });
    found.with_context(|| format!("no {name} in {url}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_found_in_query_and_fragment() {
        let url = "http://localhost/?code=seven&state=x#access_token=eight";
        assert_eq!(parameter(url, "code").unwrap(), "seven");
        assert_eq!(parameter(url, "access_token").unwrap(), "eight");
        assert!(parameter(url, "token").is_err());
    }
}
