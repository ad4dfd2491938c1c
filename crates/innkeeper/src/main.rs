//! The `innkeeper` command: both servers, their operator's tasks and `innkeeper up` in one binary.
//!
//! Exit codes: 0 for success, 1 for a failure, 2 for wrong usage and for work that could not begin where 1 is
//! its outcome.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

mod about;
mod auth;
mod checks;
mod completions;
mod demo_provider;
mod doctor;
mod duration;
mod file_limit;
mod health;
mod hosting;
mod listen;
mod logging;
mod logs;
mod man;
mod open;
mod openapi;
mod output;
mod portal;
mod progress;
mod reload;
mod runtime;
mod settings;
#[cfg(test)]
mod settings_page;
mod settings_source;
mod shown_settings;
mod status;
mod task;
mod up;

/// A REST framework, an authentication server and a hosting API in one binary
#[derive(Debug, Parser)]
#[command(
    name = "innkeeper",
    version = env!("INNKEEPER_VERSION"),
    arg_required_else_help = true,
    after_help = "Example:\n  innkeeper up"
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start PostgreSQL, both servers and a mailbox on this machine
    #[command(after_help = up::EXAMPLES)]
    Up(up::Arguments),
    /// Show whether `innkeeper up` runs, and where
    #[command(after_help = status::EXAMPLES)]
    Status(status::Arguments),
    /// Show the log of `innkeeper up`
    #[command(after_help = logs::EXAMPLES)]
    Logs(logs::Arguments),
    /// Open a page of `innkeeper up` in the browser
    #[command(after_help = open::EXAMPLES)]
    Open(open::Arguments),
    /// Run the auth server, or one of its operator's tasks
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper auth serve"
    )]
    Auth(auth::Arguments),
    /// Run the hosting server, or one of its operator's tasks
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper hosting serve"
    )]
    Hosting(hosting::Arguments),
    /// Print the OpenAPI document of a server without starting it
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper openapi hosting"
    )]
    Openapi(openapi::Arguments),
    /// Check machine, settings, databases and mail, and suggest fixes
    #[command(after_help = doctor::EXAMPLES)]
    Doctor(doctor::Arguments),
    /// List the parts of Innkeeper and their versions
    #[command(after_help = "Example:\n  innkeeper about --json")]
    About(about::Arguments),
    /// Print a shell's completion script
    #[command(arg_required_else_help = true, after_help = completions::EXAMPLES)]
    Completions(completions::Arguments),
    /// Print the manual page, or write the pages of all commands
    #[command(after_help = man::EXAMPLES)]
    Man(man::Arguments),
}

fn main() -> ExitCode {
    // clap itself handles `--help` and `--version` (exit code 0) and wrong usage (2).
    let CommandLine { command } = CommandLine::parse();
    let outcome = match command {
        Command::Up(arguments) => up::run(&arguments),
        Command::Status(arguments) => status::run(&arguments),
        Command::Logs(arguments) => logs::run(&arguments),
        Command::Open(arguments) => open::run(&arguments),
        Command::Auth(arguments) => auth::run(arguments),
        Command::Hosting(arguments) => hosting::run(arguments),
        Command::Openapi(arguments) => openapi::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::About(arguments) => about::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments, CommandLine::command()),
        Command::Man(arguments) => man::run(&arguments, CommandLine::command()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // When standard error is closed, only the exit code reports the failure.
            let _ = writeln!(io::stderr(), "innkeeper: {error}");
            match error.downcast_ref::<output::CannotRun>() {
                Some(_) => ExitCode::from(2),
                None => ExitCode::FAILURE,
            }
        }
    }
}
