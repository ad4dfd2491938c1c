//! A running server, its processor time and its memory.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::Places;
use crate::files;
use crate::server::Server;

/// Valgrind is slow on a busy machine.
const START_TIMEOUT: Duration = Duration::from_mins(2);
const STOP_TIMEOUT: Duration = Duration::from_mins(1);

/// A running server. It is killed when dropped, unless it was stopped.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) server: Server,
    pub(crate) address: SocketAddr,
    child: Child,
    log: PathBuf,
}

impl Running {
    pub(crate) fn start(places: &Places, server: Server) -> Result<Self> {
        Self::spawn(places, server, Command::new(server.binary(places)))
    }

    /// Starts the server of events and websockets.
    pub(crate) fn start_live(places: &Places) -> Result<Self> {
        let command = Command::new(places.binaries.join("bench-live"));
        Self::spawn(places, Server::Innkeeper, command)
    }

    pub(crate) fn start_under_callgrind(
        places: &Places,
        server: Server,
        out: &Path,
    ) -> Result<Self> {
        let mut command = Command::new("valgrind");
        command
            .arg("--tool=callgrind")
            .arg(format!("--callgrind-out-file={}", out.display()))
            .arg(server.binary(places));
        Self::spawn(places, server, command)
    }

    fn spawn(places: &Places, server: Server, mut command: Command) -> Result<Self> {
        let address = free_address()?;
        let log = places.output.join(format!("{server}.log"));
        let stderr = File::create(&log).context("creating the server's log")?;
        files::configure(&mut command, places, server, address)?;
        let child = command
            .env("PORT", address.port().to_string())
            .env("THREADS", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(stderr)
            .spawn()
            .with_context(|| format!("starting {}", command.get_program().display()))?;
        let mut running = Self {
            server,
            address,
            child,
            log,
        };
        running.wait_until_ready()?;
        Ok(running)
    }

    fn wait_until_ready(&mut self) -> Result<()> {
        let start = Instant::now();
        while start.elapsed() < START_TIMEOUT {
            if TcpStream::connect(self.address).is_ok() {
                return Ok(());
            }
            if let Some(status) = self.child.try_wait()? {
                bail!(
                    "{} ended with {status}; see {}",
                    self.server,
                    self.log.display()
                );
            }
            sleep(Duration::from_millis(10));
        }
        bail!(
            "{} does not listen; see {}",
            self.server,
            self.log.display()
        )
    }

    /// Tells the server to stop and waits for its end.
    pub(crate) fn stop(mut self) -> Result<()> {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, Signal::TERM).context("stopping the server")?;
        let start = Instant::now();
        while start.elapsed() < STOP_TIMEOUT {
            if let Some(status) = self.child.try_wait()? {
                ensure!(
                    status.success(),
                    "{} ended with {status}; see {}",
                    self.server,
                    self.log.display()
                );
                return Ok(());
            }
            sleep(Duration::from_millis(5));
        }
        bail!("{} does not end on SIGTERM", self.server)
    }

    /// Returns the processor time of its threads.
    pub(crate) fn cpu_time(&self) -> Result<Duration> {
        let mut total = 0;
        for thread in std::fs::read_dir(self.proc("task")).context("listing threads")? {
            let schedstat = std::fs::read_to_string(thread?.path().join("schedstat"))?;
            let nanos = schedstat.split(' ').next().context("schedstat is empty")?;
            total += nanos.parse::<u64>().context("schedstat")?;
        }
        Ok(Duration::from_nanos(total))
    }

    /// Returns the resident memory in KiB.
    pub(crate) fn resident(&self) -> Result<u64> {
        let status = std::fs::read_to_string(self.proc("status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.context("no VmRSS")?.trim().trim_end_matches(" kB");
        kib.parse().context("VmRSS")
    }

    fn proc(&self, file: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{file}", self.child.id()))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail if it has ended already, which is fine.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn free_address() -> Result<SocketAddr> {
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
        let pair = allowed
            .next()
            .zip(allowed.next())
            .map(|(a, b)| (only(a), only(b)));
        Ok(Self { all, pair })
    }

    pub(crate) fn is_pinned(&self) -> bool {
        self.pair.is_some()
    }

    /// Starts a server on its processor: a child inherits the processors of its parent.
    pub(crate) fn start(&self, places: &Places, server: Server) -> Result<Running> {
        self.move_to(self.pair.as_ref().map(|(server, _)| server))?;
        let running = Running::start(places, server);
        self.move_to(self.pair.as_ref().map(|(_, load)| load))?;
        running
    }

    /// Starts the server of events and websockets on the servers' processor.
    pub(crate) fn start_live(&self, places: &Places) -> Result<Running> {
        self.move_to(self.pair.as_ref().map(|(server, _)| server))?;
        let running = Running::start_live(places);
        self.move_to(self.pair.as_ref().map(|(_, load)| load))?;
        running
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
