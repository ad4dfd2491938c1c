//! `innkeeper auth mail`: what became of mails.

use std::fmt::Write as _;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use innkeeper_service::clock::Clock;
use serde_json::{Value, json};

use super::ask;
use super::settings::Source;
use crate::output;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List mails, newest first; what they say is not shown
    #[command(after_help = "Example:\n  innkeeper auth mail list --state failed")]
    List(List),
    /// Try a mail at once that waits or was given up
    #[command(after_help = "Examples:\n  \
                            innkeeper auth mail retry 7f2c1f5e-5c4e-4d3e-9b55-0d6b8f0f6f11\n  \
                            innkeeper auth mail retry --failed\n\n\
                            A running server sends it within a second.")]
    Retry(Retry),
}

#[derive(Debug, Args)]
struct List {
    /// waiting, sending, delivered or failed
    #[arg(
        long,
        hide_possible_values = true,
        value_parser = PossibleValuesParser::new(["waiting", "sending", "delivered", "failed"])
    )]
    state: Option<String>,
    /// How many at most
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u32,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Retry {
    /// The mail's id
    #[arg(required_unless_present = "failed", conflicts_with = "failed")]
    id: Option<String>,
    /// All mails that were given up
    #[arg(long)]
    failed: bool,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

pub(super) fn run(source: &Source, arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::List(wanted) => list(source, wanted),
        Command::Retry(wanted) => retry(source, wanted),
    }
}

fn list(source: &Source, wanted: &List) -> anyhow::Result<()> {
    let config = source.read()?;
    let clock = Clock::system();
    let state = wanted.state.as_deref();
    let found = ask(innkeeper_auth::list_mails(
        &config,
        &clock,
        state,
        wanted.limit,
    ))?;
    if wanted.json {
        return output::print_json(&found);
    }
    let none = Vec::new();
    let mails = found.get("mails").and_then(Value::as_array);
    output::print(&table(mails.unwrap_or(&none)))
}

fn retry(source: &Source, wanted: &Retry) -> anyhow::Result<()> {
    let config = source.read()?;
    let clock = Clock::system();
    let Some(id) = &wanted.id else {
        let due = ask(innkeeper_auth::retry_failed_mails(&config, &clock))?;
        if wanted.json {
            return output::print_json(&json!({ "due": due }));
        }
        return output::print(&format!("{due} mails are due.\n"));
    };
    let mail = ask(innkeeper_auth::retry_mail(&config, &clock, id))?;
    if wanted.json {
        return output::print_json(&mail);
    }
    output::print(&format!("Mail {id} is due.\n"))
}

fn table(mails: &[Value]) -> String {
    let mut text = format!(
        "{:<38}{:<11}{:<18}{:<7}{:<22}TO, LAST ERROR\n",
        "ID", "STATE", "KIND", "TRIES", "CREATED"
    );
    for mail in mails {
        let said = |name: &str| mail.get(name).and_then(Value::as_str).unwrap_or_default();
        let created = said("created_at");
        let created: String = created.chars().take(19).chain("Z".chars()).collect();
        let tries = mail.get("tries").and_then(Value::as_i64);
        let error = match said("last_error") {
            "" => String::new(),
            error => format!(" ({error})"),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<38}{:<11}{:<18}{:<7}{created:<22}{}",
            said("id"),
            said("state"),
            said("kind"),
            tries.unwrap_or_default(),
            output::on_one_line(&format!("{}{error}", said("to"))),
        );
    }
    text
}
