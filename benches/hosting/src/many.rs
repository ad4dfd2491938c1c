//! A folder of many articles: loading it, its memory, searching it, and changing it.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::Plan;
use crate::articles::{self, Article, USUAL, questions};
use crate::results::{Results, median};
use crate::server::{Running, Server, Setup};
use crate::wire::{Connection, get};

const QUESTIONS: usize = 2000;
const CHANGES: usize = 7;
/// The time-out of a change.
const PATIENCE: Duration = Duration::from_secs(30);
/// The pause between the last response and the measurement of memory.
const SETTLE: Duration = Duration::from_secs(2);

/// Starts the server on many articles twice; the second time they are already rendered.
pub(crate) fn measure(plan: &Plan, results: &mut Results) -> Result<()> {
    let content = plan.places.empty("many")?;
    let nothing = plan.places.empty("none")?;
    let all = articles::write(&content.join("kb"), plan.articles, USUAL)?;
    let source: usize = all.iter().map(|article| article.file.len()).sum();
    println!(
        "\n{} articles, {:.1} MB of source",
        all.len(),
        megabytes(u64::try_from(source)?)
    );
    let (first, _) = start(plan, &content)?;
    results.figure("first load", "s", first.as_secs_f64(), 60.0);
    let (later, mut running) = start(plan, &content)?;
    results.figure("later load", "s", later.as_secs_f64(), 5.0);
    sleep(SETTLE);
    let loaded = running.process.resident()?;
    let (_, empty) = start(plan, &nothing)?;
    sleep(SETTLE);
    let grown = loaded.saturating_sub(empty.process.resident()?);
    let times = megabytes(grown) / megabytes(u64::try_from(source)?);
    results.note("resident growth", "MB", megabytes(grown));
    results.figure("resident growth, times the source", "", times, 4.0);
    search(&running, results)?;
    change(&mut running, &content.join("kb"), &all, results)?;
    results.note(
        "resident after all that",
        "MB",
        megabytes(running.process.resident()?),
    );
    running.process.stop()?;
    fs::remove_dir_all(&content).context("removing the articles")
}

/// Starts the server, and returns the time to its first response.
fn start(plan: &Plan, content: &Path) -> Result<(Duration, Running)> {
    let start = Instant::now();
    let setup = Setup {
        places: &plan.places,
        folder: Some(content),
        database: None,
        one_thread: false,
        callgrind: None,
    };
    let mut running = setup.start(Server::Innkeeper)?;
    running.wait_for("/v1/kb/list")?;
    Ok((start.elapsed(), running))
}

/// Runs one search after the other.
fn search(running: &Running, results: &mut Results) -> Result<()> {
    let mut connection = Connection::open(running.address)?;
    let mut times = Vec::new();
    for words in questions(QUESTIONS) {
        let request = get(&format!("/v1/kb/list?q={}", words.replace(' ', "+")), "");
        let start = Instant::now();
        let answer = connection.ask(&request)?;
        times.push(start.elapsed());
        ensure!(answer.status == 200, "{words}: {}", answer.status);
    }
    times.sort_unstable();
    results.note("search, median", "ms", at(&times, 50));
    results.figure("search, p99", "ms", at(&times, 99), 5.0);
    Ok(())
}

/// Returns the value that `percent` of the sorted values do not exceed, in milliseconds.
pub(crate) fn at(sorted: &[Duration], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    let value = sorted.get(rank - 1).copied().unwrap_or_default();
    value.as_secs_f64() * 1e3
}

/// Changes articles, and requests each until the response is the new one.
fn change(
    running: &mut Running,
    folder: &Path,
    all: &[Article],
    results: &mut Results,
) -> Result<()> {
    let mut times = Vec::new();
    for (number, article) in all.iter().enumerate().take(CHANGES) {
        let word = format!("changedword{number}");
        let path = article.name.trim_end_matches(".md");
        let request = get(&format!("/v1/kb/article?path=/kb/{path}"), "");
        let start = Instant::now();
        fs::write(
            folder.join(&article.name),
            format!("{}{word}\n", article.file),
        )?;
        let mut connection = Connection::open(running.address)?;
        loop {
            let answer = connection.ask(&request)?;
            ensure!(answer.status == 200, "{path}: {}", answer.status);
            let mut windows = answer.body.windows(word.len());
            if windows.any(|window| window == word.as_bytes()) {
                break;
            }
            if start.elapsed() > PATIENCE {
                bail!("a change is not seen");
            }
            running.process.check()?;
            sleep(Duration::from_millis(5));
        }
        times.push(start.elapsed().as_secs_f64());
    }
    let slowest = times.iter().copied().fold(0.0, f64::max);
    results.note(
        "change to answer, median",
        "s",
        median(times).unwrap_or(0.0),
    );
    results.figure("change to answer, slowest", "s", slowest, 1.0);
    Ok(())
}

fn megabytes(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes / 1000).unwrap_or(u32::MAX)) / 1000.0
}
