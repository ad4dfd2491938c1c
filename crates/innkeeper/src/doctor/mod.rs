//! `innkeeper doctor`: checks the installation and suggests fixes.

mod auth;
mod database;
mod findings;
mod hosting;
mod machine;
mod providers;
mod redis;

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;

use crate::settings::{auth_reader, hosting_reader};
use crate::{output, progress, up};
use findings::Findings;

/// The default data folder of `innkeeper up`.
const DATA_DIR: &str = ".innkeeper";

pub(crate) const EXAMPLES: &str = "\
Examples:
  innkeeper doctor
  innkeeper doctor --auth-config /etc/innkeeper/auth.env
  innkeeper doctor --data-dir .innkeeper --json

Without options it checks the settings in .env and in the environment. If there
are none, it checks the `innkeeper up` in .innkeeper. It changes nothing and
sends no mail. The exit code is 1 if there is a problem; warnings do not count.";

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The auth server's settings file
    #[arg(long, value_name = "FILE")]
    auth_config: Option<PathBuf>,
    /// The hosting server's settings file
    #[arg(long, value_name = "FILE")]
    hosting_config: Option<PathBuf>,
    /// Check the `innkeeper up` that runs in DIR
    #[arg(long, value_name = "DIR", conflicts_with_all = ["auth_config", "hosting_config"])]
    data_dir: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start")?;
    let findings = runtime.block_on(progress::show("Checking", check(arguments)));
    if arguments.json {
        output::print_json(&findings.as_json())?;
    } else {
        output::print(&findings.as_text(output::Colours::of_stdout()))?;
    }
    match findings.problems() {
        0 => Ok(()),
        1 => Err(anyhow!("found one problem")),
        number => Err(anyhow!("found {number} problems")),
    }
}

async fn check(arguments: &Arguments) -> Findings {
    let mut findings = Findings::default();
    let folder = arguments.folder();
    machine::check(&mut findings, folder.as_deref());
    if let Some(folder) = folder {
        check_up(&mut findings, &folder).await;
    } else {
        let [auth, hosting] = [&arguments.auth_config, &arguments.hosting_config];
        auth::check(&mut findings, auth_reader(auth.as_deref())).await;
        hosting::check(&mut findings, hosting_reader(hosting.as_deref())).await;
    }
    findings
}

/// Checks both servers of an `innkeeper up`, whose database runs only as long as it does.
async fn check_up(findings: &mut Findings, folder: &Path) {
    match (
        up::auth_settings_of(folder),
        up::hosting_settings_of(folder),
    ) {
        (Ok(auth), Ok(hosting)) => {
            auth::check(findings, auth).await;
            hosting::check(findings, hosting).await;
        }
        (Err(error), _) | (_, Err(error)) => findings.warn(
            "up",
            error.to_string(),
            "start it with `innkeeper up`, then run `innkeeper doctor` again",
        ),
    }
}

impl Arguments {
    /// Returns the data folder to check; `None` to check the settings of the servers instead.
    fn folder(&self) -> Option<PathBuf> {
        if self.data_dir.is_some() {
            return self.data_dir.clone();
        }
        let is_named = self.auth_config.is_some() || self.hosting_config.is_some();
        let is_set = auth_reader(None).is_set("DATABASE_URL");
        let folder = Path::new(DATA_DIR);
        (!is_named && !is_set && folder.exists()).then(|| folder.to_owned())
    }
}
