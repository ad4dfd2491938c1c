//! A running server, its processor time and its memory.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::{Instant, sleep};

const STOP_TIMEOUT: Duration = Duration::from_secs(15);

/// A running server. It is killed when dropped, unless it was stopped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts a command in a folder, which also gets its log.
    pub(crate) fn spawn(mut command: Command, folder: &Path) -> Result<Self> {
        let log = folder.join("log");
        let file = File::options().create(true).append(true).open(&log);
        let file = file.context("creating the server's log")?;
        let child = command
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file)
            .spawn()
            .with_context(|| format!("starting {}", command.get_program().display()))?;
        Ok(Self { child, log })
    }

    /// Returns an error if the process has ended.
    pub(crate) fn check(&mut self) -> Result<()> {
        if let Some(status) = self.child.try_wait()? {
            let log = std::fs::read_to_string(&self.log).unwrap_or_default();
            let mut last: Vec<_> = log.lines().rev().take(10).collect();
            last.reverse();
            bail!("the server ended with {status}:\n{}", last.join("\n"));
        }
        Ok(())
    }

    /// Sends SIGTERM and waits for the end. A process that does not end is killed.
    pub(crate) async fn stop(mut self) -> Result<()> {
        kill_process(Pid::from_child(&self.child), Signal::TERM).context("stopping a server")?;
        let start = Instant::now();
        while start.elapsed() < STOP_TIMEOUT {
            if self.child.try_wait()?.is_some() {
                return Ok(());
            }
            sleep(Duration::from_millis(5)).await;
        }
        eprintln!("{} does not end on SIGTERM", self.log.display());
        Ok(())
    }

    /// Returns the process and all processes that it started.
    pub(crate) fn family(&self) -> Result<Family> {
        Family::of(self.child.id())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail if it has ended already, which is fine.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A process and all processes that it started.
#[derive(Debug)]
pub(crate) struct Family(Vec<u32>);

impl Family {
    fn of(first: u32) -> Result<Self> {
        let mut parents = Vec::new();
        for entry in std::fs::read_dir("/proc").context("listing processes")? {
            let name = entry?.file_name();
            let Some(id) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else {
                continue;
            };
            // It may have ended meanwhile.
            if let Ok(stat) = Stat::read(id) {
                parents.push((id, stat.parent));
            }
        }
        let mut members = vec![first];
        let mut known = 0;
        while known < members.len() {
            known = members.len();
            for &(id, parent) in &parents {
                if members.contains(&parent) && !members.contains(&id) {
                    members.push(id);
                }
            }
        }
        Ok(Self(members))
    }

    /// Returns the processor time of all threads, including those that have ended.
    pub(crate) fn cpu_time(&self) -> Result<Duration> {
        self.0.iter().map(|&id| Ok(Stat::read(id)?.cpu())).sum()
    }

    /// Returns the resident memory in KiB.
    pub(crate) fn resident(&self) -> Result<u64> {
        self.0.iter().map(|&id| resident(id)).sum()
    }
}

fn resident(id: u32) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.context("no VmRSS")?.trim().trim_end_matches(" kB");
    kib.parse().context("VmRSS")
}

/// Fields of `/proc/<pid>/stat`, in clock ticks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    parent: u32,
    own: u64,
    /// Time of children that have ended and were waited for.
    children: u64,
}

impl Stat {
    /// Reads the fields of this process.
    pub(crate) fn own() -> Result<Self> {
        Self::read(std::process::id())
    }

    fn read(id: u32) -> Result<Self> {
        Self::parse(&std::fs::read_to_string(format!("/proc/{id}/stat"))?)
    }

    fn parse(line: &str) -> Result<Self> {
        // The name is in parentheses and may contain anything.
        let (_, rest) = line.rsplit_once(") ").context("stat has no name")?;
        let fields: Vec<_> = rest.split(' ').collect();
        let number = |index: usize| -> Result<u64> {
            let field = fields.get(index).context("stat is short")?;
            field.parse().context("stat")
        };
        Ok(Self {
            parent: u32::try_from(number(1)?)?,
            own: number(11)? + number(12)?,
            children: number(13)? + number(14)?,
        })
    }

    fn cpu(&self) -> Duration {
        ticks(self.own + self.children)
    }

    /// Returns the processor time without that of children.
    pub(crate) fn own_cpu(&self) -> Duration {
        ticks(self.own)
    }

    pub(crate) fn children_cpu(&self) -> Duration {
        ticks(self.children)
    }
}

fn ticks(count: u64) -> Duration {
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    Duration::from_millis(count.saturating_mul(1000) / per_second)
}

/// Returns a loopback address on which nothing listens at the moment.
pub(crate) fn free_address() -> Result<SocketAddr> {
    let probe = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("finding a free port")?;
    Ok(probe.local_addr()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_a_process_are_read_behind_its_name() {
        let line = "7 (a) b) S 3 7 7 0 -1 4 1 0 0 0 10 20 30 40 20 0 1 0 5";
        let stat = Stat::parse(line).unwrap();
        assert_eq!((stat.parent, stat.own, stat.children), (3, 30, 70));
        assert!(Stat::parse("7 (a) S 3").is_err());
    }

    #[test]
    fn this_process_has_memory_and_a_parent() {
        let family = Family::of(std::process::id()).unwrap();
        assert!(family.resident().unwrap() > 100);
        assert!(Stat::own().unwrap().parent > 0);
    }
}
