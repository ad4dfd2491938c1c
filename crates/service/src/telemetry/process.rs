//! Figures of the process and of its runtime, read when somebody asks.

use std::fs;

use rustix::param::{clock_ticks_per_second, page_size};
use tokio::runtime::Handle;

use super::Metrics;

/// Offers the figures of this process and of the runtime this is called on.
pub(super) fn watch(metrics: &Metrics) {
    if !metrics.is_on() {
        return;
    }
    watch_process(metrics);
    if let Ok(runtime) = Handle::try_current() {
        watch_runtime(metrics, &runtime);
    }
}

/// The names are those that Prometheus' own libraries use. Where there is no `/proc` there are none.
fn watch_process(metrics: &Metrics) {
    metrics.total(
        "process_cpu_seconds_total",
        "CPU time that the process has used, in seconds.",
        |take| {
            if let Some(state) = State::read() {
                take(state.cpu_seconds, &[]);
            }
        },
    );
    metrics.gauge(
        "process_resident_memory_bytes",
        "Memory of the process that is in RAM, in bytes.",
        |take| {
            if let Some(state) = State::read() {
                take(state.resident_bytes, &[]);
            }
        },
    );
    metrics.gauge(
        "process_virtual_memory_bytes",
        "Address space of the process, in bytes.",
        |take| {
            if let Some(state) = State::read() {
                take(state.virtual_bytes, &[]);
            }
        },
    );
    metrics.gauge("process_threads", "Threads of the process.", |take| {
        if let Some(state) = State::read() {
            take(state.threads, &[]);
        }
    });
    metrics.gauge(
        "process_open_fds",
        "Files and sockets that are open.",
        |take| {
            if let Ok(open) = fs::read_dir("/proc/self/fd") {
                // One of them is the folder itself.
                take(count(open.count().saturating_sub(1)), &[]);
            }
        },
    );
    metrics.gauge(
        "process_start_time_seconds",
        "When the process started, in seconds since 1970.",
        |take| {
            if let Some(start) = State::read().and_then(|state| state.start()) {
                take(start, &[]);
            }
        },
    );
}

fn watch_runtime(metrics: &Metrics, runtime: &Handle) {
    let figures = runtime.metrics();
    let of = figures.clone();
    metrics.gauge(
        "tokio_workers",
        "Threads that run asynchronous tasks.",
        move |take| take(count(of.num_workers()), &[]),
    );
    let of = figures.clone();
    metrics.gauge(
        "tokio_alive_tasks",
        "Asynchronous tasks that have not ended.",
        move |take| take(count(of.num_alive_tasks()), &[]),
    );
    let of = figures.clone();
    metrics.gauge(
        "tokio_global_queue_depth",
        "Asynchronous tasks that wait for any worker.",
        move |take| take(count(of.global_queue_depth()), &[]),
    );
    metrics.total(
        "tokio_busy_seconds_total",
        "Time that all workers together have been busy, in seconds.",
        move |take| {
            let busy = (0..figures.num_workers()).map(|worker| {
                let busy = figures.worker_total_busy_duration(worker);
                busy.as_secs_f64()
            });
            take(busy.sum(), &[]);
        },
    );
}

/// What the system says about this process.
struct State {
    cpu_seconds: f64,
    threads: f64,
    /// After the start of the machine.
    started_after_seconds: f64,
    virtual_bytes: f64,
    resident_bytes: f64,
}

impl State {
    fn read() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/self/stat").ok()?)
    }

    /// The fields are numbered as in `proc_pid_stat(5)`, from the state on, which is the third.
    fn parse(text: &str) -> Option<Self> {
        // The name in parentheses may contain anything.
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

/// A number for a figure; those that a float cannot hold exactly do not occur.
#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of things, far below 2^52"
)]
fn count(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::State;
    use crate::clock::Clock;

    #[test]
    fn the_state_of_a_process_with_a_strange_name_is_read() {
        let text =
            "7 (a) b (c) S 1 7 7 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 9 0 1000 8192000 12 1";
        let state = State::parse(text).unwrap();
        let ticks = f64::from(u32::try_from(rustix::param::clock_ticks_per_second()).unwrap());
        assert!((state.cpu_seconds - 300.0 / ticks).abs() < 1e-9);
        assert!((state.threads - 9.0).abs() < 1e-9);
        assert!((state.virtual_bytes - 8_192_000.0).abs() < 1e-9);
        assert!(State::parse("7 (x) S 1 2").is_none() && State::parse("").is_none());
    }

    #[test]
    fn this_process_has_memory_and_has_started() {
        let state = State::read().unwrap();
        assert!(state.resident_bytes > 1e6 && state.threads >= 1.0);
        let start = state.start().unwrap();
        let now = f64::from(i32::try_from(Clock::system().now().as_second()).unwrap());
        assert!(start <= now + 1.0 && start > now - 7.0 * 86_400.0);
    }
}
