//! `innkeeper hosting migrate`: migrates the hosting server's schema.

use clap::Args;
use serde_json::json;

use crate::output;
use crate::settings_source::SettingsSource;
use crate::task;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

pub(super) fn run(source: &SettingsSource, arguments: &Arguments) -> anyhow::Result<()> {
    let config = source.hosting_config()?;
    let applied = task::run(innkeeper_hosting::migrate_database(&config))?;
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
