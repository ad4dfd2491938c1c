//! A PostgreSQL server of our own, for people who just want to start and for tests.
//!
//! Everything stands in one folder: the data, the generated password (mode 0600), the log and, where
//! the path is short enough for one, the socket. The server listens on loopback only and ends with
//! this process, however that ends; the data stays.

mod binaries;
mod folder;
mod previous;
mod server;

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use thiserror::Error;
use tokio::process::Child;
use tokio::time::timeout;

use self::binaries::Binaries;
use self::folder::Folder;
use self::previous::LockFile;
use crate::database::explain;
use crate::secret::Secret;

/// How long a server may take to write everything down and end.
const STOP: Duration = Duration::from_mins(1);

/// What a [`Cluster`] needs to know.
#[derive(Debug, Clone)]
pub struct ClusterOptions {
    /// The folder of the cluster and of nothing else, made if it is missing. Root gives it to the user
    /// `postgres`, who must be able to get there.
    pub data_dir: PathBuf,
    /// The port on loopback; `None` takes a free one.
    pub port: Option<u16>,
    /// Whether committed data must survive a power cut. Tests run faster without.
    pub durable: bool,
    /// Further server settings, by name.
    pub settings: Vec<(String, String)>,
    /// Whether the folder goes away when the server ends.
    pub remove: bool,
}

impl ClusterOptions {
    /// Options for a cluster that lasts, on a free port.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            port: None,
            durable: true,
            settings: Vec::new(),
            remove: false,
        }
    }
}

/// Why there is no cluster.
#[derive(Debug, Error)]
pub enum ClusterError {
    /// No PostgreSQL is installed.
    #[error(
        "PostgreSQL is not installed: initdb and postgres were found neither in PATH nor where \
         packages put them"
    )]
    NotInstalled,
    /// The data was written by another release of PostgreSQL.
    #[error(
        "the data in {folder} was written by PostgreSQL {data}, but only {installed} is installed; \
         install {data} or choose another folder"
    )]
    Version {
        /// The folder of the data.
        folder: PathBuf,
        /// The major version that wrote it.
        data: String,
        /// The major versions found.
        installed: String,
    },
    /// We are root and there is nobody to run the server as.
    #[error("PostgreSQL refuses to run as root, and there is no user `postgres` or `nobody`")]
    NoUser,
    /// The server's user cannot get to the folder.
    #[error("user {uid}, whom PostgreSQL runs as, cannot enter {blocked} on the way to {folder}")]
    OutOfReach {
        /// The folder of the cluster.
        folder: PathBuf,
        /// The folder above it that only its owner may enter.
        blocked: PathBuf,
        /// The number of the user.
        uid: u32,
    },
    /// A folder or file cannot be used.
    #[error("{path}: {error}")]
    File {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// Another process serves this folder.
    #[error("process {pid} serves {folder} already")]
    Running {
        /// The folder of the data.
        folder: PathBuf,
        /// The process.
        pid: i32,
    },
    /// The server or `initdb` ended in place of starting.
    #[error("{program} failed: {output}")]
    Failed {
        /// Which program.
        program: &'static str,
        /// The end of what it printed.
        output: String,
    },
    /// The server runs but does not answer.
    #[error("PostgreSQL did not become ready in time; its log is {log}")]
    NotReady {
        /// The server's log.
        log: PathBuf,
    },
    /// The server did not end.
    #[error("PostgreSQL did not stop in time; its log is {log}")]
    NotStopped {
        /// The server's log.
        log: PathBuf,
    },
    /// The server refused a statement.
    #[error("{}", explain(.0))]
    Sql(#[from] tokio_postgres::Error),
}

/// A running PostgreSQL server. It stops when this is dropped; [`Cluster::stop`] also waits for it.
#[derive(Debug)]
pub struct Cluster {
    folder: Folder,
    port: u16,
    password: Secret<String>,
    child: Child,
    /// While we hold this end of a pipe the server runs.
    leash: Option<OwnedFd>,
}

/// The newest release of PostgreSQL on this machine, if there is one.
pub fn installed_version() -> Option<u32> {
    Binaries::newest().map(|binaries| binaries.major())
}

impl Cluster {
    /// Starts the server of a folder and waits until it answers. Data that is not there is created; a
    /// server that was killed in the middle of its work recovers.
    pub async fn start(options: ClusterOptions) -> Result<Self, ClusterError> {
        let folder = Folder::prepare(&options.data_dir)?;
        let binaries = Binaries::find(&folder)?;
        let password = folder.password()?;
        if !folder.is_initialized() {
            server::initialize(&folder, &binaries, options.durable).await?;
        }
        previous::make_way(&folder).await?;
        let (child, leash, port) = server::start(&folder, &binaries, &options, &password).await?;
        Ok(Self {
            folder,
            port,
            password,
            child,
            leash: Some(leash),
        })
    }

    /// The URL of one of the cluster's databases. It holds the password.
    pub fn url(&self, database: &str) -> String {
        server::url(self.port, self.password.reveal(), database)
    }

    /// The port on loopback.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The folder of the cluster.
    pub fn data_dir(&self) -> &Path {
        self.folder.root()
    }

    /// The id of the server's first process.
    pub fn pid(&self) -> Option<u32> {
        let lock = LockFile::read(&self.folder)?;
        u32::try_from(lock.pid.as_raw_nonzero().get()).ok()
    }

    /// Creates a database if it is not there.
    pub async fn ensure_database(&self, name: &str) -> Result<(), ClusterError> {
        server::ensure_database(&self.url("postgres"), name).await
    }

    /// Stops the server: connections end, everything is written down.
    pub async fn stop(mut self) -> Result<(), ClusterError> {
        drop(self.leash.take());
        match timeout(STOP, self.child.wait()).await {
            Ok(status) => self.stopped(status),
            Err(_) => Err(ClusterError::NotStopped {
                log: self.folder.log(),
            }),
        }
    }

    /// The server's log.
    pub fn log(&self) -> PathBuf {
        self.folder.log()
    }

    /// Waits until the server ends although nobody stopped it.
    pub async fn ended(&mut self) {
        // A child that cannot be waited for is not there any more.
        let _ = self.child.wait().await;
    }

    /// Deletes a cluster and its data. Waits for an earlier server that is about to end.
    pub async fn delete(data_dir: &Path) -> Result<(), ClusterError> {
        let wrap = |error| ClusterError::File {
            path: data_dir.to_owned(),
            error,
        };
        if !data_dir.exists() {
            return Ok(());
        }
        let folder = Folder::existing(data_dir).map_err(wrap)?;
        previous::make_way(&folder).await?;
        std::fs::remove_dir_all(folder.root()).map_err(wrap)
    }

    fn stopped(&self, status: io::Result<ExitStatus>) -> Result<(), ClusterError> {
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(ClusterError::Failed {
                program: "postgres",
                output: format!("{status}\n{}", self.folder.log_end()),
            }),
            Err(error) => Err(ClusterError::File {
                path: self.folder.root().to_owned(),
                error,
            }),
        }
    }
}
