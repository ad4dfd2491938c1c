//! `innkeeper completions`: prints a completion script.

use clap::{Args, Command};
use clap_complete::{Shell, generate};

use crate::output;

pub(crate) const EXAMPLES: &str = "\
Examples:
  innkeeper completions bash > /etc/bash_completion.d/innkeeper
  innkeeper completions fish > ~/.config/fish/completions/innkeeper.fish";

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The shell: bash, elvish, fish, powershell or zsh
    #[arg(hide_possible_values = true)]
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments, mut command: Command) -> anyhow::Result<()> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut command, "innkeeper", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}
