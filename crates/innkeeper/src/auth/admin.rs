//! `innkeeper auth admin`: users.

use std::io::{self, BufRead, IsTerminal, Write};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use innkeeper_auth::NewAccount;
use innkeeper_service::clock::Clock;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
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
    /// Take the address as confirmed
    #[arg(long)]
    confirm: bool,
    /// Let the user use the admin endpoints
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
    /// The audience in which an address is looked for
    #[arg(short, long)]
    aud: Option<String>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

pub(super) fn run(source: &Source, arguments: Arguments) -> anyhow::Result<()> {
    match arguments.command {
        Command::CreateUser(wanted) => create(source, wanted),
        Command::DeleteUser(wanted) => delete(source, &wanted),
    }
}

fn create(source: &Source, wanted: CreateUser) -> anyhow::Result<()> {
    let config = source.read()?;
    let account = NewAccount {
        email: wanted.email,
        password: match wanted.password.as_str() {
            "-" => read_password()?,
            _ => wanted.password,
        },
        role: wanted.role,
        aud: wanted.aud,
        confirm: wanted.confirm,
        admin: wanted.admin,
    };
    let clock = Clock::system();
    let user = ask(innkeeper_auth::create_user(&config, &clock, &account))?;
    if wanted.json {
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

fn delete(source: &Source, wanted: &DeleteUser) -> anyhow::Result<()> {
    let config = source.read()?;
    let clock = Clock::system();
    let aud = wanted.aud.as_deref();
    let id = ask(innkeeper_auth::delete_user(
        &config,
        &clock,
        &wanted.user,
        aud,
    ))?;
    if wanted.json {
        return output::print_json(&json!({ "id": id }));
    }
    output::print(&format!("Deleted user {id}.\n"))
}

/// The first line of standard input. On a terminal it is asked for and not shown.
fn read_password() -> anyhow::Result<String> {
    let input = io::stdin();
    let hidden = input.is_terminal().then(Hidden::start).transpose()?;
    let mut line = String::new();
    let read = input.lock().read_line(&mut line);
    drop(hidden);
    read.context("cannot read the password")?;
    let password = line.trim_end_matches(['\n', '\r']);
    if password.is_empty() {
        bail!("there is no password on standard input");
    }
    Ok(password.to_owned())
}

/// A terminal that does not show what is typed.
struct Hidden(rustix::termios::Termios);

impl Hidden {
    fn start() -> anyhow::Result<Self> {
        let before = tcgetattr(io::stdin()).context("cannot ask for the password")?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Flush, &silent)
            .context("cannot ask for the password")?;
        // The question is for the person; without it they may still type.
        let _ = write!(io::stderr(), "Password: ");
        Ok(Self(before))
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // Nothing else can be done about a terminal that does not answer.
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &self.0);
        let _ = writeln!(io::stderr());
    }
}
