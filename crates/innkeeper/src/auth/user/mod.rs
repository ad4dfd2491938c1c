//! `innkeeper auth user`: manages users.

mod change;
mod selector;
mod shown;

use clap::{Args, Subcommand};
use innkeeper_auth::UserQuery;
use innkeeper_service::clock::Clock;
use serde_json::{Value, json};

use crate::settings_source::SettingsSource;
use crate::{output, task};
pub(super) use selector::UserSelector;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List users, newest first
    #[command(after_help = "Examples:\n  innkeeper auth user list\n  \
                            innkeeper auth user list --filter example.com --limit 10 --json")]
    List(List),
    /// Show a user
    #[command(after_help = "Example:\n  innkeeper auth user show ada@example.com")]
    Show(Show),
    /// Create a user
    #[command(
        after_help = "Examples:\n  innkeeper auth user create ada@example.com - --confirm\n  \
                            innkeeper auth user create --phone +49301234567 --confirm\n\n\
                            Without a password the user signs in by link or code."
    )]
    Create(change::Create),
    /// Change a user
    #[command(
        override_usage = "innkeeper auth user update [OPTIONS] <USER>",
        after_help = "Examples:\n  innkeeper auth user update ada@example.com --role editor\n  \
                            innkeeper auth user update ada@example.com \\\n    \
                            --user-metadata '{\"name\":\"Ada\"}'"
    )]
    Update(change::Update),
    /// Keep a user from signing in
    #[command(
        after_help = "Examples:\n  innkeeper auth user ban ada@example.com --for 24h\n  \
                            innkeeper auth user ban ada@example.com --lift"
    )]
    Ban(change::BanArguments),
    /// Delete a user
    #[command(after_help = "Example:\n  innkeeper auth user delete ada@example.com")]
    Delete(change::Delete),
    /// Set a user's password, and end the user's sessions
    #[command(after_help = "Example:\n  \
                            innkeeper auth user set-password ada@example.com -")]
    SetPassword(change::SetPassword),
}

#[derive(Debug, Args)]
struct List {
    /// A part of the email address or of the full name
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// The email address
    #[arg(long)]
    email: Option<String>,
    /// The phone number
    #[arg(long)]
    phone: Option<String>,
    /// The audience
    #[arg(short, long)]
    aud: Option<String>,
    /// Begin with the oldest
    #[arg(long)]
    oldest_first: bool,
    /// The most users to list
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u32,
    /// The number of the page
    #[arg(long, value_name = "N", default_value_t = 1)]
    page: u32,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Show {
    #[command(flatten)]
    user: UserSelector,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

pub(super) fn run(source: &SettingsSource, arguments: Arguments) -> anyhow::Result<()> {
    match arguments.command {
        Command::List(arguments) => list(source, arguments),
        Command::Show(arguments) => show(source, &arguments),
        Command::Create(arguments) => change::create(source, arguments),
        Command::Update(arguments) => change::update(source, arguments),
        Command::Ban(arguments) => change::ban(source, &arguments),
        Command::Delete(arguments) => change::delete(source, &arguments),
        Command::SetPassword(arguments) => change::set_password(source, arguments),
    }
}

fn list(source: &SettingsSource, arguments: List) -> anyhow::Result<()> {
    let config = source.auth_config()?;
    let (limit, page) = (arguments.limit, arguments.page);
    let query = UserQuery {
        filter: arguments.filter,
        email: arguments.email,
        phone: arguments.phone,
        aud: arguments.aud,
        oldest_first: arguments.oldest_first,
        limit,
        page,
    };
    let clock = Clock::system();
    let listing = task::run(innkeeper_auth::list_users(&config, &clock, &query))?;
    if arguments.json {
        return output::print_json(&listing);
    }
    let users = listing.get("users").and_then(Value::as_array);
    let users = users.map_or(&[][..], Vec::as_slice);
    output::print(&shown::table(users, clock.now()))?;
    let total = listing.get("total").and_then(Value::as_u64);
    output::tell_of_page(users.len(), total.unwrap_or_default(), limit, page);
    Ok(())
}

fn show(source: &SettingsSource, arguments: &Show) -> anyhow::Result<()> {
    let config = source.auth_config()?;
    let clock = Clock::system();
    let selector = arguments.user.selector();
    let user = task::run(innkeeper_auth::show_user(&config, &clock, selector))?;
    print_user(&user, arguments.json)
}

fn print_user(user: &Value, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        return output::print_json(&json!(user));
    }
    let now = Clock::system().now();
    output::print(&output::pairs(&shown::rows(user, now)))
}
