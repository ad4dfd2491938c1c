//! `innkeeper auth`: runs the auth server, or one of its operator's tasks.

mod admin;
mod audit;
mod compare;
mod keys;
mod mail;
mod migrate;
mod password_input;
mod serve;
mod session;
mod settings;
mod takeover;
mod token;
mod user;

use clap::{Args, Subcommand};

use crate::health;
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
    /// Migrate the database, then serve until Ctrl-C or SIGTERM
    #[command(
        after_help = "Example:\n  innkeeper auth serve -c /etc/innkeeper/auth.env\n\n\
                      Settings come from .env in the working folder and from the environment, which\n\
                      overrides it. docs/settings.md lists them.\n\n\
                      On SIGHUP the server reopens its log file and reloads its mail templates and\n\
                      its keys, from AUTH_JWT_KEYS and from the database."
    )]
    Serve,
    /// Ask the server of the settings whether it is up
    #[command(
        after_help = "Example:\n  innkeeper auth health -c /etc/innkeeper/auth.env\n\n\
                            For health checks of containers, which have no other client."
    )]
    Health,
    /// Migrate the database schema to this version
    #[command(after_help = migrate::EXAMPLES)]
    Migrate(migrate::Arguments),
    /// Check whether a database of GoTrue can be taken over, or finish that
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper auth takeover check --env-file gotrue.env"
    )]
    Takeover(takeover::Arguments),
    /// List, show, create, change, ban and delete users
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper auth user list --filter example.com"
    )]
    User(user::Arguments),
    /// List and end the sessions of a user
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper auth session list ada@example.com"
    )]
    Session(session::Arguments),
    /// Show the audit log, newest entries first
    #[command(after_help = "Examples:\n  innkeeper auth audit\n  \
                            innkeeper auth audit --action login --author ada@example.com")]
    Audit(audit::Arguments),
    /// Create and delete users, as GoTrue's command does
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper auth admin create-user ada@example.com - --confirm"
    )]
    Admin(admin::Arguments),
    /// Generate, list, rotate and revoke the keys that sign access tokens
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper auth keys rotate"
    )]
    Keys(keys::Arguments),
    /// List mails and retry their delivery
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper auth mail list --state failed"
    )]
    Mail(mail::Arguments),
    /// Print a token for a service or, with the role anon, for an app
    #[command(after_help = "Examples:\n  innkeeper auth token\n  \
                            innkeeper auth token --role anon --expires 720h")]
    Token(token::Arguments),
    /// Compare the answers of two servers, such as GoTrue and this one
    #[command(after_help = compare::EXAMPLES)]
    Compare(compare::Arguments),
    /// Check the settings as the server does, and show them
    #[command(after_help = "Example:\n  innkeeper auth settings -c auth.env")]
    Settings(settings::Arguments),
}

pub(crate) fn run(arguments: Arguments) -> anyhow::Result<()> {
    let source = arguments.source;
    match arguments.command {
        Command::Serve => serve::run(&source),
        Command::Health => {
            let config = source.auth_server_config()?;
            health::check(&config.api.host, config.api.port)
        }
        Command::Migrate(arguments) => migrate::run(&source, &arguments),
        Command::Takeover(arguments) => takeover::run(&source, &arguments),
        Command::User(arguments) => user::run(&source, arguments),
        Command::Session(arguments) => session::run(&source, &arguments),
        Command::Audit(arguments) => audit::run(&source, arguments),
        Command::Admin(arguments) => admin::run(&source, arguments),
        Command::Keys(arguments) => keys::run(&source, &arguments),
        Command::Mail(arguments) => mail::run(&source, &arguments),
        Command::Token(arguments) => token::run(&source, &arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Settings(arguments) => settings::run(&source, &arguments),
    }
}
