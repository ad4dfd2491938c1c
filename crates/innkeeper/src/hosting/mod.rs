//! `innkeeper hosting`: the hosting server alone, and its operator's tasks.

mod content;
mod database;
mod feedback;
mod incident;
mod maintenance;
mod serve;
mod settings;

use clap::{Args, Subcommand};

use settings::Source;
pub(crate) use settings::reader;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: Source,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve until Ctrl-C or SIGTERM; SIGHUP loads the content again
    #[command(
        after_help = "Example:\n  HOSTING_CONTENT_DIR=/srv/site innkeeper hosting serve\n\n\
                      Settings come from .env in the working folder and from the environment, which\n\
                      wins. docs/settings.md lists them. Without a folder, demo content is served."
    )]
    Serve,
    /// Look at the content without serving it
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper hosting content check /srv/site"
    )]
    Content(content::Arguments),
    /// Bring the schema of the database up to date
    #[command(after_help = "Example:\n  innkeeper hosting migrate --json")]
    Migrate(database::Arguments),
    /// Tell visitors of the status page what goes wrong
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper hosting incident open \"Slow disks\" -i minor"
    )]
    Incident(incident::Arguments),
    /// Announce work on the status page
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper hosting maintenance list"
    )]
    Maintenance(maintenance::Arguments),
    /// Show what readers say about articles
    #[command(after_help = "Examples:\n  innkeeper hosting feedback\n  \
                            innkeeper hosting feedback --csv > feedback.csv")]
    Feedback(feedback::Arguments),
}

pub(crate) fn run(arguments: Arguments) -> anyhow::Result<()> {
    let source = arguments.source;
    match arguments.command {
        Command::Serve => serve::run(&source),
        Command::Content(arguments) => content::run(&source, &arguments),
        Command::Migrate(arguments) => database::migrate(&source, &arguments),
        Command::Incident(arguments) => incident::run(&source, arguments),
        Command::Maintenance(arguments) => maintenance::run(&source, arguments),
        Command::Feedback(arguments) => feedback::run(&source, &arguments),
    }
}
