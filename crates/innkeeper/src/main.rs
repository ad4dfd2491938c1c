//! The `innkeeper` command: one binary for everything Innkeeper does.
//!
//! Exit codes: 0 when the command did its work, 1 when it failed, 2 when it was typed wrongly.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

mod about;

/// A REST framework, an authentication server and a hosting API in one binary
#[derive(Debug, Parser)]
#[command(
    name = "innkeeper",
    version,
    arg_required_else_help = true,
    after_help = "Example:\n  innkeeper about"
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the parts of Innkeeper and their versions
    #[command(after_help = "Example:\n  innkeeper about --json")]
    About(AboutArguments),
}

#[derive(Debug, Args)]
struct AboutArguments {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    // clap itself answers `--help` and `--version` (exit code 0) and wrong usage (2).
    let CommandLine { command } = CommandLine::parse();
    let done = match command {
        Command::About(arguments) => print(&about::text(arguments.json)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has seen enough, as in `innkeeper about | head -1`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell when stderr is gone too; the exit code still says it.
            let _ = writeln!(io::stderr(), "innkeeper: cannot write the answer: {error}");
            ExitCode::FAILURE
        }
    }
}

fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
