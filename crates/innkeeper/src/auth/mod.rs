//! `innkeeper auth`: the auth server alone, and its operator's tasks.

mod admin;
mod database;
mod keys;
mod mail;
mod serve;
mod settings;
mod show_settings;
mod token;

use std::future::Future;

use anyhow::anyhow;
use clap::{Args, Subcommand};

use crate::progress;
pub(crate) use serve::level as log_level;
use settings::Source;
pub(crate) use settings::{SettingFaults, reader};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: Source,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve until Ctrl-C or SIGTERM; brings the schema up to date first
    #[command(
        after_help = "Example:\n  innkeeper auth serve -c /etc/innkeeper/auth.env\n\n\
                      Settings come from .env in the working folder and from the environment, which\n\
                      wins. docs/settings.md lists them.\n\n\
                      SIGHUP opens the log file again, reads AUTH_JWT_KEYS again and looks for keys\n\
                      in the database; a restart is not needed."
    )]
    Serve,
    /// Bring the schema of the database up to date
    #[command(after_help = "Example:\n  innkeeper auth migrate --json")]
    Migrate(database::Arguments),
    /// Create and delete users
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper auth admin create-user ada@example.com - --confirm"
    )]
    Admin(admin::Arguments),
    /// Make and rotate the keys that sign access tokens
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper auth keys rotate"
    )]
    Keys(keys::Arguments),
    /// See what became of mails, and have them tried again
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper auth mail list --state failed"
    )]
    Mail(mail::Arguments),
    /// Print a token for a service; with the role anon, one for an app
    #[command(after_help = "Examples:\n  innkeeper auth token\n  \
                            innkeeper auth token --role anon --expires 720h")]
    Token(token::Arguments),
    /// Check the settings and show what is set, except secrets
    #[command(after_help = "Example:\n  innkeeper auth settings -c auth.env")]
    Settings(show_settings::Arguments),
}

pub(crate) fn run(arguments: Arguments) -> anyhow::Result<()> {
    let source = arguments.source;
    match arguments.command {
        Command::Serve => serve::run(&source),
        Command::Migrate(arguments) => database::migrate(&source, &arguments),
        Command::Admin(arguments) => admin::run(&source, arguments),
        Command::Keys(arguments) => keys::run(&source, &arguments),
        Command::Mail(arguments) => mail::run(&source, &arguments),
        Command::Token(arguments) => token::run(&source, &arguments),
        Command::Settings(arguments) => show_settings::run(&source, &arguments),
    }
}

/// Does an operator's task, which asks the database, and shows that it is at it.
pub(crate) fn ask<T, E>(work: impl Future<Output = Result<T, E>>) -> anyhow::Result<T>
where
    E: std::error::Error,
{
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| anyhow!("cannot start: {error}"))?;
    runtime
        .block_on(progress::show("Asking the database", work))
        .map_err(|error| anyhow!("{}", with_causes(&error)))
}

/// What went wrong and why, each reason once.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let reason = error.to_string();
        if !text.contains(&reason) {
            text = format!("{text}: {reason}");
        }
        cause = error.source();
    }
    text
}
