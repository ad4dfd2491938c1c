//! Paths of the benchmark, and the private PostgreSQL.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use innkeeper_service::cluster::{Cluster, ClusterError, ClusterOptions};

/// Paths of programs and results.
#[derive(Debug)]
pub(crate) struct Places {
    /// Innkeeper's binary.
    pub(crate) innkeeper: PathBuf,
    /// nginx's binary.
    pub(crate) nginx: PathBuf,
    /// The server with machines, and the peer of its consoles. They are built beside this program.
    pub(crate) hosting_server: PathBuf,
    pub(crate) console_peer: PathBuf,
    /// `target/bench` of the repository, the folder of results.
    pub(crate) output: PathBuf,
}

impl Places {
    pub(crate) fn find(innkeeper: &Path, nginx: &Path) -> Result<Self> {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let repository = repository
            .canonicalize()
            .context("finding the repository")?;
        for binary in [innkeeper, nginx] {
            ensure!(binary.is_file(), "there is no {}", binary.display());
        }
        let output = repository.join("target/bench");
        fs::create_dir_all(&output).context("creating target/bench")?;
        let own = std::env::current_exe().context("finding this program")?;
        Ok(Self {
            hosting_server: own.with_file_name("bench-hosting-server"),
            console_peer: own.with_file_name("bench-console-axum"),
            innkeeper: innkeeper.canonicalize()?,
            nginx: nginx.canonicalize()?,
            output,
        })
    }

    /// Creates an empty folder.
    pub(crate) fn empty(&self, name: &str) -> Result<PathBuf> {
        let folder = self.output.join("hosting").join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).context("emptying a folder of an earlier run")?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
        Ok(folder)
    }

    /// Starts a new PostgreSQL with the durability of production.
    pub(crate) async fn start_cluster(&self) -> Result<Cluster> {
        let name = format!("hosting-postgres-{}", std::process::id());
        match start(self.output.join(&name)).await {
            // The user `postgres` cannot enter the repository's folder.
            Err(ClusterError::OutOfReach { .. }) => {
                Ok(start(std::env::temp_dir().join(name)).await?)
            }
            started => Ok(started?),
        }
    }
}

async fn start(data_dir: PathBuf) -> Result<Cluster, ClusterError> {
    Cluster::start(ClusterOptions {
        durable: true,
        remove: true,
        ..ClusterOptions::new(data_dir)
    })
    .await
}
