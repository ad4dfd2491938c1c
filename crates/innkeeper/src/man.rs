//! `innkeeper man`: prints or writes the manual pages.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::{Args, Command};
use clap_mangen::Man;

use crate::output;

pub(crate) const EXAMPLES: &str = "\
Examples:
  innkeeper man | man -l -
  innkeeper man --dir ~/.local/share/man/man1";

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Write one page per command to DIR
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, command: Command) -> anyhow::Result<()> {
    let mut command = without_help(command);
    // Gives subcommands their full names, such as `innkeeper-auth-serve`.
    command.build();
    match &arguments.dir {
        None => output::print(&page(&command)?),
        Some(folder) => {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot create {}", folder.display()))?;
            write_pages(&command, folder)
        }
    }
}

/// Writes the pages of a command and of its subcommands.
fn write_pages(command: &Command, folder: &Path) -> anyhow::Result<()> {
    let name = file_name(command);
    let file = folder.join(&name);
    fs::write(&file, page(command)?)
        .map_err(|error| anyhow!("cannot write {}: {error}", file.display()))?;
    let mut subcommands = command.get_subcommands();
    subcommands.try_for_each(|command| write_pages(command, folder))
}

/// Removes the subcommand `help`, which has no page of its own, on all levels.
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
