//! A server that is running, and what the kernel knows about it.

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Valgrind on a busy machine can take its time.
const STOP_TIMEOUT: Duration = Duration::from_mins(1);

/// A running server; it is killed when dropped, if it was not stopped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts a command that writes its log into a file.
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

    /// An error if it has ended.
    pub(crate) fn check(&mut self) -> Result<()> {
        if let Some(status) = self.child.try_wait()? {
            let log = fs::read_to_string(&self.log).unwrap_or_default();
            let mut last: Vec<_> = log.lines().rev().take(10).collect();
            last.reverse();
            bail!("the server ended with {status}:\n{}", last.join("\n"));
        }
        Ok(())
    }

    /// Asks it to end and waits until it has.
    pub(crate) fn stop(mut self) -> Result<()> {
        kill_process(Pid::from_child(&self.child), Signal::TERM).context("stopping a server")?;
        let start = Instant::now();
        while start.elapsed() < STOP_TIMEOUT {
            if self.child.try_wait()?.is_some() {
                return Ok(());
            }
            sleep(Duration::from_millis(5));
        }
        bail!("no end on SIGTERM; see {}", self.log.display())
    }

    /// How long its threads have been on a processor.
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

    /// Resident memory in bytes.
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
        // Both fail when it has ended already, which is what is wanted.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// An address on loopback where nobody listens at the moment.
pub(crate) fn free_address() -> Result<SocketAddr> {
    let probe = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("finding a free port")?;
    Ok(probe.local_addr()?)
}

/// One processor for the servers and one for the load, if there are two.
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

    /// How servers and load share the machine.
    pub(crate) fn told(&self) -> &'static str {
        match self.pair {
            Some(_) => "one processor each",
            None => "sharing one processor",
        }
    }

    /// Starts servers on their processor, and goes to the other one: a child inherits where its parent
    /// may run.
    pub(crate) fn start<T>(&self, start: impl FnOnce() -> Result<T>) -> Result<T> {
        self.move_to(self.pair.as_ref().map(|(server, _)| server))?;
        let started = start();
        self.move_to(self.pair.as_ref().map(|(_, load)| load))?;
        started
    }

    /// Lets the driver run everywhere again.
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
