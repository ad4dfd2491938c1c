//! Metrics of the process and of its Tokio runtime.

use std::fs;

use rustix::param::{clock_ticks_per_second, page_size};
use tokio::runtime::Handle;

use super::metrics::Metrics;

/// Registers the metrics of this process and of the current runtime.
pub(super) fn register(metrics: &Metrics) {
    if !metrics.is_on() {
        return;
    }
    register_process(metrics);
    if let Ok(runtime) = Handle::try_current() {
        register_runtime(metrics, &runtime);
    }
}

/// Registers metrics under the names that the client libraries of Prometheus use. On systems without
/// `/proc` they have no values.
fn register_process(metrics: &Metrics) {
    metrics.total(
        "process_cpu_seconds_total",
        "CPU time that the process has used, in seconds.",
        |report| {
            if let Some(stat) = ProcessStat::read() {
                report(stat.cpu_seconds, &[]);
            }
        },
    );
    metrics.gauge(
        "process_resident_memory_bytes",
        "Memory of the process that is in RAM, in bytes.",
        |report| {
            if let Some(stat) = ProcessStat::read() {
                report(stat.resident_bytes, &[]);
            }
        },
    );
    metrics.gauge(
        "process_virtual_memory_bytes",
        "Address space of the process, in bytes.",
        |report| {
            if let Some(stat) = ProcessStat::read() {
                report(stat.virtual_bytes, &[]);
            }
        },
    );
    metrics.gauge("process_threads", "Threads of the process.", |report| {
        if let Some(stat) = ProcessStat::read() {
            report(stat.threads, &[]);
        }
    });
    metrics.gauge(
        "process_open_fds",
        "Files and sockets that are open.",
        |report| {
            if let Ok(open) = fs::read_dir("/proc/self/fd") {
                // One of them is the folder that is being read.
                report(count(open.count().saturating_sub(1)), &[]);
            }
        },
    );
    metrics.gauge(
        "process_start_time_seconds",
        "When the process started, in seconds since 1970.",
        |report| {
            if let Some(start) = ProcessStat::read().and_then(|stat| stat.start()) {
                report(start, &[]);
            }
        },
    );
}

fn register_runtime(metrics: &Metrics, runtime: &Handle) {
    let runtime_metrics = runtime.metrics();
    let source = runtime_metrics.clone();
    metrics.gauge(
        "tokio_workers",
        "Threads that run asynchronous tasks.",
        move |report| report(count(source.num_workers()), &[]),
    );
    let source = runtime_metrics.clone();
    metrics.gauge(
        "tokio_alive_tasks",
        "Asynchronous tasks that have not ended.",
        move |report| report(count(source.num_alive_tasks()), &[]),
    );
    let source = runtime_metrics.clone();
    metrics.gauge(
        "tokio_global_queue_depth",
        "Asynchronous tasks that wait for any worker.",
        move |report| report(count(source.global_queue_depth()), &[]),
    );
    metrics.total(
        "tokio_busy_seconds_total",
        "Time that all workers together have been busy, in seconds.",
        move |report| {
            let busy = (0..runtime_metrics.num_workers()).map(|worker| {
                let busy = runtime_metrics.worker_total_busy_duration(worker);
                busy.as_secs_f64()
            });
            report(busy.sum(), &[]);
        },
    );
}

/// The values of `/proc/self/stat`.
struct ProcessStat {
    cpu_seconds: f64,
    threads: f64,
    /// The start of the process, in seconds since the boot of the machine.
    started_after_seconds: f64,
    virtual_bytes: f64,
    resident_bytes: f64,
}

impl ProcessStat {
    fn read() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/self/stat").ok()?)
    }

    /// Parses the file. Fields are numbered as in `proc_pid_stat(5)`.
    fn parse(text: &str) -> Option<Self> {
        // The name in parentheses may contain anything. The third field follows it.
        let (_, rest) = text.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let field = |number: usize| -> Option<f64> { fields.get(number - 3)?.parse().ok() };
        let per_second = count(usize::try_from(clock_ticks_per_second()).ok()?);
        Some(Self {
            cpu_seconds: (field(14)? + field(15)?) / per_second,
            threads: field(20)?,
            started_after_seconds: field(22)? / per_second,
            virtual_bytes: field(23)?,
            resident_bytes: field(24)? * count(page_size()),
        })
    }

    fn start(&self) -> Option<f64> {
        let text = fs::read_to_string("/proc/stat").ok()?;
        let boot = text.lines().find_map(|line| line.strip_prefix("btime "))?;
        Some(boot.trim().parse::<f64>().ok()? + self.started_after_seconds)
    }
}

/// Converts a number of things for a metric.
#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of things, far below 2^52"
)]
fn count(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::ProcessStat;
    use crate::clock::Clock;

    #[test]
    fn the_state_of_a_process_with_a_strange_name_is_read() {
        let text =
            "7 (a) b (c) S 1 7 7 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 9 0 1000 8192000 12 1";
        let state = ProcessStat::parse(text).unwrap();
        let ticks = f64::from(u32::try_from(rustix::param::clock_ticks_per_second()).unwrap());
        assert!((state.cpu_seconds - 300.0 / ticks).abs() < 1e-9);
        assert!((state.threads - 9.0).abs() < 1e-9);
        assert!((state.virtual_bytes - 8_192_000.0).abs() < 1e-9);
        assert!(ProcessStat::parse("7 (x) S 1 2").is_none() && ProcessStat::parse("").is_none());
    }

    #[test]
    fn this_process_has_memory_and_has_started() {
        let state = ProcessStat::read().unwrap();
        assert!(state.resident_bytes > 1e6 && state.threads >= 1.0);
        let start = state.start().unwrap();
        let now = f64::from(i32::try_from(Clock::system().now().as_second()).unwrap());
        assert!(start <= now + 1.0 && start > now - 7.0 * 86_400.0);
    }
}
