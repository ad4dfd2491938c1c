//! `innkeeper auth takeover`: checks whether a database of GoTrue can be taken over, and finishes that.

mod env_settings;
mod report;

use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::{Args, Subcommand};
use innkeeper_auth::migrate::V2_VERSION;
use innkeeper_service::clock::Clock;
use serde_json::json;

use self::env_settings::EnvSettings;
use self::report::Report;
use crate::output::{self, CannotRun};
use crate::settings_source::SettingsSource;
use crate::task;

const CHECK_EXAMPLES: &str = "\
Examples:
  innkeeper auth takeover check --env-file gotrue.env
  innkeeper auth takeover check postgres://localhost/postgres --json

It changes nothing. Without a URL it checks the database of the settings file
of GoTrue or, without that, of the settings of this server.

The exit code is 0 if the database can be taken over, 1 if it would be refused
or the settings do not suffice, and 2 if the check could not run.
docs/auth/coming-from-gotrue.md tells what comes next.";

const FINISH_EXAMPLES: &str = "\
Example:
  innkeeper auth takeover finish

Run it when GoTrue will not be used any more. Until then the gotrue profile
keeps refresh tokens in the format that was found, so that GoTrue could go on
with every session. Afterwards sessions get tokens of the present format when
they are refreshed. No user is signed out.";

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say what taking over a database would do, without changing it
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArguments),
    /// Declare that GoTrue will not be used any more
    #[command(after_help = FINISH_EXAMPLES)]
    Finish {
        /// Print JSON instead of text
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
struct CheckArguments {
    /// The URL of the database; by default that of the settings
    database_url: Option<String>,
    /// The settings file of GoTrue
    #[arg(long, value_name = "FILE")]
    env_file: Option<PathBuf>,
    /// The schema; by default that of the settings, or `auth`
    #[arg(long, value_name = "NAME")]
    schema: Option<String>,
    /// Accept a newer schema of GoTrue than this release knows
    #[arg(long)]
    accept_newer: bool,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

pub(super) fn run(source: &SettingsSource, arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::Check(arguments) => check(source, arguments),
        Command::Finish { json } => finish(source, *json),
    }
}

fn check(source: &SettingsSource, arguments: &CheckArguments) -> anyhow::Result<()> {
    let report = examine(source, arguments).map_err(CannotRun)?;
    if arguments.json {
        output::print_json(&report.as_json())?;
    } else {
        output::print(&report.as_text())?;
    }
    match report.refusals().len() {
        0 => Ok(()),
        1 => Err(anyhow!("one reason against taking over this database")),
        number => Err(anyhow!(
            "{number} reasons against taking over this database"
        )),
    }
}

fn examine(source: &SettingsSource, arguments: &CheckArguments) -> anyhow::Result<Report> {
    let settings = match &arguments.env_file {
        Some(file) => {
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            Some(EnvSettings::read(&text))
        }
        None => None,
    };
    let mut url = arguments.database_url.clone();
    let mut schema = arguments.schema.clone();
    if let Some(settings) = &settings {
        url = url.or_else(|| settings.database_url.clone());
        schema = schema.or_else(|| settings.schema.clone());
    } else if url.is_none() {
        let database = source.auth_config()?.database;
        url = Some(database.url.reveal().clone());
        schema = schema.or(Some(database.namespace));
    }
    let url = url.ok_or_else(|| {
        anyhow!("the settings file has no DATABASE_URL; pass the URL of the database")
    })?;
    let schema = schema.unwrap_or_else(|| "auth".to_owned());
    let found = task::run(innkeeper_auth::check_takeover(&url, &schema))?;
    Ok(Report {
        found,
        settings,
        accepts_newer: arguments.accept_newer,
    })
}

fn finish(source: &SettingsSource, json: bool) -> anyhow::Result<()> {
    let config = source.auth_config()?;
    let finished = task::run(innkeeper_auth::finish_takeover(&config, &Clock::system()))?;
    if json {
        return output::print_json(&json!({
            "finished_at": finished.finished_at.to_string(),
            "found_version": finished.found_version,
            "sessions_v1": finished.sessions_v1,
        }));
    }
    let mut text = format!(
        "The take-over is finished since {:.0}.\n\
         {} sessions get refresh tokens of the present format when they are refreshed next.\n",
        finished.finished_at, finished.sessions_v1
    );
    if finished
        .found_version
        .is_some_and(|version| version.as_str() < V2_VERSION)
    {
        text.push_str("The GoTrue that used this database before cannot refresh them any more.\n");
    }
    output::print(&text)
}
