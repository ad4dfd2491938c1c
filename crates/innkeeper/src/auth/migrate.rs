//! `innkeeper auth migrate`: migrates the auth server's schema.

use std::sync::{Mutex, PoisonError};

use clap::Args;
use innkeeper_auth::migrate::{MigrationStep, NewerSchema};
use serde_json::json;

use crate::output;
use crate::settings_source::SettingsSource;
use crate::task;

pub(super) const EXAMPLES: &str = "\
Examples:
  innkeeper auth migrate --json
  innkeeper auth migrate --accept-newer

A database of GoTrue is taken over in place; `innkeeper auth takeover check`
says before what would happen. One that is not as its history says is refused
without a change, and so is one that GoTrue has migrated further than this
release knows, unless --accept-newer is given once.";

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Accept a newer schema of GoTrue than this release knows
    #[arg(long)]
    accept_newer: bool,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

pub(super) fn run(source: &SettingsSource, arguments: &Arguments) -> anyhow::Result<()> {
    let config = source.auth_config()?;
    let newer = if arguments.accept_newer {
        NewerSchema::Accept
    } else {
        NewerSchema::Refuse
    };
    let step = Mutex::new("Querying the database".to_owned());
    let mut on_step = |next: MigrationStep| {
        *step.lock().unwrap_or_else(PoisonError::into_inner) = step_text(next);
    };
    let message = || step.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let migration = innkeeper_auth::migrate_database_with(&config, newer, &mut on_step);
    let report = task::run_showing(message, migration)?;
    let applied: Vec<&str> = report.upstream.iter().chain(&report.own).copied().collect();
    let schema = &config.database.namespace;
    if arguments.json {
        return output::print_json(&json!({ "schema": schema, "applied": applied }));
    }
    if applied.is_empty() {
        return output::print(&format!("Schema {schema} is up to date.\n"));
    }
    let mut text = format!("Schema {schema}: {} migrations applied.\n", applied.len());
    for name in applied {
        text.push_str("  ");
        text.push_str(name);
        text.push('\n');
    }
    output::print(&text)
}

fn step_text(step: MigrationStep) -> String {
    let MigrationStep {
        name,
        number,
        total,
    } = step;
    format!("Migrating, {number} of {total}: {name}")
}
