//! Runs concurrent workers and measures their cost.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use crate::process::{Family, Process, Stat};

/// The warm-up before the window, for caches and connections.
const WARM_UP: Duration = Duration::from_millis(300);
/// The interval between measurements of memory.
const LOOK: Duration = Duration::from_millis(50);

/// Work that can be repeated.
pub(crate) trait Step {
    async fn step(&mut self) -> Result<()>;
}

/// The measurements of one window.
#[derive(Debug, Default, Clone)]
pub(crate) struct Sample {
    pub(crate) per_s: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    /// Processor time per request.
    pub(crate) cpu_ms: Option<f64>,
    /// Peak resident memory.
    pub(crate) rss_kb: Option<u64>,
}

impl Sample {
    /// Computes a sample from the latencies in a window of this length.
    pub(crate) fn of(mut latencies: Vec<Duration>, window: Duration) -> Result<Self> {
        ensure!(!latencies.is_empty(), "nothing was done");
        latencies.sort_unstable();
        Ok(Self {
            per_s: count(latencies.len())? / window.as_secs_f64(),
            p50_ms: quantile(&latencies, 50),
            p99_ms: quantile(&latencies, 99),
            cpu_ms: None,
            rss_kb: None,
        })
    }

    /// Adds the processor time of the window.
    pub(crate) fn with_cpu(mut self, cpu: Duration, window: Duration) -> Self {
        let requests = self.per_s * window.as_secs_f64();
        self.cpu_ms = Some(cpu.as_secs_f64() * 1000.0 / requests);
        self
    }
}

fn count(number: usize) -> Result<f64> {
    Ok(f64::from(u32::try_from(number)?))
}

/// Returns the value that `percent` of the sorted values do not exceed, in milliseconds.
fn quantile(sorted: &[Duration], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    let value = sorted.get(rank - 1).copied().unwrap_or_default();
    value.as_secs_f64() * 1000.0
}

/// The process whose processor time and memory are measured.
#[derive(Debug)]
pub(crate) enum Meter<'a> {
    Server(&'a Process),
    /// This process does the work itself.
    Own,
}

enum Reading {
    Server(Family),
    Own,
}

impl Reading {
    fn cpu(&self) -> Result<Duration> {
        match self {
            Self::Server(family) => family.cpu_time(),
            Self::Own => Ok(Stat::own()?.own_cpu()),
        }
    }

    fn resident(&self) -> Result<Option<u64>> {
        match self {
            Self::Server(family) => Ok(Some(family.resident()?)),
            Self::Own => Ok(None),
        }
    }
}

/// Runs all workers for the warm-up and the window; returns them when each has finished its current
/// step.
pub(crate) async fn drive<S: Step + 'static>(
    steps: Vec<S>,
    meter: &Meter<'_>,
    window: Duration,
) -> Result<(Sample, Vec<S>)> {
    let reading = match meter {
        Meter::Server(process) => Reading::Server(process.family()?),
        Meter::Own => Reading::Own,
    };
    let begin = Instant::now() + WARM_UP;
    let end = begin + window;
    let mut workers = JoinSet::new();
    for (number, step) in steps.into_iter().enumerate() {
        workers.spawn_local(async move { (number, work(step, begin, end).await) });
    }
    sleep_until(begin).await;
    let cpu_before = reading.cpu()?;
    let mut most = reading.resident()?;
    let mut now = begin;
    while now < end {
        now = (now + LOOK).min(end);
        sleep_until(now).await;
        most = most.max(reading.resident()?);
    }
    let cpu = reading.cpu()?.saturating_sub(cpu_before);

    let mut done = Vec::new();
    let mut latencies = Vec::new();
    while let Some(worker) = workers.join_next().await {
        let (number, worked) = worker.context("a worker panicked")?;
        let (step, mut times) = worked?;
        latencies.append(&mut times);
        done.push((number, step));
    }
    done.sort_unstable_by_key(|(number, _)| *number);
    let mut sample = Sample::of(latencies, window)?.with_cpu(cpu, window);
    sample.rss_kb = most;
    Ok((sample, done.into_iter().map(|(_, step)| step).collect()))
}

async fn work<S: Step>(mut step: S, begin: Instant, end: Instant) -> Result<(S, Vec<Duration>)> {
    let mut times = Vec::new();
    loop {
        let start = Instant::now();
        step.step().await?;
        let now = Instant::now();
        if now >= end {
            return Ok((step, times));
        }
        if now >= begin {
            times.push(now - start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_that_were_seen() {
        let times: Vec<_> = (1..=200).map(Duration::from_millis).collect();
        let sample = Sample::of(times, Duration::from_secs(2)).unwrap();
        assert!((sample.per_s - 100.0).abs() < 1e-9);
        assert!((sample.p50_ms - 100.0).abs() < 1e-9);
        assert!((sample.p99_ms - 198.0).abs() < 1e-9);
        let sample = sample.with_cpu(Duration::from_secs(1), Duration::from_secs(2));
        assert!((sample.cpu_ms.unwrap() - 5.0).abs() < 1e-9);
        assert!(Sample::of(Vec::new(), Duration::from_secs(1)).is_err());
    }
}
