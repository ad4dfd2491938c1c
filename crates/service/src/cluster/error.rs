//! The errors of a cluster.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::database::explain;

/// Why a cluster could not be started, stopped or deleted.
#[derive(Debug, Error)]
pub enum ClusterError {
    /// No PostgreSQL is installed.
    #[error(
        "PostgreSQL is not installed: initdb and postgres are neither in PATH nor in the usual \
         folders"
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
        /// The installed major versions.
        installed: String,
    },
    /// This process runs as root, and there is no other user to run the server as.
    #[error("PostgreSQL refuses to run as root, and there is no user `postgres` or `nobody`")]
    NoUser,
    /// The server's user cannot enter the folder.
    #[error("PostgreSQL runs as user {uid}, who cannot enter {blocked}, a parent of {folder}")]
    OutOfReach {
        /// The folder of the cluster.
        folder: PathBuf,
        /// The parent folder that the user may not enter.
        blocked: PathBuf,
        /// The user's id.
        uid: u32,
    },
    /// A folder or file cannot be used.
    #[error("{path}: {error}")]
    File {
        /// Its path.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// Another process uses this folder.
    #[error("process {pid} already uses {folder}")]
    Running {
        /// The folder of the data.
        folder: PathBuf,
        /// The id of the process.
        pid: i32,
    },
    /// The server or `initdb` failed.
    #[error("{program} failed: {output}")]
    Failed {
        /// The program.
        program: &'static str,
        /// The end of its output.
        output: String,
    },
    /// The server runs but does not respond.
    #[error("PostgreSQL did not become ready in time; its log is {log}")]
    NotReady {
        /// The server's log.
        log: PathBuf,
    },
    /// The server did not stop.
    #[error("PostgreSQL did not stop in time; its log is {log}")]
    NotStopped {
        /// The server's log.
        log: PathBuf,
    },
    /// The server rejected a statement.
    #[error("{}", explain(.0))]
    Sql(#[from] tokio_postgres::Error),
}
