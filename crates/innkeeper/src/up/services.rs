//! Starts all services of `innkeeper up` in order, and stops them in reverse.

use std::future::pending;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::pin::pin;

use anyhow::{Context, anyhow};
use innkeeper_auth::config::Config;
use innkeeper_auth::{Auth, examine_database, migrate_database, service_token};
use innkeeper_hosting::Hosting;
use innkeeper_rest::{App, Stop};
use innkeeper_service::clock::Clock;
use innkeeper_service::cluster::Cluster;
use innkeeper_service::telemetry::{LogFormat, LogGuard, LogOptions, init_logging};

use super::arguments::Arguments;
use super::banner::ConnectionInfo;
use super::folder::DataFolder;
use super::mailbox::Mailbox;
use super::ports::Sockets;
use super::settings::{Configs, Settings};
use super::{database, fresh, hosting, machines, portal};
use crate::logging::log_options;
use crate::output::{self, Colours, with_causes};
use crate::progress;

/// Both servers, the portal, the mailbox and the database, started.
#[derive(Debug)]
pub(super) struct Services<'f> {
    folder: &'f DataFolder,
    auth: Auth,
    hosting: Hosting,
    portal: App,
    sockets: Sockets,
    mailbox: Option<Mailbox>,
    cluster: Option<Cluster>,
    is_json: bool,
    /// Whether machines are stopped at the end.
    runs_machines: bool,
    _log: LogGuard,
}

impl<'f> Services<'f> {
    /// Starts everything, writes `up.json` and prints the banner.
    pub(super) async fn start(
        arguments: &Arguments,
        folder: &'f DataFolder,
    ) -> anyhow::Result<Self> {
        folder.withdraw_announcement()?;
        let mut settings = Settings::load(folder, arguments)?;
        let configs = settings.read()?;
        // Ports first: a port in use is the most common error and is found at once.
        let mut sockets = Sockets::open(&configs, !settings.has_mail_server())?;
        if arguments.fresh {
            check_everything(&configs, &settings).await?;
            fresh::start_over(folder, settings.has_database(), arguments.yes).await?;
        }
        let log_file = log_file(folder, &configs.auth)?;
        let log = start_log(&log_file, &configs)?;
        settings.set_auth_address(&configs.auth.api.host, sockets.auth.address().port());
        let portal_url = portal::url(&sockets.portal);
        settings.set_portal(&portal_url);
        let provider = settings.add_demo_provider(&portal_url)?;
        let mailbox = open_mailbox(sockets.mailbox.take(), folder, &mut settings)?;
        write_files(arguments, folder, &mut settings)?;
        let cluster = start_cluster(folder, &mut settings).await?;
        let mut configs = settings.read()?;
        portal::allow(&mut configs, &sockets.portal);
        let (config, hosting_config) = (configs.auth, configs.hosting);
        migrate(&config).await?;
        let mut info = ConnectionInfo {
            hosting_url: hosting::url(&hosting_config, &sockets.hosting),
            portal_url,
            hosting_database_url: database_url(&hosting_config),
            content_dir: hosting_config.content.dir.clone().unwrap_or_default(),
            machines_dir: hosting_config.machines.dir.clone(),
            log_file,
            started_at: Clock::system().now(),
            auth_url: auth_url(&config),
            database_url: config.database.url.reveal().clone(),
            service_role_token: token(&config, "service_role").await?,
            anon_token: token(&config, "anon").await?,
            mail_port: mailbox.as_ref().map(Mailbox::port),
            has_cluster: cluster.is_some(),
            demo: None,
            provider,
            has_pages: config.pages.enabled,
        };
        let auth = start_auth(config).await?;
        let hosting = hosting::start(hosting_config.clone()).await?;
        if !arguments.no_machines {
            info.demo = Box::pin(machines::prepare(folder, &hosting_config, &hosting)).await;
        }
        let portal = portal::routes(&info, mailbox.as_ref(), &hosting)?;
        announce(&info, folder, arguments.json)?;
        Ok(Self {
            folder,
            auth,
            hosting,
            portal,
            sockets,
            mailbox,
            cluster,
            is_json: arguments.json,
            runs_machines: info.demo.is_some(),
            _log: log,
        })
    }

    /// Serves until `stop` is triggered or PostgreSQL ends, then stops the rest in order: machines, servers,
    /// the database.
    pub(super) async fn run(mut self, stop: Stop) -> anyhow::Result<()> {
        let printing = self
            .mailbox
            .as_ref()
            .map(|mailbox| mailbox.print(self.is_json));
        // Machines are stopped first, by the hosting server, which is still serving then.
        let closing = Stop::new();
        let (folder, machines_host) = (self.folder, self.hosting.clone());
        let runs_machines = self.runs_machines;
        let mut shutdown = pin!(async {
            stop.requested().await;
            if runs_machines {
                machines::stop(folder, &machines_host).await;
            }
            closing.now();
            pending::<()>().await;
        });
        let auth = async {
            let served = self.auth.serve(self.sockets.auth, closing.clone()).await;
            closing.now();
            served.map_err(|error| anyhow!("the auth server: {}", with_causes(&error)))
        };
        let hosting = async {
            let served = self
                .hosting
                .serve(self.sockets.hosting, closing.clone())
                .await;
            closing.now();
            served.map_err(|error| anyhow!("the hosting server: {}", with_causes(&error)))
        };
        let portal = async {
            let portal = self.sockets.portal.stop_on(closing.clone());
            let served = portal.serve(self.portal).await;
            closing.now();
            served.map_err(|error| anyhow!("the portal: {}", with_causes(&error)))
        };
        // Each triggers `closing` when it ends, so the others end too.
        let mut serving = pin!(async {
            let (auth, hosting, portal) = tokio::join!(auth, hosting, portal);
            auth.and(hosting).and(portal)
        });
        let outcome = tokio::select! {
            served = &mut serving => served,
            () = &mut shutdown => Ok(()),
            log = postgres_ended(self.cluster.as_mut()) => {
                closing.now();
                // Whatever error the servers report, PostgreSQL is the cause.
                let _ = serving.await;
                Err(anyhow!("PostgreSQL ended by itself; its log is {}", log.display()))
            }
        };
        if let Some(printing) = printing {
            printing.finish().await;
        }
        self.folder.withdraw_announcement()?;
        machines_host.close_engines().await;
        outcome?;
        if let Some(cluster) = self.cluster {
            progress::show("Stopping PostgreSQL", cluster.stop()).await?;
        }
        Ok(())
    }
}

