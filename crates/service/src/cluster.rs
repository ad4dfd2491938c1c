//! A private PostgreSQL server, for `innkeeper up` and for tests.
//!
//! One folder holds everything: the data, the generated password (mode 0600), the log and, if its path
//! is short enough, the socket. The server listens on loopback only and ends with this process, in
//! whichever way that ends; the data is kept.

mod binaries;
mod error;
mod folder;
mod lock_file;
mod options;
mod server;

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use tokio::process::Child;
use tokio::time::timeout;

pub use self::error::ClusterError;
pub use self::options::ClusterOptions;

use self::binaries::Binaries;
use self::folder::ClusterFolder;
use self::lock_file::LockFile;
use crate::secret::Secret;

/// How long a server may take to write its data and end.
const STOP_TIMEOUT: Duration = Duration::from_mins(1);

/// A running PostgreSQL server. It stops when this value is dropped; [`Cluster::stop`] also waits for
/// the end.
#[derive(Debug)]
pub struct Cluster {
    folder: ClusterFolder,
    port: u16,
    password: Secret<String>,
    child: Child,
    /// The write end of a pipe to the supervisor, which stops the server when it is closed.
    lifetime_pipe: Option<OwnedFd>,
}

/// Returns the newest major version of PostgreSQL that is installed on this machine.
pub fn installed_version() -> Option<u32> {
    Binaries::newest().map(|binaries| binaries.major())
}

impl Cluster {
    /// Starts the server of a folder and waits until it responds. A new folder is initialised; a server
    /// that was killed recovers.
    pub async fn start(options: ClusterOptions) -> Result<Self, ClusterError> {
        let folder = ClusterFolder::prepare(&options.data_dir)?;
        let binaries = Binaries::find(&folder)?;
        let password = folder.password()?;
        if !folder.is_initialized() {
            server::initialize(&folder, &binaries, options.durable).await?;
        }
        lock_file::wait_for_previous_server(&folder).await?;
        let process = server::start(&folder, &binaries, &options, &password).await?;
        Ok(Self {
            folder,
            port: process.port,
            password,
            child: process.child,
            lifetime_pipe: Some(process.lifetime_pipe),
        })
    }

    /// Returns the URL of one of the cluster's databases, which includes the password.
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

    /// The id of the server's main process.
    pub fn pid(&self) -> Option<u32> {
        let lock = LockFile::read(&self.folder)?;
        u32::try_from(lock.pid.as_raw_nonzero().get()).ok()
    }

    /// Creates a database if it does not exist.
    pub async fn ensure_database(&self, name: &str) -> Result<(), ClusterError> {
        server::ensure_database(&self.url("postgres"), name).await
    }

    /// Stops the server: closes its connections, writes its data and waits for its end.
    pub async fn stop(mut self) -> Result<(), ClusterError> {
        drop(self.lifetime_pipe.take());
        match timeout(STOP_TIMEOUT, self.child.wait()).await {
            Ok(status) => self.check_exit(status),
            Err(_) => Err(ClusterError::NotStopped {
                log: self.folder.log(),
            }),
        }
    }

    /// The path of the server's log.
    pub fn log(&self) -> PathBuf {
        self.folder.log()
    }

    /// Waits until the server ends by itself.
    pub async fn ended(&mut self) {
        // A child that cannot be waited for has ended.
        let _ = self.child.wait().await;
    }

    /// Deletes a cluster and its data. Waits for an earlier server that is stopping.
    pub async fn delete(data_dir: &Path) -> Result<(), ClusterError> {
        if !data_dir.exists() {
            return Ok(());
        }
        Self::wait_for_end(data_dir).await?;
        let wrap = |error| ClusterError::File {
            path: data_dir.to_owned(),
            error,
        };
        let folder = ClusterFolder::existing(data_dir).map_err(wrap)?;
        std::fs::remove_dir_all(folder.root()).map_err(wrap)
    }

    /// Waits for an earlier server of a folder that is stopping, so that the folder can be moved.
    pub async fn wait_for_end(data_dir: &Path) -> Result<(), ClusterError> {
        if !data_dir.exists() {
            return Ok(());
        }
        let folder = ClusterFolder::existing(data_dir).map_err(|error| ClusterError::File {
            path: data_dir.to_owned(),
            error,
        })?;
        lock_file::wait_for_previous_server(&folder).await
    }

    fn check_exit(&self, status: io::Result<ExitStatus>) -> Result<(), ClusterError> {
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
