//! The compared servers, and how they are started.

use std::fmt;
use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::places::Places;
use crate::process::{Process, free_address};
use crate::wire::{Answer, get};

/// Loading many articles takes long on a busy machine.
const START_TIMEOUT: Duration = Duration::from_mins(10);
/// A rate limit that no load reaches.
pub(crate) const NO_LIMIT: &str = "1000000000";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Server {
    Innkeeper,
    Nginx,
}

impl Server {
    pub(crate) const ALL: [Self; 2] = [Self::Innkeeper, Self::Nginx];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Innkeeper => "innkeeper",
            Self::Nginx => "nginx",
        }
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The configuration of a server to be started.
#[derive(Debug)]
pub(crate) struct Setup<'a> {
    pub(crate) places: &'a Places,
    /// The content folder, or nginx's root. `None` means demo content.
    pub(crate) folder: Option<&'a Path>,
    pub(crate) database: Option<&'a str>,
    /// Requests are served by one thread instead of one for each processor.
    pub(crate) one_thread: bool,
    /// The file of callgrind's profile. If set, the server runs under callgrind.
    pub(crate) callgrind: Option<&'a Path>,
}

/// A server that listens on its address.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) server: Server,
    pub(crate) address: SocketAddr,
    pub(crate) process: Process,
}

impl Setup<'_> {
    /// Starts a server and waits until it listens.
    pub(crate) fn start(&self, server: Server) -> Result<Running> {
        let mut running = self.spawn(server)?;
        let start = Instant::now();
        while start.elapsed() < START_TIMEOUT {
            if TcpStream::connect(running.address).is_ok() {
                return Ok(running);
            }
            running.process.check()?;
            sleep(Duration::from_millis(1));
        }
        bail!("{server} does not listen")
    }

    /// Starts a server without waiting until it listens.
    fn spawn(&self, server: Server) -> Result<Running> {
        let address = free_address()?;
        let command = match server {
            Server::Innkeeper => self.innkeeper(address),
            Server::Nginx => self.nginx(address)?,
        };
        let log = self.places.output.join(format!("hosting-{server}.log"));
        Ok(Running {
            server,
            address,
            process: Process::spawn(command, &log)?,
        })
    }

    /// Returns Innkeeper's command. Limits are raised, not disabled; requests are not logged, as in nginx.
    fn innkeeper(&self, address: SocketAddr) -> Command {
        let mut command = self.command(&self.places.innkeeper);
        command
            .args(["hosting", "serve"])
            .env_clear()
            .current_dir(&self.places.output)
            .env("HOSTING_HOST", address.ip().to_string())
            .env("HOSTING_PORT", address.port().to_string())
            .env("HOSTING_LOG_LEVEL", "warn")
            .env("HOSTING_RATE_LIMIT_HEALTH", NO_LIMIT)
            .env("HOSTING_RATE_LIMIT_CONTENT", NO_LIMIT)
            .env("HOSTING_RATE_LIMIT_PUBLIC", NO_LIMIT);
        if self.one_thread {
            command.env("TOKIO_WORKER_THREADS", "1");
        }
        if let Some(folder) = self.folder {
            command.env("HOSTING_CONTENT_DIR", folder);
        }
        if let Some(url) = self.database {
            command.env("HOSTING_DATABASE_URL", url);
        }
        command
    }

    fn nginx(&self, address: SocketAddr) -> Result<Command> {
        let output = self.places.output.join("hosting");
        let configuration = output.join("nginx.conf");
        let root = self.folder.context("nginx has no demo content")?;
        fs::write(&configuration, nginx(&output, root, address))?;
        let mut command = self.command(&self.places.nginx);
        command.arg("-p").arg(&output).arg("-c").arg(&configuration);
        Ok(command)
    }

    fn command(&self, binary: &PathBuf) -> Command {
        let Some(out) = self.callgrind else {
            return Command::new(binary);
        };
        let mut command = Command::new("valgrind");
        command
            .arg("--tool=callgrind")
            .arg(format!("--callgrind-out-file={}", out.display()))
            .arg(binary);
        command
    }
}

/// Returns a configuration with one process on one thread, no log, and files that stay open.
fn nginx(output: &Path, root: &Path, address: SocketAddr) -> String {
    let (output, root) = (output.display(), root.display());
    format!(
        "daemon off; master_process off; worker_processes 1;
error_log stderr crit; pid {output}/nginx.pid;
events {{ worker_connections 1024; }}
http {{
    access_log off; sendfile on; tcp_nopush on; tcp_nodelay on;
    keepalive_requests 1000000000;
    open_file_cache max=100 inactive=1h; open_file_cache_valid 1h;
    gzip_static on; gzip_vary on;
    types {{ application/json json; }}
    client_body_temp_path {output}/nginx-body; proxy_temp_path {output}/nginx-proxy;
    fastcgi_temp_path {output}/nginx-fastcgi; uwsgi_temp_path {output}/nginx-uwsgi;
    scgi_temp_path {output}/nginx-scgi;
    server {{ listen {address}; root {root}; }}
}}
"
    )
}

impl Running {
    /// Waits until the status of a path is 200.
    pub(crate) fn wait_for(&mut self, target: &str) -> Result<()> {
        let request = get(target, "");
        let start = Instant::now();
        while start.elapsed() < START_TIMEOUT {
            match Answer::fetch(self.address, &request) {
                Ok(answer) if answer.status == 200 => return Ok(()),
                _ => self.process.check()?,
            }
            sleep(Duration::from_millis(1));
        }
        bail!("no 200 from {target}")
    }
}