/// Waits until the private PostgreSQL ends and returns the path of its log. Never returns when there is
/// no private PostgreSQL.
async fn postgres_ended(cluster: Option<&mut Cluster>) -> PathBuf {
    match cluster {
        Some(cluster) => {
            cluster.ended().await;
            cluster.log()
        }
        None => pending().await,
    }
}

/// Returns the path of the log: that of the settings, or a file of the data folder.
fn log_file(folder: &DataFolder, config: &Config) -> anyhow::Result<PathBuf> {
    match &config.telemetry.log_file {
        Some(file) => std::path::absolute(file).context("the log file"),
        None => folder.log(),
    }
}

/// Logs to a file, because the terminal shows the mails, and prints the warnings about the settings.
fn start_log(file: &Path, configs: &Configs) -> anyhow::Result<LogGuard> {
    let config = &configs.auth;
    let guard = init_logging(&LogOptions {
        file: Some(file.to_owned()),
        format: LogFormat::Text,
        ..log_options(&config.telemetry)
    })?;
    let warnings = config.warnings.iter().chain(&config.notices);
    for warning in warnings.chain(&configs.hosting.warnings) {
        output::tell(&format!("warning: {}", output::on_one_line(warning)));
    }
    Ok(guard)
}

/// Makes the checks that the start would make later, so that `--fresh` moves nothing if the start would fail.
async fn check_everything(configs: &Configs, settings: &Settings<'_>) -> anyhow::Result<()> {
    innkeeper_auth::check_settings(&configs.auth)
        .map_err(|error| anyhow!("the auth server: {}", with_causes(&error)))?;
    innkeeper_hosting::check_settings(&configs.hosting)
        .map_err(|error| anyhow!("the hosting server: {}", with_causes(&error)))?;
    if !settings.has_database() {
        return database::check_installed();
    }
    let examined = examine_database(&configs.auth, &Clock::system()).await;
    examined.map_err(|error| anyhow!("the database: {}", with_causes(&error)))?;
    Ok(())
}

fn open_mailbox(
    listener: Option<TcpListener>,
    folder: &DataFolder,
    settings: &mut Settings<'_>,
) -> anyhow::Result<Option<Mailbox>> {
    let Some(listener) = listener else {
        return Ok(None);
    };
    let mailbox = Mailbox::open(listener, folder.mails())?;
    settings.set_mailbox(mailbox.port());
    Ok(Some(mailbox))
}

/// Writes the settings, the demo content and the folder of the machines, where they are missing.
fn write_files(
    arguments: &Arguments,
    folder: &DataFolder,
    settings: &mut Settings<'_>,
) -> anyhow::Result<()> {
    settings.save()?;
    hosting::write_content(folder, settings)?;
    if !arguments.no_machines {
        settings.set_machines(&folder.machines()?);
    }
    Ok(())
}

async fn start_cluster(
    folder: &DataFolder,
    settings: &mut Settings<'_>,
) -> anyhow::Result<Option<Cluster>> {
    if settings.has_database() {
        return Ok(None);
    }
    let what = if folder.cluster().join("data").exists() {
        "Starting PostgreSQL"
    } else {
        "Creating a PostgreSQL database"
    };
    let cluster = progress::show(what, database::start(folder)).await?;
    cluster.ensure_database(database::NAME).await?;
    settings.set_database(cluster.url(database::NAME));
    Ok(Some(cluster))
}

/// Migrates the auth server's schema. Does not wait for a database that cannot be reached: the user who
/// named it should learn that at once.
async fn migrate(config: &Config) -> anyhow::Result<()> {
    let migrated = Box::pin(migrate_database(config));
    let migrated = progress::show("Migrating the database", migrated).await;
    migrated.map_err(|error| anyhow!("the database: {}", with_causes(&error)))?;
    Ok(())
}

async fn start_auth(config: Config) -> anyhow::Result<Auth> {
    let auth = Box::pin(Auth::start(config, Clock::system()));
    let started = progress::show("Starting the auth server", auth).await;
    started.map_err(|error| anyhow!("the auth server: {}", with_causes(&error)))
}

fn auth_url(config: &Config) -> String {
    let url = config.api.external_url.as_str();
    url.trim_end_matches('/').to_owned()
}

fn database_url(config: &innkeeper_hosting::config::Config) -> String {
    let url = config.database.url.as_ref();
    url.map(|url| url.reveal().clone()).unwrap_or_default()
}

async fn token(config: &Config, role: &str) -> anyhow::Result<String> {
    let token = service_token(config, &Clock::system(), role, None).await;
    token.map_err(|error| anyhow!("{}", with_causes(&error)))
}

/// Writes `up.json` and prints the banner.
fn announce(info: &ConnectionInfo, folder: &DataFolder, is_json: bool) -> anyhow::Result<()> {
    folder.write("up.json", &info.document())?;
    if is_json {
        let event = info.event(&folder.announcement());
        return output::print(&format!("{event}\n"));
    }
    output::print(&info.banner(folder.root(), Colours::of_stdout()))
}
