//! `innkeeper auth audit`: shows the audit log.

use clap::Args;
use innkeeper_auth::AuditQuery;
use innkeeper_service::clock::Clock;
use serde_json::Value;

use crate::settings_source::SettingsSource;
use crate::{output, task};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// A part of the actor's address, number or role
    #[arg(long, value_name = "TEXT")]
    author: Option<String>,
    /// A part of the action, such as login
    #[arg(long, value_name = "TEXT")]
    action: Option<String>,
    /// The kind: account, team, user, token or provider
    #[arg(long = "type", value_name = "TEXT")]
    log_type: Option<String>,
    /// The most entries to show
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u32,
    /// The number of the page
    #[arg(long, value_name = "N", default_value_t = 1)]
    page: u32,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

pub(super) fn run(source: &SettingsSource, arguments: Arguments) -> anyhow::Result<()> {
    let config = source.auth_config()?;
    let (limit, page) = (arguments.limit, arguments.page);
    let query = AuditQuery {
        author: arguments.author,
        action: arguments.action,
        log_type: arguments.log_type,
        limit,
        page,
    };
    let clock = Clock::system();
    let listing = task::run(innkeeper_auth::list_audit_log(&config, &clock, &query))?;
    if arguments.json {
        return output::print_json(&listing);
    }
    let entries = listing.get("entries").and_then(Value::as_array);
    let entries = entries.map_or(&[][..], Vec::as_slice);
    output::print(&table(entries))?;
    let total = listing.get("total").and_then(Value::as_u64);
    output::tell_of_page(entries.len(), total.unwrap_or_default(), limit, page);
    Ok(())
}

fn table(entries: &[Value]) -> String {
    let rows: Vec<Vec<String>> = entries.iter().map(row).collect();
    let head = ["TIME", "ACTION", "BY", "ADDRESS", "ABOUT"];
    output::table(&head, &rows)
}

fn row(entry: &Value) -> Vec<String> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
    let payload = |name: &str| {
        let value = entry.get("payload").and_then(|payload| payload.get(name));
        value.and_then(Value::as_str).unwrap_or_default()
    };
    let shown = |text: &str| match text {
        "" => "-".to_owned(),
        text => text.to_owned(),
    };
    let traits = entry
        .get("payload")
        .and_then(|payload| payload.get("traits"));
    let about = ["user_email", "user_phone", "user_id", "reason"]
        .iter()
        .filter_map(|name| traits?.get(*name)?.as_str())
        .find(|text| !text.is_empty());
    vec![
        output::short_time(text("created_at")),
        payload("action").to_owned(),
        shown(payload("actor_username")),
        shown(text("ip_address")),
        shown(about.unwrap_or_default()),
    ]
}
