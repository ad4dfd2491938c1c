//! `innkeeper hosting maintenance`: announces maintenance on the status page.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use innkeeper_hosting::NewMaintenance;
use innkeeper_hosting::status::Maintenance;
use innkeeper_service::clock::Clock;
use innkeeper_service::duration::parse_go;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::output;
use crate::settings_source::SettingsSource;
use crate::task;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Schedule a maintenance, which starts and ends by itself
    #[command(after_help = "Example:\n  \
        innkeeper hosting maintenance schedule \"New switches\" \\\n    \
        --from 2026-12-01T22:00:00Z --for 2h --on vps-fsn")]
    Schedule(Schedule),
    /// Cancel a maintenance
    #[command(after_help = "Example:\n  innkeeper hosting maintenance cancel mnt-7k2m9q4xab")]
    Cancel {
        /// The maintenance's id
        id: String,
    },
    /// List maintenances: scheduled ones and those of the last 90 days
    #[command(after_help = "Example:\n  innkeeper hosting maintenance list --json")]
    List {
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
struct Schedule {
    /// A short description of the maintenance
    title: String,
    /// Start, such as 2026-12-01T22:00:00Z [default: now]
    #[arg(long, value_name = "TIME")]
    from: Option<Timestamp>,
    /// The duration, such as 90m
    #[arg(long = "for", value_name = "DURATION", value_parser = length)]
    length: SignedDuration,
    /// An affected component; repeatable [default: all]
    #[arg(long = "on", value_name = "COMPONENT")]
    components: Vec<String>,
    /// A longer description
    #[arg(short, long, default_value = "")]
    message: String,
    /// Print JSON instead of the id alone
    #[arg(long)]
    json: bool,
}

fn length(text: &str) -> Result<SignedDuration, String> {
    let length = parse_go(text).map_err(|error| error.to_string())?;
    if !(SignedDuration::from_secs(1)..=SignedDuration::from_hours(24 * 31)).contains(&length) {
        return Err("must be between one second and 31 days".to_owned());
    }
    Ok(length)
}

pub(super) fn run(source: &SettingsSource, arguments: Arguments) -> anyhow::Result<()> {
    let config = source.hosting_config()?;
    let clock = Clock::system();
    match arguments.command {
        Command::Schedule(arguments) => {
            let from = arguments.from.unwrap_or_else(|| clock.now());
            let new = NewMaintenance {
                title: arguments.title,
                components: arguments.components,
                from,
                until: from.saturating_add(arguments.length)?,
                message: arguments.message,
            };
            let maintenance = task::run(innkeeper_hosting::schedule_maintenance(
                &config, &clock, new,
            ))?;
            if arguments.json {
                return output::print_json(&as_json(&maintenance, clock.now()));
            }
            output::print(&format!("{}\n", maintenance.id))
        }
        Command::Cancel { id } => {
            task::run(innkeeper_hosting::cancel_maintenance(&config, &clock, &id))?;
            output::print(&format!("Maintenance {id} is cancelled.\n"))
        }
        Command::List { json } => {
            let maintenances = task::run(innkeeper_hosting::list_maintenances(&config, &clock))?;
            let now = clock.now();
            if json {
                let maintenances = maintenances.iter();
                let documents: Vec<Value> = maintenances
                    .map(|maintenance| as_json(maintenance, now))
                    .collect();
                return output::print_json(&json!(documents));
            }
            output::print(&table(&maintenances, now))
        }
    }
}

fn as_json(maintenance: &Maintenance, now: Timestamp) -> Value {
    json!({
        "id": maintenance.id,
        "title": maintenance.title,
        "status": maintenance.phase(now),
        "scheduledFor": format!("{:.3}", maintenance.scheduled_for),
        "scheduledUntil": format!("{:.3}", maintenance.scheduled_until),
        "components": maintenance.components,
    })
}

fn table(maintenances: &[Maintenance], now: Timestamp) -> String {
    let mut text = format!(
        "{:<16}{:<13}{:<22}{:<22}TITLE\n",
        "ID", "STATUS", "FROM", "UNTIL"
    );
    for maintenance in maintenances {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<16}{:<13}{:<22}{:<22}{}",
            maintenance.id,
            maintenance.phase(now).word(),
            format!("{:.0}", maintenance.scheduled_for),
            format!("{:.0}", maintenance.scheduled_until),
            output::on_one_line(&maintenance.title),
        );
    }
    text
}
