//! `innkeeper doctor`: checks the installation and suggests fixes.

mod auth;
mod database;
mod findings;
mod hosting;
mod machine;
mod providers;
mod redis;
mod services;

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;

use crate::settings::{auth_reader, hosting_reader};
use crate::settings_source::has_own_auth;
use crate::{output, progress, up};
use findings::Findings;

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
        let advice = "check the path of the settings file, and who may read it";
        match auth_reader(auth.as_deref()) {
            Ok(reader) => auth::check(&mut findings, reader).await,
            Err(error) => findings.problem("auth", error.to_string(), advice),
        }
        match hosting_reader(hosting.as_deref()) {
            Ok(reader) => hosting::check(&mut findings, reader).await,
            Err(error) => findings.problem("hosting", error.to_string(), advice),
        }
    }
    findings
}

/// Checks both servers of an `innkeeper up`, whose database runs only as long as it does.
async fn check_up(findings: &mut Findings, folder: &Path) {
    let Some(up) = up::find_running(folder) else {
        return findings.warn(
            "up",
            format!("no `innkeeper up` runs in {}", folder.display()),
            "start it with `innkeeper up`, then run `innkeeper doctor` again",
        );
    };
    match (up.auth_settings(), up.hosting_settings()) {
        (Ok(auth), Ok(hosting)) => {
            auth::check(findings, auth).await;
            hosting::check(findings, hosting).await;
        }
        (Err(error), _) | (_, Err(error)) => {
            findings.problem("up", error.to_string(), "start `innkeeper up` again");
        }
    }
}

impl Arguments {
    /// Returns the data folder to check; `None` to check the settings of the servers instead.
    fn folder(&self) -> Option<PathBuf> {
        if self.data_dir.is_some() {
            return self.data_dir.clone();
        }
        let is_named = self.auth_config.is_some() || self.hosting_config.is_some();
        let is_set = auth_reader(None).is_ok_and(|mut reader| has_own_auth(&mut reader));
        let folder = Path::new(up::DATA_DIR);
        (!is_named && !is_set && folder.exists()).then(|| folder.to_owned())
    }
}
