//! `innkeeper hosting`: runs the hosting server, or one of its operator's tasks.

mod content;
mod customer;
mod feedback;
mod game;
mod incident;
mod key;
mod machine;
mod maintenance;
mod migrate;
mod profile;
mod serve;
mod settings;
mod vps;

use clap::{Args, Subcommand};

use crate::health;
use crate::settings::read_hosting;
use crate::settings_source::SettingsSource;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: SettingsSource,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve until Ctrl-C or SIGTERM; SIGHUP reloads the content
    #[command(
        after_help = "Example:\n  HOSTING_CONTENT_DIR=/srv/site innkeeper hosting serve\n\n\
                      Settings come from .env in the working folder and from the environment, which\n\
                      overrides it. docs/settings.md lists them. Without a content folder, the server\n\
                      serves demo content."
    )]
    Serve,
    /// Ask the server of the settings whether it is up
    #[command(
        after_help = "Example:\n  innkeeper hosting health -c /etc/innkeeper/hosting.env\n\n\
                            For health checks of containers, which have no other client."
    )]
    Health,
    /// Check the content without serving it
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper hosting content check /srv/site"
    )]
    Content(content::Arguments),
    /// Migrate the database schema to this version
    #[command(after_help = "Example:\n  innkeeper hosting migrate --json")]
    Migrate(migrate::Arguments),
    /// Report incidents on the status page
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper hosting incident open \"Slow disks\" -i minor"
    )]
    Incident(incident::Arguments),
    /// Announce maintenance on the status page
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper hosting maintenance list"
    )]
    Maintenance(maintenance::Arguments),
    /// Show readers' feedback on articles
    #[command(after_help = "Examples:\n  innkeeper hosting feedback\n  \
                            innkeeper hosting feedback --csv > feedback.csv")]
    Feedback(feedback::Arguments),
    /// Manage customers
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper hosting customer add \"North Ltd\""
    )]
    Customer(customer::Arguments),
    /// Manage the API keys of customers
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper hosting key list"
    )]
    Key(key::Arguments),
    /// Manage virtual private servers
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper hosting vps list"
    )]
    Vps(vps::Arguments),
    /// Manage game servers
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper hosting game list"
    )]
    Game(game::Arguments),
    /// Manage game profiles
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper hosting profile set minecraft.toml"
    )]
    Profile(profile::Arguments),
    /// Check the settings as the server does, and show them
    #[command(after_help = "Example:\n  innkeeper hosting settings -c hosting.env")]
    Settings(settings::Arguments),
}

pub(crate) fn run(arguments: Arguments) -> anyhow::Result<()> {
    let source = arguments.source;
    match arguments.command {
        Command::Serve => serve::run(&source),
        Command::Health => {
            let config = read_hosting(&mut source.hosting_server_reader()?)?;
            health::check(&config.http.host, config.http.port)
        }
        Command::Content(arguments) => content::run(&source, &arguments),
        Command::Migrate(arguments) => migrate::run(&source, &arguments),
        Command::Incident(arguments) => incident::run(&source, arguments),
        Command::Maintenance(arguments) => maintenance::run(&source, arguments),
        Command::Feedback(arguments) => feedback::run(&source, &arguments),
        Command::Customer(arguments) => customer::run(&source, arguments),
        Command::Key(arguments) => key::run(&source, arguments),
        Command::Vps(arguments) => vps::run(&source, arguments),
        Command::Game(arguments) => game::run(&source, arguments),
        Command::Profile(arguments) => profile::run(&source, arguments),
        Command::Settings(arguments) => settings::run(&source, &arguments),
    }
}
