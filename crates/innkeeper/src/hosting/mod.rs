//! `innkeeper hosting`: the hosting server alone, and its operator's tasks.

mod content;
mod serve;
mod settings;

use clap::{Args, Subcommand};

use settings::Source;

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
}

pub(crate) fn run(arguments: Arguments) -> anyhow::Result<()> {
    let source = arguments.source;
    match arguments.command {
        Command::Serve => serve::run(&source),
        Command::Content(arguments) => content::run(&source, &arguments),
    }
}
