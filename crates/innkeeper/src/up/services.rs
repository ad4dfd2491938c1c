//! Starts all services of `innkeeper up` in order, and stops them in reverse.

use std::future::pending;
use std::path::PathBuf;
use std::pin::pin;

use anyhow::{Context, anyhow};
use innkeeper_auth::config::Config;
use innkeeper_auth::{Auth, migrate_database, service_token};
use innkeeper_hosting::Hosting;
use innkeeper_rest::{App, Server, Stop};
use innkeeper_service::clock::Clock;
use innkeeper_service::cluster::Cluster;
use innkeeper_service::telemetry::{LogFormat, LogGuard, LogOptions, init_logging};

use super::arguments::Arguments;
use super::banner::ConnectionInfo;
use super::folder::DataFolder;
use super::mailbox::Mailbox;
use super::settings::{Configs, Settings};
use super::{database, hosting, machines, portal};
use crate::logging::log_options;
use crate::output::{self, Colours, with_causes};
use crate::{listen, progress};

/// Both servers, the portal, the mailbox and the database, started.
#[derive(Debug)]
pub(super) struct Services<'f> {
    folder: &'f DataFolder,
    auth: Auth,
    auth_server: Server,
    hosting: Hosting,
    hosting_server: Server,
    portal: App,
    portal_server: Server,
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
        if arguments.fresh {
            progress::show("Deleting the data", folder.clear()).await?;
        }
        folder.withdraw_announcement()?;
        let mut settings = Settings::load(folder, arguments)?;
        let configs = settings.read()?;
        let log = start_log(folder, &configs)?;
        // Ports first: a port in use is the most common error and is found at once.
        let auth_server = listen_for_auth(&configs.auth, &mut settings)?;
        let hosting_server = hosting::listen(&configs.hosting)?;
        let portal_server = portal::listen(configs.portal_port)?;
        let portal_url = portal::url(&portal_server);
        settings.set_portal(&portal_url);
        let provider = settings.add_demo_provider(&portal_url)?;
        let mailbox = open_mailbox(folder, &configs.auth, &mut settings).await?;
        write_files(arguments, folder, &mut settings)?;
        let cluster = start_cluster(folder, &mut settings).await?;
        let mut configs = settings.read()?;
        portal::allow(&mut configs, &portal_server);
        let (config, hosting_config) = (configs.auth, configs.hosting);
        migrate(&config).await?;
        let mut info = ConnectionInfo {
            hosting_url: hosting::url(&hosting_config, &hosting_server),
            portal_url,
            hosting_database_url: database_url(&hosting_config),
            content_dir: hosting_config.content.dir.clone().unwrap_or_default(),
            auth_url: auth_url(&config),
            database_url: config.database.url.reveal().clone(),
            service_role_token: token(&config, "service_role").await?,
            anon_token: token(&config, "anon").await?,
            mail_port: mailbox.as_ref().map(Mailbox::port),
            has_cluster: cluster.is_some(),
            demo: None,
            provider,
        };
        let auth = start_auth(config).await?;
        let hosting = hosting::start(hosting_config.clone()).await?;
        if !arguments.no_machines {
            info.demo = machines::prepare(folder, &hosting_config, &hosting).await;
        }
        let portal = portal::routes(&info, mailbox.as_ref(), &hosting)?;
        folder.write("up.json", &info.document())?;
        announce(&info, folder, arguments.json)?;
        Ok(Self {
            folder,
            auth,
            auth_server,
            hosting,
            hosting_server,
            portal,
            portal_server,
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
            let served = self.auth.serve(self.auth_server, closing.clone()).await;
            closing.now();
            served.map_err(|error| anyhow!("the auth server: {}", with_causes(&error)))
        };
        let hosting = async {
            let served = self
                .hosting
                .serve(self.hosting_server, closing.clone())
                .await;
            closing.now();
            served.map_err(|error| anyhow!("the hosting server: {}", with_causes(&error)))
        };
        let portal = async {
            let portal = self.portal_server.stop_on(closing.clone());
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

/// Logs to a file, because the terminal shows the mails, and prints the warnings about the settings.
fn start_log(folder: &DataFolder, configs: &Configs) -> anyhow::Result<LogGuard> {
    let config = &configs.auth;
    let file = match &config.telemetry.log_file {
        Some(file) => file.clone(),
        None => folder.log()?,
    };
    let guard = init_logging(&LogOptions {
        file: Some(file),
        format: LogFormat::Text,
        ..log_options(&config.telemetry)
    })?;
    let warnings = config.warnings.iter().chain(&config.notices);
    for warning in warnings.chain(&configs.hosting.warnings) {
        output::tell(&format!("warning: {}", output::on_one_line(warning)));
    }
    Ok(guard)
}

fn listen_for_auth(config: &Config, settings: &mut Settings<'_>) -> anyhow::Result<Server> {
    let host = &config.api.host;
    let listener = listen::on(host, config.api.port).map_err(|error| {
        anyhow!("the auth server: {error}; to change the port, pass --auth-port")
    })?;
    let server = Server::from_listener(listener).context("cannot listen")?;
    settings.set_auth_address(host, server.address().port());
    Ok(server)
}

async fn open_mailbox(
    folder: &DataFolder,
    config: &Config,
    settings: &mut Settings<'_>,
) -> anyhow::Result<Option<Mailbox>> {
    if settings.has_mail_server() {
        return Ok(None);
    }
    let mailbox = Mailbox::bind(config.smtp.port, folder.mails()).await?;
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

fn announce(info: &ConnectionInfo, folder: &DataFolder, is_json: bool) -> anyhow::Result<()> {
    if is_json {
        let event = info.event(&folder.announcement());
        return output::print(&format!("{event}\n"));
    }
    output::print(&info.banner(folder.root(), Colours::of_stdout()))
}
