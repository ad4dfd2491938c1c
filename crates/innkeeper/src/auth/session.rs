//! `innkeeper auth session`: lists and ends the sessions of a user.

use clap::{Args, Subcommand};
use innkeeper_service::clock::Clock;
use serde_json::{Value, json};

use super::user::UserSelector;
use crate::settings_source::SettingsSource;
use crate::{output, task};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the sessions of a user, the last used first
    #[command(after_help = "Example:\n  innkeeper auth session list ada@example.com --json")]
    List {
        #[command(flatten)]
        user: UserSelector,
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// End one session of a user, or all of them
    #[command(after_help = "Examples:\n  \
        innkeeper auth session end ada@example.com \\\n    \
        7f2c1f5e-5c4e-4d3e-9b55-0d6b8f0f6f11\n  \
        innkeeper auth session end ada@example.com --all\n\n\
        Other services accept the access token until it expires.")]
    End {
        #[command(flatten)]
        user: UserSelector,
        /// The session's id
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        id: Option<String>,
        /// End all sessions
        #[arg(long)]
        all: bool,
        /// Print JSON instead of text
        #[arg(long)]
        json: bool,
    },
}

pub(super) fn run(source: &SettingsSource, arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::List { user, json } => list(source, user, *json),
        Command::End { user, id, json, .. } => end(source, user, id.as_deref(), *json),
    }
}

fn list(source: &SettingsSource, user: &UserSelector, as_json: bool) -> anyhow::Result<()> {
    let config = source.auth_config()?;
    let (clock, selector) = (Clock::system(), user.selector());
    let listing = task::run(innkeeper_auth::list_sessions(&config, &clock, selector))?;
    if as_json {
        return output::print_json(&listing);
    }
    let sessions = listing.get("sessions").and_then(Value::as_array);
    output::print(&table(sessions.map_or(&[][..], Vec::as_slice)))
}

fn end(
    source: &SettingsSource,
    user: &UserSelector,
    id: Option<&str>,
    as_json: bool,
) -> anyhow::Result<()> {
    let config = source.auth_config()?;
    let (clock, selector) = (Clock::system(), user.selector());
    task::run(innkeeper_auth::end_sessions(&config, &clock, selector, id))?;
    if as_json {
        return output::print_json(&json!({ "ended": id.unwrap_or("all") }));
    }
    output::print(&match id {
        Some(id) => format!("Session {} is ended.\n", output::on_one_line(id)),
        None => format!("All sessions of {} are ended.\n", user.shown()),
    })
}

fn table(sessions: &[Value]) -> String {
    let rows: Vec<Vec<String>> = sessions
        .iter()
        .map(|session| {
            let text = |name: &str| session.get(name).and_then(Value::as_str);
            let used = text("refreshed_at").or(text("created_at"));
            vec![
                text("id").unwrap_or_default().to_owned(),
                output::short_time(text("created_at").unwrap_or_default()),
                output::short_time(used.unwrap_or_default()),
                text("ip").unwrap_or("-").to_owned(),
                text("user_agent").unwrap_or("-").to_owned(),
            ]
        })
        .collect();
    let head = ["ID", "CREATED", "LAST USED", "ADDRESS", "PROGRAM"];
    output::table(&head, &rows)
}
