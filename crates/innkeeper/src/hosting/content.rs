//! `innkeeper hosting content check`: checks the files of the content.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::{Args, Subcommand};
use innkeeper_hosting::content::{ContentIndex, Problem};
use serde_json::json;

use crate::output::{self, with_causes};
use crate::settings_source::SettingsSource;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Report every error in the files, with its line
    #[command(
        after_help = "Examples:\n  innkeeper hosting content check /srv/site\n  \
                            innkeeper hosting content check --json\n\n\
                            The exit code is 1 if a file has an error."
    )]
    Check(CheckArguments),
}

#[derive(Debug, Args)]
struct CheckArguments {
    /// The content folder [default: the one in the settings]
    folder: Option<PathBuf>,
    /// Print JSON instead of lines
    #[arg(long)]
    json: bool,
}

pub(super) fn run(source: &SettingsSource, arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::Check(arguments) => check(source, arguments),
    }
}

fn check(source: &SettingsSource, arguments: &CheckArguments) -> anyhow::Result<()> {
    let mut config = source.hosting_config()?;
    if let Some(folder) = &arguments.folder {
        config.content.dir = Some(folder.clone());
    }
    let content = innkeeper_hosting::open_content(&config.content);
    let content = content.map_err(|error| anyhow!("{}", with_causes(&error)))?;
    let index = content.index();
    if arguments.json {
        output::print_json(&as_json(&index))?;
    } else {
        output::print(&as_lines(&index))?;
    }
    match index.problems().len() {
        0 => Ok(()),
        1 => Err(anyhow!("found one problem")),
        number => Err(anyhow!("found {number} problems")),
    }
}

fn as_lines(index: &ContentIndex) -> String {
    let line = |problem: &Problem| {
        let problem_line = output::on_one_line(&problem.to_string());
        format!("{problem_line} ({})\n", problem.effect.words())
    };
    let problems: String = index.problems().iter().map(line).collect();
    let (articles, plans) = (index.len(), index.plans().plans.len());
    format!("{problems}{articles} articles, {plans} plans\n")
}

fn as_json(index: &ContentIndex) -> serde_json::Value {
    let problems: Vec<_> = index
        .problems()
        .iter()
        .map(|problem| {
            json!({
                "file": problem.file,
                "line": problem.line,
                "message": problem.message,
                "effect": problem.effect.words(),
            })
        })
        .collect();
    json!({
        "articles": index.len(),
        "plans": index.plans().plans.len(),
        "problems": problems,
    })
}
