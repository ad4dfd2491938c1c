//! The benchmarked servers, and how they are started.

use std::fmt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use innkeeper_service::cluster::Cluster;
use tokio::time::{Instant, sleep};

use crate::Plan;
use crate::accounts::{self, Account};
use crate::bare::Limits;
use crate::http::{Connection, Site};
use crate::load::Sample;
use crate::places::Places;
use crate::process::{Process, free_address};
use crate::results::{IDLE, Results, RowName};

/// How long a server may take to its first response, including migrations.
const READY: Duration = Duration::from_mins(1);
/// The pause before the memory of a new server is measured.
const SETTLE: Duration = Duration::from_secs(1);
/// The lifetime of access tokens, longer than any run.
const TOKEN_SECONDS: u32 = 24 * 3600;
const SECRET: &str = "7f1c2e9b04d85a63b8e0c47d19f2a6535e8d0b71c94fa26e";
const API_KEY: &str = "sb_publishable_bench";

/// The program that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Subject {
    Innkeeper,
    Lite,
    Driver,
    Pgbench,
}

impl Subject {
    pub(crate) const ALL: [Self; 4] = [Self::Innkeeper, Self::Lite, Self::Driver, Self::Pgbench];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Innkeeper => "innkeeper",
            Self::Lite => "lite",
            Self::Driver => "driver",
            Self::Pgbench => "pgbench",
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The algorithm that signs access tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Algorithm {
    Es256,
    Rs256,
    Hs256,
}

impl Algorithm {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::Rs256 => "RS256",
            Self::Hs256 => "HS256",
        }
    }
}

/// A server in one configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) subject: Subject,
    pub(crate) algorithm: Algorithm,
}

impl Kind {
    pub(crate) const INNKEEPER: Self = Self {
        subject: Subject::Innkeeper,
        algorithm: Algorithm::Es256,
    };
    pub(crate) const LITE: Self = Self {
        subject: Subject::Lite,
        // The only algorithm of @supabase/lite.
        algorithm: Algorithm::Hs256,
    };

    pub(crate) fn row(self, scenario: &'static str) -> RowName {
        RowName {
            scenario,
            subject: self.subject,
            algorithm: Some(self.algorithm),
        }
    }

    /// Returns the name of its database and folder.
    pub(crate) fn label(self) -> String {
        format!("{}_{}", self.subject, self.algorithm.name()).to_lowercase()
    }

    /// Starts the server, without waiting for a response.
    pub(crate) fn spawn(
        self,
        places: &Places,
        folder: &Path,
        url: &str,
    ) -> Result<(Process, Site)> {
        let address = free_address()?;
        let (command, prefix, api_key) = match self.subject {
            Subject::Lite => {
                let command = lite(places, folder, url, address.port())?;
                (command, "/auth/v1", Some(API_KEY.to_owned()))
            }
            _ => (
                innkeeper(places, self.algorithm, url, address.port()),
                "",
                None,
            ),
        };
        let site = Site {
            address,
            prefix,
            api_key,
        };
        Ok((Process::spawn(command, folder)?, site))
    }
}

