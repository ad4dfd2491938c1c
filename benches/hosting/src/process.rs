//! A running server, its processor time and its memory.

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Valgrind is slow on a busy machine.
const STOP_TIMEOUT: Duration = Duration::from_mins(1);

/// A running server. It is killed when dropped, unless it was stopped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts a command that writes its log to a file.
    pub(crate) fn spawn(mut command: Command, log: &Path) -> Result<Self> {
        let file = File::create(log).context("creating the server's log")?;
        let child = command
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file)
            .spawn()
            .with_context(|| format!("starting {}", command.get_program().display()))?;
        Ok(Self {
            child,
            log: log.to_owned(),
        })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns an error if the process has ended.
    pub(crate) fn check(&mut self) -> Result<()> {
        if let Some(status) = self.child.try_wait()? {
            let log = fs::read_to_string(&self.log).unwrap_or_default();
            let mut last: Vec<_> = log.lines().rev().take(10).collect();
            last.reverse();
            bail!("the server ended with {status}:\n{}", last.join("\n"));
        }
        Ok(())
    }

    /// Sends a signal to the process.
    pub(crate) fn signal(&self, signal: Signal) -> Result<()> {
        kill_process(Pid::from_child(&self.child), signal).context("sending a signal to a server")
    }

    /// Tells the process to stop and waits for its end.
    pub(crate) fn stop(mut self) -> Result<()> {
        self.signal(Signal::TERM)?;
        let start = Instant::now();
        while start.elapsed() < STOP_TIMEOUT {
            if self.child.try_wait()?.is_some() {
                return Ok(());
            }
            sleep(Duration::from_millis(5));
        }
        bail!("no end on SIGTERM; see {}", self.log.display())
    }

    /// Returns the processor time of its threads.
    pub(crate) fn cpu_time(&self) -> Result<Duration> {
        let mut total = 0;
        for thread in fs::read_dir(self.proc("task")).context("listing threads")? {
            // A thread may have ended meanwhile.
            let Ok(schedstat) = fs::read_to_string(thread?.path().join("schedstat")) else {
                continue;
            };
            let nanos = schedstat.split(' ').next().context("schedstat is empty")?;
            total += nanos.parse::<u64>().context("schedstat")?;
        }
        Ok(Duration::from_nanos(total))
    }

    /// Returns the resident memory in bytes.
    pub(crate) fn resident(&self) -> Result<u64> {
        let status = fs::read_to_string(self.proc("status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.context("no VmRSS")?.trim().trim_end_matches(" kB");
        Ok(kib.parse::<u64>().context("VmRSS")? * 1024)
    }

    fn proc(&self, file: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{file}", self.child.id()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail if it has ended already, which is fine.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Returns a loopback address on which nothing listens at the moment.
pub(crate) fn free_address() -> Result<SocketAddr> {
    let probe = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("finding a free port")?;
    Ok(probe.local_addr()?)
}

/// Pins the servers to one processor and the load to another, if there are two.
#[derive(Debug)]
pub(crate) struct Pinning {
    all: CpuSet,
    pair: Option<(CpuSet, CpuSet)>,
}

impl Pinning {
    pub(crate) fn find() -> Result<Self> {
        let all = sched_getaffinity(None).context("asking for the processors")?;
        let mut allowed = (0..CpuSet::MAX_CPU).filter(|&cpu| all.is_set(cpu));
        let pair = allowed.next().zip(allowed.next());
        let pair = pair.map(|(a, b)| (only(a), only(b)));
        Ok(Self { all, pair })
    }

    /// Describes how servers and load share the machine.
    pub(crate) fn told(&self) -> &'static str {
        match self.pair {
            Some(_) => "one processor each",
            None => "sharing one processor",
        }
    }

    /// Starts servers on their processor, and moves to the other one: a child inherits the processors of its
    /// parent.
    pub(crate) fn start<T>(&self, start: impl FnOnce() -> Result<T>) -> Result<T> {
        self.to_server()?;
        let started = start();
        self.to_load()?;
        started
    }

    /// Moves to the processor of the servers, for what is started next.
    pub(crate) fn to_server(&self) -> Result<()> {
        self.move_to(self.pair.as_ref().map(|(server, _)| server))
    }

    /// Moves to the processor of the load.
    pub(crate) fn to_load(&self) -> Result<()> {
        self.move_to(self.pair.as_ref().map(|(_, load)| load))
    }

    /// Lets the driver use all processors again.
    pub(crate) fn release(&self) -> Result<()> {
        self.move_to(None)
    }

    fn move_to(&self, cpus: Option<&CpuSet>) -> Result<()> {
        sched_setaffinity(None, cpus.unwrap_or(&self.all)).context("pinning")
    }
}

fn only(cpu: usize) -> CpuSet {
    let mut set = CpuSet::new();
    set.set(cpu);
    set
}
