//! `innkeeper man`: the manual pages.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;

use crate::{CommandLine, output};

pub(crate) const EXAMPLES: &str = "\
Examples:
  innkeeper man | man -l -
  innkeeper man --dir ~/.local/share/man/man1";

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Write a page for each command into DIR
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    // The pages of commands then carry the names that people type.
    let mut command = without_help(CommandLine::command());
    command.build();
    match &arguments.dir {
        None => output::print(&page(&command)?),
        Some(folder) => {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make {}", folder.display()))?;
            write_pages(&command, folder)
        }
    }
}

/// The page of a command and of those below it.
fn write_pages(command: &Command, folder: &Path) -> anyhow::Result<()> {
    let name = file_name(command);
    let file = folder.join(&name);
    fs::write(&file, page(command)?)
        .map_err(|error| anyhow!("cannot write {}: {error}", file.display()))?;
    let mut below = command.get_subcommands();
    below.try_for_each(|command| write_pages(command, folder))
}

/// The command without `help`, which has no page of its own.
fn without_help(command: Command) -> Command {
    let command = command.disable_help_subcommand(true);
    command.mut_subcommands(without_help)
}

fn file_name(command: &Command) -> String {
    let name = command.get_display_name().unwrap_or(command.get_name());
    format!("{name}.1")
}

fn page(command: &Command) -> anyhow::Result<String> {
    let mut page = Vec::new();
    let man = Man::new(command.clone()).source(format!("Innkeeper {}", env!("CARGO_PKG_VERSION")));
    man.render(&mut page).context("cannot write the page")?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
