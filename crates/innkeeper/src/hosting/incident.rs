//! `innkeeper hosting incident`: reports incidents on the status page.

use std::fmt::Write as _;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use innkeeper_hosting::NewIncident;
use innkeeper_hosting::status::{Impact, Incident, IncidentStatus};
use innkeeper_service::clock::Clock;
use serde_json::json;

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
    /// Open an incident and print its id
    #[command(after_help = "Example:\n  \
        innkeeper hosting incident open \"Slow disks\" -i minor \\\n    \
        --on vps-fsn -m \"We are investigating.\"")]
    Open(Open),
    /// Post an update on an incident
    #[command(after_help = "Example:\n  \
        innkeeper hosting incident update inc-7k2m9q4xab -s monitoring \\\n    \
        -m \"A disk was replaced.\"")]
    Update(Update),
    /// Resolve an incident
    #[command(after_help = "Example:\n  \
        innkeeper hosting incident close inc-7k2m9q4xab -m \"All is back to normal.\"")]
    Close(Close),
    /// List the incidents of the last 90 days, newest first
    #[command(after_help = "Example:\n  innkeeper hosting incident list --json")]
    List {
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
struct Open {
    /// A short description of the incident
    title: String,
    /// none, minor, major or critical
    #[arg(
        short, long, default_value = "minor", hide_possible_values = true,
        value_parser = PossibleValuesParser::new(IMPACTS).map(|word| impact(&word))
    )]
    impact: Impact,
    /// investigating (default), identified, monitoring
    #[arg(
        short, long, default_value = "investigating", hide_default_value = true,
        hide_possible_values = true,
        value_parser = PossibleValuesParser::new(OPEN).map(|word| status(&word))
    )]
    status: IncidentStatus,
    /// The id of an affected component; repeatable
    #[arg(long = "on", value_name = "COMPONENT")]
    components: Vec<String>,
    /// The text of the first update
    #[arg(short, long, default_value = "")]
    message: String,
    /// Print JSON instead of the id alone
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Update {
    /// The incident's id
    id: String,
    /// The text of the update
    #[arg(short, long)]
    message: String,
    /// investigating, identified, monitoring or postmortem
    #[arg(
        short, long, default_value = "identified", hide_default_value = true,
        hide_possible_values = true,
        value_parser = PossibleValuesParser::new(FURTHER).map(|word| status(&word))
    )]
    status: IncidentStatus,
    /// The new impact: none, minor, major or critical
    #[arg(
        short, long, hide_possible_values = true,
        value_parser = PossibleValuesParser::new(IMPACTS).map(|word| impact(&word))
    )]
    impact: Option<Impact>,
}

#[derive(Debug, Args)]
struct Close {
    /// The incident's id
    id: String,
    /// The text of the last update
    #[arg(
        short,
        long,
        default_value = "This incident is resolved.",
        hide_default_value = true
    )]
    message: String,
}

const IMPACTS: [&str; 4] = ["none", "minor", "major", "critical"];
const OPEN: [&str; 3] = ["investigating", "identified", "monitoring"];
const FURTHER: [&str; 4] = ["investigating", "identified", "monitoring", "postmortem"];

fn impact(word: &str) -> Impact {
    Impact::parse(word).unwrap_or(Impact::Minor)
}

fn status(word: &str) -> IncidentStatus {
    IncidentStatus::parse(word).unwrap_or(IncidentStatus::Investigating)
}

pub(super) fn run(source: &SettingsSource, arguments: Arguments) -> anyhow::Result<()> {
    let config = source.hosting_config()?;
    let clock = Clock::system();
    match arguments.command {
        Command::Open(arguments) => {
            let new = NewIncident {
                title: arguments.title,
                impact: arguments.impact,
                status: arguments.status,
                components: arguments.components,
                message: arguments.message,
            };
            let incident = task::run(innkeeper_hosting::open_incident(&config, &clock, new))?;
            if arguments.json {
                return output::print_json(&json!(incident));
            }
            output::print(&format!("{}\n", incident.id))
        }
        Command::Update(arguments) => {
            let (id, status, impact) = (&arguments.id, arguments.status, arguments.impact);
            let update = innkeeper_hosting::update_incident;
            task::run(update(
                &config,
                &clock,
                id,
                status,
                impact,
                &arguments.message,
            ))?;
            output::print(&format!("Incident {id} is {}.\n", arguments.status.word()))
        }
        Command::Close(arguments) => {
            let (id, status) = (&arguments.id, IncidentStatus::Resolved);
            let update = innkeeper_hosting::update_incident;
            task::run(update(
                &config,
                &clock,
                id,
                status,
                None,
                &arguments.message,
            ))?;
            output::print(&format!("Incident {id} is resolved.\n"))
        }
        Command::List { json } => {
            let incidents = task::run(innkeeper_hosting::list_incidents(&config, &clock))?;
            if json {
                return output::print_json(&json!(incidents));
            }
            output::print(&table(&incidents))
        }
    }
}

fn table(incidents: &[Incident]) -> String {
    let mut text = format!(
        "{:<16}{:<15}{:<10}{:<22}TITLE\n",
        "ID", "STATUS", "IMPACT", "STARTED"
    );
    for incident in incidents {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<16}{:<15}{:<10}{:<22}{}",
            incident.id,
            incident.status.word(),
            incident.impact.word(),
            format!("{:.0}", incident.started_at),
            output::on_one_line(&incident.title),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use innkeeper_hosting::status::{Impact, IncidentStatus};

    use super::{FURTHER, IMPACTS, OPEN, impact, status};

    #[test]
    fn every_word_that_is_offered_means_itself() {
        assert_eq!(IMPACTS, Impact::WORDS.map(|(word, _)| word));
        for word in IMPACTS {
            assert_eq!(impact(word).word(), word);
        }
        for word in OPEN.into_iter().chain(FURTHER) {
            assert_eq!(status(word).word(), word);
            assert_ne!(status(word), IncidentStatus::Resolved);
        }
    }
}
