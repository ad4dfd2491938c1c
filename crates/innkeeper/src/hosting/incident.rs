//! `innkeeper hosting incident`: what goes wrong, told to visitors of the status page.

use std::fmt::Write as _;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use innkeeper_hosting::NewIncident;
use innkeeper_hosting::status::{Impact, Incident, IncidentStatus};
use innkeeper_service::clock::Clock;
use serde_json::json;

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
    /// Open an incident, and print its id
    #[command(after_help = "Example:\n  \
        innkeeper hosting incident open \"Slow disks\" -i minor \\\n    \
        --on vps-fsn -m \"We look for the cause.\"")]
    Open(Open),
    /// Say something about an incident, and how far it is
    #[command(after_help = "Example:\n  \
        innkeeper hosting incident update inc-7k2m9q4xab -s monitoring \\\n    \
        -m \"A disk was replaced.\"")]
    Update(Update),
    /// Say that an incident is over
    #[command(after_help = "Example:\n  \
        innkeeper hosting incident close inc-7k2m9q4xab -m \"All is well.\"")]
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
    /// What goes wrong, in a few words
    title: String,
    /// none, minor, major or critical
    #[arg(
        short, long, default_value = "minor", hide_possible_values = true,
        value_parser = PossibleValuesParser::new(IMPACTS).map(|word| impact(&word))
    )]
    impact: Impact,
    /// investigating (if not given), identified, monitoring
    #[arg(
        short, long, default_value = "investigating", hide_default_value = true,
        hide_possible_values = true,
        value_parser = PossibleValuesParser::new(OPEN).map(|word| status(&word))
    )]
    status: IncidentStatus,
    /// The id of a component it is about; repeatable
    #[arg(long = "on", value_name = "COMPONENT")]
    components: Vec<String>,
    /// What is known
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
    /// What there is to say
    #[arg(short, long)]
    message: String,
    /// investigating, identified, monitoring or postmortem
    #[arg(
        short, long, default_value = "identified", hide_default_value = true,
        hide_possible_values = true,
        value_parser = PossibleValuesParser::new(FURTHER).map(|word| status(&word))
    )]
    status: IncidentStatus,
    /// none, minor, major or critical, if that has changed
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
    /// What there is to say, instead of just its end
    #[arg(
        short,
        long,
        default_value = "This incident is over.",
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

pub(super) fn run(source: &Source, arguments: Arguments) -> anyhow::Result<()> {
    let config = read(&mut source.reader()?)?;
    let clock = Clock::system();
    match arguments.command {
        Command::Open(wanted) => {
            let new = NewIncident {
                title: wanted.title,
                impact: wanted.impact,
                status: wanted.status,
                components: wanted.components,
                message: wanted.message,
            };
            let incident = ask(innkeeper_hosting::open_incident(&config, &clock, new))?;
            if wanted.json {
                return output::print_json(&json!(incident));
            }
            output::print(&format!("{}\n", incident.id))
        }
        Command::Update(wanted) => {
            let (id, how) = (&wanted.id, (wanted.status, wanted.impact));
            let update = innkeeper_hosting::update_incident;
            ask(update(&config, &clock, id, how, &wanted.message))?;
            output::print(&format!("Incident {id} is {}.\n", wanted.status.word()))
        }
        Command::Close(wanted) => {
            let (id, how) = (&wanted.id, (IncidentStatus::Resolved, None));
            let update = innkeeper_hosting::update_incident;
            ask(update(&config, &clock, id, how, &wanted.message))?;
            output::print(&format!("Incident {id} is resolved.\n"))
        }
        Command::List { json } => {
            let incidents = ask(innkeeper_hosting::list_incidents(&config, &clock))?;
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
