//! `innkeeper auth compare`: plays a script of requests against two servers and shows where their answers
//! differ.

mod arguments;
mod by_design;
mod difference;
mod headers;
mod normalise;
mod pattern;
mod play;
mod recording;
mod report;
mod script;
mod server;
mod variables;

use std::path::Path;

use anyhow::{Context, anyhow};
use tokio::runtime::Builder;

pub(super) use arguments::Arguments;
use arguments::{Other, Side};
use recording::Recording;
use report::Report;
use script::Script;
use server::Server;

use crate::output::{self, CannotRun};
use crate::progress;

pub(super) const EXAMPLES: &str = "\
Examples:
  innkeeper auth compare --with http://localhost:8081 \\
      --against http://localhost:9999 --scratch
  innkeeper auth compare --with http://localhost:9999 --record old.json
  innkeeper auth compare --with http://localhost:8081 --against old.json

The tokens of the role service_role come from the options or, so that they are
in no list of processes, from COMPARE_WITH_TOKEN and COMPARE_AGAINST_TOKEN. It
writes to both servers: start them on databases of their own, with the same
settings and high rate limits. docs/auth/compare.md tells how.

The exit code is 0 without differences other than those by design, 1 with
differences, and 2 if the comparison could not run.";

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let script = Script::embedded().and_then(|script| script.only(&arguments.only));
    let script = script.map_err(CannotRun)?;
    if arguments.list {
        return output::print(&script.names());
    }
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start")
        .map_err(CannotRun)?;
    if let Some(file) = &arguments.record {
        let work = record(arguments, &script);
        let recording = runtime.block_on(progress::show("Recording", work));
        return write(&recording.map_err(CannotRun)?, file);
    }
    let work = compare(arguments, &script);
    let report = runtime.block_on(progress::show("Comparing", work));
    let report = report.map_err(CannotRun)?;
    if arguments.json {
        output::print_json(&report.as_json())?;
    } else {
        output::print(&report.as_text(output::Colours::of_stdout()))?;
    }
    match report.unexplained() {
        0 => Ok(()),
        1 => Err(anyhow!("one difference that is not by design")),
        number => Err(anyhow!("{number} differences that are not by design")),
    }
}

async fn record(arguments: &Arguments, script: &Script) -> anyhow::Result<Recording> {
    let server = Server::open(&arguments.with()?, arguments.scratch).await?;
    play::play(script, &server).await
}

fn write(recording: &Recording, file: &Path) -> anyhow::Result<()> {
    recording.write(file).map_err(CannotRun)?;
    let number = recording.len();
    let file = file.display();
    output::print(&format!("Wrote {number} answers to {file}.\n"))
}

async fn compare(arguments: &Arguments, script: &Script) -> anyhow::Result<Report> {
    let with = arguments.with()?;
    let (with, against) = match arguments.against()? {
        Other::File(file) => {
            let against = Recording::read(&file, script)?;
            let server = Server::open(&with, arguments.scratch).await?;
            (play::play(script, &server).await?, against)
        }
        Other::Server(against) => play_both(script, &with, &against, arguments.scratch).await?,
    };
    Ok(Report::new(script, &with, &against))
}

async fn play_both(
    script: &Script,
    with: &Side,
    against: &Side,
    is_scratch: bool,
) -> anyhow::Result<(Recording, Recording)> {
    let with = Server::open(with, is_scratch).await?;
    let against = Server::open(against, is_scratch).await?;
    tokio::try_join!(play::play(script, &with), play::play(script, &against))
}
