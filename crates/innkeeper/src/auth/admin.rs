//! `innkeeper auth admin`: creates and deletes users, under the names that GoTrue has for it.

use clap::{Args, Subcommand};
use innkeeper_auth::{AccountSelector, NewAccount};
use innkeeper_service::clock::Clock;
use serde_json::{Value, json};

use super::password_input::password_of;
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
    /// Create a user
    #[command(
        alias = "createuser",
        after_help = "Examples:\n  \
                      innkeeper auth admin create-user ada@example.com correct-horse-9 --confirm\n  \
                      innkeeper auth admin create-user root@example.com - --admin < password.txt"
    )]
    CreateUser(CreateUser),
    /// Delete a user
    #[command(
        alias = "deleteuser",
        after_help = "Example:\n  innkeeper auth admin delete-user ada@example.com"
    )]
    DeleteUser(DeleteUser),
}

#[derive(Debug, Args)]
struct CreateUser {
    /// The user's email address
    email: String,
    /// The password; `-` reads it from standard input
    password: String,
    /// The user's role
    #[arg(long)]
    role: Option<String>,
    /// The user's audience
    #[arg(short, long)]
    aud: Option<String>,
    /// Mark the address as confirmed
    #[arg(long)]
    confirm: bool,
    /// Give the user access to the admin endpoints
    #[arg(long)]
    admin: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct DeleteUser {
    /// The user's id or email address
    #[arg(value_name = "ID_OR_EMAIL")]
    user: String,
    /// The audience in which to look up an email address
    #[arg(short, long)]
    aud: Option<String>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

pub(super) fn run(source: &SettingsSource, arguments: Arguments) -> anyhow::Result<()> {
    match arguments.command {
        Command::CreateUser(arguments) => create(source, arguments),
        Command::DeleteUser(arguments) => delete(source, &arguments),
    }
}

fn create(source: &SettingsSource, arguments: CreateUser) -> anyhow::Result<()> {
    let config = source.auth_config()?;
    let account = NewAccount {
        email: Some(arguments.email),
        password: Some(password_of(arguments.password)?),
        role: arguments.role,
        aud: arguments.aud,
        confirm: arguments.confirm,
        admin: arguments.admin,
        ..NewAccount::default()
    };
    let clock = Clock::system();
    let user = task::run(innkeeper_auth::create_user(&config, &clock, &account))?;
    if arguments.json {
        return output::print_json(&user);
    }
    let text = |name: &str| user.get(name).and_then(Value::as_str).unwrap_or_default();
    let is_confirmed = !text("email_confirmed_at").is_empty();
    output::print(&output::pairs(&[
        ("id", text("id").to_owned()),
        ("email", text("email").to_owned()),
        ("role", text("role").to_owned()),
        ("audience", text("aud").to_owned()),
        (
            "confirmed",
            if is_confirmed { "yes" } else { "no" }.to_owned(),
        ),
    ]))
}

fn delete(source: &SettingsSource, arguments: &DeleteUser) -> anyhow::Result<()> {
    let config = source.auth_config()?;
    let clock = Clock::system();
    let selector = AccountSelector {
        account: &arguments.user,
        aud: arguments.aud.as_deref(),
    };
    let id = task::run(innkeeper_auth::delete_user(
        &config, &clock, selector, false,
    ))?;
    if arguments.json {
        return output::print_json(&json!({ "id": id }));
    }
    output::print(&format!("Deleted user {id}.\n"))
}