/// Creates a command whose environment has only PATH and HOME.
fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    for name in ["PATH", "HOME"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

/// Returns the command of a server with default settings, except that no mail has to be confirmed and
/// that no rate limit affects the only client.
pub(crate) fn innkeeper(places: &Places, algorithm: Algorithm, url: &str, port: u16) -> Command {
    let mut command = command(&places.innkeeper);
    command.args(["auth", "serve"]).envs([
        ("AUTH_SITE_URL", "http://127.0.0.1:3000"),
        ("AUTH_API_HOST", "127.0.0.1"),
        ("AUTH_DB_DRIVER", "postgres"),
        ("AUTH_DATABASE_URL", url),
        ("AUTH_JWT_SECRET", SECRET),
        ("AUTH_JWT_ALGORITHM", algorithm.name()),
        ("AUTH_JWT_AUD", "authenticated"),
        ("AUTH_MAILER_AUTOCONFIRM", "true"),
        ("AUTH_SMTP_HOST", "127.0.0.1"),
        ("AUTH_SMTP_PORT", "2525"),
        ("AUTH_SMTP_ADMIN_EMAIL", "admin@example.com"),
        ("AUTH_RATE_LIMIT_OTP", "1000000000"),
        ("AUTH_RATE_LIMIT_VERIFY", "1000000000"),
        ("AUTH_RATE_LIMIT_TOKEN_REFRESH", "1000000000"),
        ("AUTH_RATE_LIMIT_EMAIL_SENT", "1000000"),
    ]);
    command
        .env("AUTH_API_PORT", port.to_string())
        .env("AUTH_API_EXTERNAL_URL", format!("http://127.0.0.1:{port}"))
        .env("AUTH_JWT_EXP", TOKEN_SECONDS.to_string());
    command
}

fn lite(places: &Places, folder: &Path, url: &str, port: u16) -> Result<Command> {
    let installed = places.lite.as_ref().context("lite is not installed")?;
    let supabase = folder.join("supabase");
    std::fs::create_dir_all(&supabase)?;
    let config = format!(
        "[api]\nport = {port}\n\n[db]\ndriver = \"postgres\"\nurl = \"{url}\"\n\n\
         [auth]\nenabled = true\njwt_secret = \"{SECRET}\"\njwt_expiry = {TOKEN_SECONDS}\n\
         enable_signup = true\npublishable_key = \"{API_KEY}\"\nsecret_key = \"sb_secret_bench\"\n\n\
         [auth.email]\nenable_confirmations = false\n"
    );
    std::fs::write(supabase.join("config.toml"), config)?;
    let mut command = command("node");
    command
        .arg(installed.join("node_modules/@supabase/lite/dist/cli/index.js"))
        .args(["--no-telemetry", "start", "--no-admin"])
        .env("LITE_TELEMETRY", "0")
        .env("NODE_ENV", "production");
    Ok(command)
}

/// Sends requests until the status is 200.
pub(crate) async fn wait_for(process: &mut Process, site: &Site, path: &str) -> Result<()> {
    let start = Instant::now();
    let request = site.get(path, None);
    while start.elapsed() < READY {
        if is_ok(site, &request).await {
            return Ok(());
        }
        process.check()?;
        sleep(Duration::from_millis(2)).await;
    }
    bail!("no 200 from {path}")
}

async fn is_ok(site: &Site, request: &[u8]) -> bool {
    match Connection::open(site.address).await {
        Ok(mut connection) => connection.ask_ok(request).await.is_ok(),
        Err(_) => false,
    }
}

/// A running server with signed-up users.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) kind: Kind,
    pub(crate) site: Site,
    pub(crate) process: Process,
    pub(crate) accounts: Vec<Account>,
}

/// All servers and limits, ready to be measured.
pub(crate) struct Stand {
    pub(crate) servers: Vec<Running>,
    pub(crate) limits: Option<Limits>,
}

impl Stand {
    pub(crate) async fn stop(self) -> Result<()> {
        drop(self.limits);
        for server in self.servers {
            server.process.stop().await?;
        }
        Ok(())
    }
}

/// Starts all servers, each on its own database, and signs users up.
pub(crate) async fn stand_up(
    plan: &Plan,
    cluster: &Cluster,
    results: &mut Results,
) -> Result<Stand> {
    let mut servers = Vec::new();
    for algorithm in [Algorithm::Es256, Algorithm::Rs256, Algorithm::Hs256] {
        let kind = Kind {
            algorithm,
            ..Kind::INNKEEPER
        };
        servers.push(begin(plan, cluster, kind, results).await?);
    }
    if plan.has(Subject::Lite) {
        servers.push(begin(plan, cluster, Kind::LITE, results).await?);
    }
    let wants_limits = plan.has(Subject::Driver) || plan.has(Subject::Pgbench);
    let limits = if wants_limits {
        // The same tables with the same rows.
        Some(Limits::new(&cluster.url(&Kind::INNKEEPER.label())).await?)
    } else {
        None
    };
    Ok(Stand { servers, limits })
}

async fn begin(
    plan: &Plan,
    cluster: &Cluster,
    kind: Kind,
    results: &mut Results,
) -> Result<Running> {
    let label = kind.label();
    cluster.ensure_database(&label).await?;
    let folder = plan.places.folder_of(&label)?;
    let start = async || -> Result<(Process, Site)> {
        let (mut process, site) = kind.spawn(&plan.places, &folder, &cluster.url(&label))?;
        let started = wait_for(&mut process, &site, "/settings").await;
        started.with_context(|| format!("starting {label}"))?;
        Ok((process, site))
    };
    // The first start creates the tables, which is not measured.
    let (first, _) = start().await?;
    first.stop().await?;
    let (process, site) = start().await?;
    sleep(SETTLE).await;
    let idle = Sample {
        rss_kb: Some(process.family()?.resident()?),
        ..Sample::default()
    };
    results.add(kind.row(IDLE), idle);
    let accounts = accounts::create(&site).await.context(label)?;
    Ok(Running {
        kind,
        site,
        process,
        accounts,
    })
}
