//! `innkeeper doctor`: what is wrong here, and what to do about it.

mod auth;
mod database;
mod findings;
mod hosting;
mod machine;
mod redis;

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;

use crate::{output, progress, up};
use findings::Findings;

/// The data folder of `innkeeper up` unless another is named.
const DATA_DIR: &str = ".innkeeper";

pub(crate) const EXAMPLES: &str = "\
Examples:
  innkeeper doctor
  innkeeper doctor --auth-config /etc/innkeeper/auth.env
  innkeeper doctor --data-dir .innkeeper --json

Without options it looks at the settings in .env and in the environment and,
where there are none, at the `innkeeper up` in .innkeeper. Nothing is changed
and no mail is sent. The exit code is 1 when something is wrong; warnings do
not count.";

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The auth server's settings file
    #[arg(long, value_name = "FILE")]
    auth_config: Option<PathBuf>,
    /// The hosting server's settings file
    #[arg(long, value_name = "FILE")]
    hosting_config: Option<PathBuf>,
    /// Look at the `innkeeper up` that runs in DIR
    #[arg(long, value_name = "DIR", conflicts_with_all = ["auth_config", "hosting_config"])]
    data_dir: Option<PathBuf>,
    /// Print JSON instead of lines
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start")?;
    let findings = runtime.block_on(progress::show("Looking", look(arguments)));
    if arguments.json {
        output::print_json(&findings.as_json())?;
    } else {
        output::print(&findings.as_text(output::Colours::of_stdout()))?;
    }
    match findings.problems() {
        0 => Ok(()),
        1 => Err(anyhow!("one thing is wrong")),
        number => Err(anyhow!("{number} things are wrong")),
    }
}

async fn look(arguments: &Arguments) -> Findings {
    let mut findings = Findings::default();
    let folder = arguments.folder();
    machine::look(&mut findings, folder.as_deref());
    if let Some(folder) = folder {
        look_at_up(&mut findings, &folder).await;
    } else {
        let [auth, hosting] = [&arguments.auth_config, &arguments.hosting_config];
        auth::look(&mut findings, crate::auth::reader(auth.as_deref())).await;
        hosting::look(&mut findings, crate::hosting::reader(hosting.as_deref())).await;
    }
    findings
}

/// What runs in a data folder has both servers, and lends its database while it runs.
async fn look_at_up(findings: &mut Findings, folder: &Path) {
    match (up::settings_of(folder), up::hosting_settings_of(folder)) {
        (Ok(auth), Ok(hosting)) => {
            auth::look(findings, auth).await;
            hosting::look(findings, hosting).await;
        }
        (Err(error), _) | (_, Err(error)) => findings.warn(
            "up",
            error.to_string(),
            "start it with `innkeeper up` and ask again while it runs",
        ),
    }
}

impl Arguments {
    /// The data folder to look at, if it is not a server's own settings.
    fn folder(&self) -> Option<PathBuf> {
        if self.data_dir.is_some() {
            return self.data_dir.clone();
        }
        let is_named = self.auth_config.is_some() || self.hosting_config.is_some();
        let is_set = crate::auth::reader(None).is_set("DATABASE_URL");
        let folder = Path::new(DATA_DIR);
        (!is_named && !is_set && folder.exists()).then(|| folder.to_owned())
    }
}
