//! `innkeeper hosting maintenance`: work that is announced on the status page.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use innkeeper_hosting::NewMaintenance;
use innkeeper_hosting::status::Maintenance;
use innkeeper_service::clock::Clock;
use innkeeper_service::duration::parse_go;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::settings::{Source, read};
use crate::auth::ask;
use crate::output;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Announce work, which begins and ends by itself, and print its id
    #[command(after_help = "Example:\n  \
        innkeeper hosting maintenance schedule \"New switches\" \\\n    \
        --from 2026-12-01T22:00:00Z --for 2h --on vps-fsn")]
    Schedule(Schedule),
    /// Call work off that is not over
    #[command(after_help = "Example:\n  innkeeper hosting maintenance cancel mnt-7k2m9q4xab")]
    Cancel {
        /// The maintenance's id
        id: String,
    },
    /// List what is announced, and the work of the last 90 days
    #[command(after_help = "Example:\n  innkeeper hosting maintenance list --json")]
    List {
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
struct Schedule {
    /// What is done, in a few words
    title: String,
    /// When it begins, as 2026-12-01T22:00:00Z; else at once
    #[arg(long, value_name = "TIME")]
    from: Option<Timestamp>,
    /// How long it takes, such as 90m
    #[arg(long = "for", value_name = "DURATION", value_parser = length)]
    length: SignedDuration,
    /// A component it is about; repeatable; else all
    #[arg(long = "on", value_name = "COMPONENT")]
    components: Vec<String>,
    /// What is done, in more words
    #[arg(short, long, default_value = "")]
    message: String,
    /// Print JSON instead of the id alone
    #[arg(long)]
    json: bool,
}

fn length(text: &str) -> Result<SignedDuration, String> {
    let length = parse_go(text).map_err(|error| error.to_string())?;
    if !(SignedDuration::from_secs(1)..=SignedDuration::from_hours(24 * 31)).contains(&length) {
        return Err("must be from a second to a month".to_owned());
    }
    Ok(length)
}

pub(super) fn run(source: &Source, arguments: Arguments) -> anyhow::Result<()> {
    let config = read(&mut source.reader()?)?;
    let clock = Clock::system();
    match arguments.command {
        Command::Schedule(wanted) => {
            let from = wanted.from.unwrap_or_else(|| clock.now());
            let new = NewMaintenance {
                title: wanted.title,
                components: wanted.components,
                from,
                until: from.saturating_add(wanted.length)?,
                message: wanted.message,
            };
            let work = ask(innkeeper_hosting::schedule_maintenance(
                &config, &clock, new,
            ))?;
            if wanted.json {
                return output::print_json(&as_json(&work, clock.now()));
            }
            output::print(&format!("{}\n", work.id))
        }
        Command::Cancel { id } => {
            ask(innkeeper_hosting::cancel_maintenance(&config, &clock, &id))?;
            output::print(&format!("Maintenance {id} is cancelled.\n"))
        }
        Command::List { json } => {
            let works = ask(innkeeper_hosting::list_maintenances(&config, &clock))?;
            let now = clock.now();
            if json {
                let works: Vec<Value> = works.iter().map(|work| as_json(work, now)).collect();
                return output::print_json(&json!(works));
            }
            output::print(&table(&works, now))
        }
    }
}

fn as_json(work: &Maintenance, now: Timestamp) -> Value {
    json!({
        "id": work.id,
        "title": work.title,
        "status": work.phase(now),
        "scheduledFor": format!("{:.3}", work.scheduled_for),
        "scheduledUntil": format!("{:.3}", work.scheduled_until),
        "components": work.components,
    })
}

fn table(works: &[Maintenance], now: Timestamp) -> String {
    let mut text = format!(
        "{:<16}{:<13}{:<22}{:<22}TITLE\n",
        "ID", "STATUS", "FROM", "UNTIL"
    );
    for work in works {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<16}{:<13}{:<22}{:<22}{}",
            work.id,
            work.phase(now).word(),
            format!("{:.0}", work.scheduled_for),
            format!("{:.0}", work.scheduled_until),
            output::on_one_line(&work.title),
        );
    }
    text
}
