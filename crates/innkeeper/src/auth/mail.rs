//! `innkeeper auth mail`: lists mails and retries their delivery.

use std::fmt::Write as _;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use innkeeper_service::clock::Clock;
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
    /// List mails without their content, newest first
    #[command(after_help = "Example:\n  innkeeper auth mail list --state failed")]
    List(List),
    /// Retry a mail that is waiting or has failed
    #[command(after_help = "Examples:\n  \
                            innkeeper auth mail retry 7f2c1f5e-5c4e-4d3e-9b55-0d6b8f0f6f11\n  \
                            innkeeper auth mail retry --failed\n\n\
                            A running server sends it within a second.")]
    Retry(Retry),
}

#[derive(Debug, Args)]
struct List {
    /// State: waiting, sending, delivered or failed
    #[arg(
        long,
        hide_possible_values = true,
        value_parser = PossibleValuesParser::new(["waiting", "sending", "delivered", "failed"])
    )]
    state: Option<String>,
    /// The most mails to list
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
    /// Retry all mails that have failed
    #[arg(long)]
    failed: bool,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

pub(super) fn run(source: &SettingsSource, arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::List(arguments) => list(source, arguments),
        Command::Retry(arguments) => retry(source, arguments),
    }
}

fn list(source: &SettingsSource, arguments: &List) -> anyhow::Result<()> {
    let config = source.auth_config()?;
    let clock = Clock::system();
    let state = arguments.state.as_deref();
    let listing = task::run(innkeeper_auth::list_mails(
        &config,
        &clock,
        state,
        arguments.limit,
    ))?;
    if arguments.json {
        return output::print_json(&listing);
    }
    let none = Vec::new();
    let mails = listing.get("mails").and_then(Value::as_array);
    output::print(&table(mails.unwrap_or(&none)))
}

fn retry(source: &SettingsSource, arguments: &Retry) -> anyhow::Result<()> {
    let config = source.auth_config()?;
    let clock = Clock::system();
    let Some(id) = &arguments.id else {
        let due = task::run(innkeeper_auth::retry_failed_mails(&config, &clock))?;
        if arguments.json {
            return output::print_json(&json!({ "due": due }));
        }
        return output::print(&format!("{due} mails will be sent now.\n"));
    };
    let mail = task::run(innkeeper_auth::retry_mail(&config, &clock, id))?;
    if arguments.json {
        return output::print_json(&mail);
    }
    output::print(&format!("Mail {id} will be sent now.\n"))
}

fn table(mails: &[Value]) -> String {
    let mut text = format!(
        "{:<38}{:<11}{:<18}{:<7}{:<22}TO, LAST ERROR\n",
        "ID", "STATE", "KIND", "TRIES", "CREATED"
    );
    for mail in mails {
        let text_of = |name: &str| mail.get(name).and_then(Value::as_str).unwrap_or_default();
        let created = text_of("created_at");
        let created: String = created.chars().take(19).chain("Z".chars()).collect();
        let tries = mail.get("tries").and_then(Value::as_i64);
        let error = match text_of("last_error") {
            "" => String::new(),
            error => format!(" ({error})"),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<38}{:<11}{:<18}{:<7}{created:<22}{}",
            text_of("id"),
            text_of("state"),
            text_of("kind"),
            tries.unwrap_or_default(),
            output::on_one_line(&format!("{}{error}", text_of("to"))),
        );
    }
    text
}
