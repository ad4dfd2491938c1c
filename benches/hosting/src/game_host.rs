//! A hosting server with game servers that are on, for the parts about consoles, power and keys.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use innkeeper_service::cluster::Cluster;
use serde::Deserialize;

use crate::places::Places;
use crate::process::{Process, free_address};
use crate::server::NO_LIMIT;

const START_TIMEOUT: Duration = Duration::from_mins(3);

/// What runs the game servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Memory,
    Podman,
}

/// What a server runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HostPlan {
    /// The name of its database and its folder.
    pub(crate) name: &'static str,
    pub(crate) engine: Engine,
    pub(crate) machines: usize,
    pub(crate) keys: usize,
}

/// A server whose game servers are on.
#[derive(Debug)]
pub(crate) struct GameHost {
    pub(crate) address: SocketAddr,
    pub(crate) process: Process,
    pub(crate) facts: HostFacts,
}

/// What the server says about itself.
#[derive(Debug, Deserialize)]
pub(crate) struct HostFacts {
    pub(crate) keys: Vec<String>,
    /// The ids of the game servers in the API.
    pub(crate) machines: Vec<String>,
    /// The image of their containers.
    pub(crate) image: String,
}

impl HostPlan {
    /// Starts a server on a new database, with its machines in a folder.
    pub(crate) async fn start(
        self,
        places: &Places,
        cluster: &Cluster,
        folder: &Path,
    ) -> Result<GameHost> {
        let address = free_address()?;
        let ready = folder.join("ready.json");
        let mut command = self.command(places, cluster, folder).await?;
        command
            .env("HOSTING_HOST", address.ip().to_string())
            .env("HOSTING_PORT", address.port().to_string())
            .arg("--ready")
            .arg(&ready);
        let log = places.output.join(format!("hosting-{}.log", self.name));
        let mut process = Process::spawn(command, &log)?;
        let facts = wait_for(&ready, &mut process)?;
        Ok(GameHost {
            address,
            process,
            facts,
        })
    }

    /// Returns the command of the server, without its address. Limits are raised, not disabled.
    pub(crate) async fn command(
        self,
        places: &Places,
        cluster: &Cluster,
        folder: &Path,
    ) -> Result<Command> {
        cluster.ensure_database(self.name).await?;
        let content = folder.join("content");
        fs::create_dir_all(&content)?;
        let mut command = Command::new(&places.hosting_server);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOSTING_LOG_LEVEL", "warn")
            .env("HOSTING_CONTENT_DIR", content)
            .env("HOSTING_DATABASE_URL", cluster.url(self.name))
            .env("HOSTING_MACHINES_DIR", folder.join("machines"))
            .env(
                "HOSTING_KEY_PEPPERS",
                "1:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
            )
            .arg("--engine")
            .arg(match self.engine {
                Engine::Memory => "memory",
                Engine::Podman => "podman",
            })
            .arg(format!("--machines={}", self.machines))
            .arg(format!("--keys={}", self.keys));
        for limit in ["CONTROL", "POWER", "POWER_KEY", "COMMAND", "CONSOLE"] {
            command.env(format!("HOSTING_RATE_LIMIT_{limit}"), NO_LIMIT);
        }
        Ok(command)
    }
}

fn wait_for(ready: &PathBuf, process: &mut Process) -> Result<HostFacts> {
    let start = Instant::now();
    while start.elapsed() < START_TIMEOUT {
        // The file may be there before its text is.
        if let Ok(text) = fs::read_to_string(ready)
            && let Ok(facts) = serde_json::from_str(&text)
        {
            return Ok(facts);
        }
        process.check()?;
        sleep(Duration::from_millis(20));
    }
    bail!("the game servers are not on")
}

impl GameHost {
    /// Returns the first key.
    pub(crate) fn key(&self) -> Result<&str> {
        self.facts
            .keys
            .first()
            .map(String::as_str)
            .context("no key")
    }
}
