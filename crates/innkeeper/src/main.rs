//! The `innkeeper` command: one binary for everything Innkeeper does.
//!
//! Exit codes: 0 when the command did its work, 1 when it failed, 2 when it was typed wrongly.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod about;
mod auth;
mod completions;
mod doctor;
mod hosting;
mod listen;
mod man;
mod openapi;
mod output;
mod portal;
mod progress;
mod reload;
mod runtime;
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
    /// Start everything here: PostgreSQL, both servers, a mailbox
    #[command(after_help = up::EXAMPLES)]
    Up(up::Arguments),
    /// The auth server alone, and its operator's tasks
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper auth serve"
    )]
    Auth(auth::Arguments),
    /// The hosting server alone, and its operator's tasks
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper hosting serve"
    )]
    Hosting(hosting::Arguments),
    /// Print the OpenAPI document of a server, without starting it
    #[command(
        arg_required_else_help = true,
        after_help = "Example:\n  innkeeper openapi hosting"
    )]
    Openapi(openapi::Arguments),
    /// Check machine, settings, database and mail, and say what to do
    #[command(after_help = doctor::EXAMPLES)]
    Doctor(doctor::Arguments),
    /// Show the parts of Innkeeper and their versions
    #[command(after_help = "Example:\n  innkeeper about --json")]
    About(about::Arguments),
    /// Print what a shell needs to complete commands
    #[command(arg_required_else_help = true, after_help = completions::EXAMPLES)]
    Completions(completions::Arguments),
    /// Print the manual page, or write those of all commands
    #[command(after_help = man::EXAMPLES)]
    Man(man::Arguments),
}

fn main() -> ExitCode {
    // clap itself answers `--help` and `--version` (exit code 0) and wrong usage (2).
    let CommandLine { command } = CommandLine::parse();
    let done = match command {
        Command::Up(arguments) => up::run(&arguments),
        Command::Auth(arguments) => auth::run(arguments),
        Command::Hosting(arguments) => hosting::run(arguments),
        Command::Openapi(arguments) => openapi::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::About(arguments) => about::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell when stderr is gone too; the exit code still says it.
            let _ = writeln!(io::stderr(), "innkeeper: {error}");
            ExitCode::FAILURE
        }
    }
}
