//! `innkeeper hosting migrate`.

use clap::Args;
use serde_json::json;

use super::settings::{Source, read};
use crate::auth::ask;
use crate::output;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

pub(super) fn migrate(source: &Source, arguments: &Arguments) -> anyhow::Result<()> {
    let config = read(&mut source.reader()?)?;
    let applied = ask(innkeeper_hosting::migrate_database(&config))?;
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
