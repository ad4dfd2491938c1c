//! `innkeeper up`: everything on this machine, in one process and one folder.

mod banner;
mod database;
mod env_file;
mod folder;
mod hosting;
mod inn;
mod mailbox;
mod portal;
mod settings;

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use innkeeper_rest::Stop;

use crate::output;
use folder::DataFolder;
use inn::Inn;
pub(crate) use settings::{hosting_settings_of, settings_of};

pub(crate) const EXAMPLES: &str = "\
Examples:
  innkeeper up
  innkeeper up --data-dir second --auth-port 9081 --hosting-port 9080 \\
    --portal-port 9082 --mail-port 3525
  innkeeper up --fresh

The first start writes the settings to .env in the data folder, with the ports
given or 8081 (auth), 8080 (hosting), 8082 (start page) and 2525 (mailbox).
DATABASE_URL, there or in the environment, takes the place of the private
PostgreSQL. Articles, plans and what is probed are in content in the data
folder; changes show at once.";

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Where everything is kept
    #[arg(long, value_name = "DIR", default_value = ".innkeeper")]
    data_dir: PathBuf,
    /// The auth server's port now; 0 is a free one
    #[arg(long, value_name = "PORT")]
    auth_port: Option<u16>,
    /// The hosting server's port now; 0 is a free one
    #[arg(long, value_name = "PORT")]
    hosting_port: Option<u16>,
    /// The start page's port now; 0 is a free one
    #[arg(long, value_name = "PORT")]
    portal_port: Option<u16>,
    /// The mailbox's port now; 0 is a free one
    #[arg(long, value_name = "PORT")]
    mail_port: Option<u16>,
    /// Delete what is kept, content too, and begin anew
    #[arg(long)]
    fresh: bool,
    /// Print JSON, one line for each event
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let folder = DataFolder::open(&arguments.data_dir)?;
    let runtime = tokio::runtime::Runtime::new().context("cannot start")?;
    runtime.block_on(async {
        let stop = Stop::on_signals();
        let inn = tokio::select! {
            inn = Inn::open(arguments, &folder) => inn?,
            () = stop.told() => return Ok(()),
        };
        tokio::spawn(wait_for_the_end(stop.clone()));
        Box::pin(inn.run(stop)).await?;
        output::tell("Stopped.");
        Ok(())
    })
}

/// Says that the end has begun. Whoever cannot wait for it asks twice; PostgreSQL notices by itself.
async fn wait_for_the_end(stop: Stop) {
    stop.told().await;
    output::tell("Stopping …");
    if tokio::signal::ctrl_c().await.is_ok() {
        std::process::exit(1);
    }
}
