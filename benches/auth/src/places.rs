//! Paths of the benchmark, and the private PostgreSQL.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use innkeeper_service::cluster::{Cluster, ClusterError, ClusterOptions};

/// Paths of programs, statements and results.
#[derive(Debug)]
pub(crate) struct Places {
    /// Innkeeper's binary.
    pub(crate) innkeeper: PathBuf,
    /// The folder where npm installed @supabase/lite.
    pub(crate) lite: Option<PathBuf>,
    /// `target/bench` of the repository: results, logs, scripts.
    pub(crate) output: PathBuf,
}

impl Places {
    pub(crate) fn find(innkeeper: &Path, lite: Option<&Path>) -> Result<Self> {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let repository = repository
            .canonicalize()
            .context("finding the repository")?;
        ensure!(
            innkeeper.is_file(),
            "innkeeper is not built: no {}",
            innkeeper.display()
        );
        let output = repository.join("target/bench");
        std::fs::create_dir_all(&output).context("creating target/bench")?;
        Ok(Self {
            innkeeper: innkeeper.canonicalize()?,
            lite: lite.map(Path::canonicalize).transpose()?,
            output,
        })
    }

    /// Creates an empty folder for the settings and logs of one server.
    pub(crate) fn folder_of(&self, name: &str) -> Result<PathBuf> {
        let folder = self.output.join("auth").join(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).context("emptying a folder of an earlier run")?;
        }
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("creating {}", folder.display()))?;
        Ok(folder)
    }

    /// Starts a new PostgreSQL with the durability of production.
    pub(crate) async fn start_cluster(&self) -> Result<Cluster> {
        let name = format!("auth-postgres-{}", std::process::id());
        let beside = start(self.output.join(&name)).await;
        match beside {
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
        settings: vec![("max_connections".to_owned(), "200".to_owned())],
        ..ClusterOptions::new(data_dir)
    })
    .await
}
