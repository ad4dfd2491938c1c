//! Consoles with many sockets, beside a minimal server that only sends lines on.
//!
//! Both servers have the same machines in memory, which write the same lines. First the memory of sockets is
//! measured while nothing is written. Then the servers take turns: one writes for a window while the other is
//! silent, so that other load on the machine affects both alike.

mod socket;
mod watch;

use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures_util::{StreamExt, TryStreamExt, stream};
use innkeeper_service::cluster::Cluster;
use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};
use tokio::task::LocalSet;
use tokio::time::sleep;

pub(crate) use socket::ConsoleSocket;

use self::watch::Watch;
use crate::Plan;
use crate::game_host::{Engine, GameHost, HostPlan};
use crate::process::{Pinning, Process, free_address};
use crate::results::{Results, median};

const MACHINES: usize = 200;
const PER_MACHINE: usize = 10;
/// The server allows this many sockets per key on one machine, and this many per key.
const PER_KEY_AND_MACHINE: usize = 5;
const PER_KEY: usize = 200;
/// How many sockets are opened at the same time.
const OPENING: usize = 8;
/// Sockets that are opened and closed before memory is measured.
const WARM_UP: usize = 100;
/// The pause before memory is measured, and after the last line of a window.
const SETTLE: Duration = Duration::from_secs(3);
const DRAIN: Duration = Duration::from_millis(500);
const WINDOW: Duration = Duration::from_secs(2);

/// A server with machines that write lines.
struct Contestant {
    address: SocketAddr,
    process: Process,
    /// The keys of this server; the peer has none.
    keys: Vec<String>,
}

pub(crate) async fn measure(plan: &Plan, cluster: &Cluster, results: &mut Results) -> Result<()> {
    raise_file_limit()?;
    let pinning = Pinning::find()?;
    let ours = start_ours(plan, cluster, &pinning).await?;
    let peer = start_peer(plan, &pinning)?;
    println!(
        "\n{MACHINES} machines, {PER_MACHINE} sockets each, {} rounds of {WINDOW:?} each, servers and load {}",
        plan.console_rounds(),
        pinning.told()
    );
    let local = LocalSet::new();
    let measured = local.run_until(async {
        let (per_socket, our_sockets) = open_all(&ours).await?;
        let (peers_per_socket, peer_sockets) = open_all(&peer).await?;
        results.figure("console: memory per socket", "bytes", per_socket, 6000.0);
        results.note(
            "console: memory per socket, peer",
            "bytes",
            peers_per_socket,
        );
        let (our_watch, peer_watch) = (Watch::begin(our_sockets), Watch::begin(peer_sockets));
        let mut both = [(&ours, our_watch), (&peer, peer_watch)];
        compare(plan.console_rounds(), &mut both, results).await
    });
    measured.await?;
    pinning.release()?;
    peer.process.stop()?;
    ours.process.stop()
}

/// Lets the driver and the servers, which inherit it, have as many open files as the system allows.
fn raise_file_limit() -> Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    setrlimit(Resource::Nofile, raised).context("raising the limit of open files")?;
    let needed = 2 * MACHINES * PER_MACHINE + 200;
    let has_enough = limit.maximum.is_none_or(|most| most >= needed as u64);
    ensure!(has_enough, "the limit of open files is below {needed}");
    Ok(())
}

async fn start_ours(plan: &Plan, cluster: &Cluster, pinning: &Pinning) -> Result<Contestant> {
    let host = HostPlan {
        name: "console",
        engine: Engine::Memory,
        machines: MACHINES,
        keys: (MACHINES * PER_MACHINE).div_ceil(PER_KEY),
    };
    let folder = plan.places.empty("console")?;
    pinning.to_server()?;
    let started = host.start(&plan.places, cluster, &folder).await;
    pinning.to_load()?;
    let GameHost {
        address,
        process,
        facts,
    } = started?;
    Ok(Contestant {
        address,
        process,
        keys: facts.keys,
    })
}

fn start_peer(plan: &Plan, pinning: &Pinning) -> Result<Contestant> {
    let address = free_address()?;
    let mut command = Command::new(&plan.places.console_peer);
    command.arg(address.to_string()).arg(MACHINES.to_string());
    let log = plan.places.output.join("hosting-console-peer.log");
    let mut process = pinning.start(|| Process::spawn(command, &log))?;
    while std::net::TcpStream::connect(address).is_err() {
        process.check()?;
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(Contestant {
        address,
        process,
        keys: Vec::new(),
    })
}

impl Contestant {
    /// Returns the path of a socket's console, and its key.
    fn target(&self, socket: usize) -> (String, Option<&str>) {
        let machine = socket / PER_MACHINE;
        if self.keys.is_empty() {
            return (format!("/{machine}"), None);
        }
        let keys_per_machine = PER_MACHINE / PER_KEY_AND_MACHINE;
        let group = machine / (PER_KEY / PER_KEY_AND_MACHINE);
        let key = group * keys_per_machine + socket % PER_MACHINE / PER_KEY_AND_MACHINE;
        let target = format!("/v1/hosting/game/console/g{machine}/websocket?tail=0");
        (target, self.keys.get(key).map(String::as_str))
    }

    async fn open(&self, count: usize) -> Result<Vec<ConsoleSocket>> {
        let opening = (0..count).map(|socket| async move {
            let (target, key) = self.target(socket);
            ConsoleSocket::open(self.address, &target, key).await
        });
        // In order: the sockets of a machine follow each other.
        stream::iter(opening).buffered(OPENING).try_collect().await
    }

    /// Begins or ends to write lines.
    fn toggle(&self) -> Result<()> {
        self.process.signal(Signal::USR1)
    }
}

/// Opens all sockets, and returns by how much each made the server grow, in bytes.
async fn open_all(server: &Contestant) -> Result<(f64, Vec<ConsoleSocket>)> {
    drop(server.open(WARM_UP).await?);
    sleep(SETTLE).await;
    let before = server.process.resident()?;
    let sockets = server.open(MACHINES * PER_MACHINE).await?;
    sleep(SETTLE).await;
    let grown = server.process.resident()?.saturating_sub(before);
    let count = u64::try_from(sockets.len())?;
    let per_socket = f64::from(u32::try_from(grown / count.max(1))?);
    Ok((per_socket, sockets))
}

/// Lets the servers write in turn, and compares how long lines take.
async fn compare(
    rounds: usize,
    both: &mut [(&Contestant, Watch); 2],
    results: &mut Results,
) -> Result<()> {
    let mut delays = [Vec::new(), Vec::new()];
    for round in 0..rounds {
        for turn in 0..2 {
            let index = (round + turn) % 2;
            let ((server, watch), delays) = (
                both.get_mut(index).context("two servers")?,
                delays.get_mut(index).context("two servers")?,
            );
            server.toggle()?;
            sleep(WINDOW).await;
            server.toggle()?;
            sleep(DRAIN).await;
            let sorted = watch.delays()?;
            ensure!(!sorted.is_empty(), "no line arrived");
            delays.push((at(&sorted, 50), at(&sorted, 99)));
        }
        eprintln!("round {} of {rounds}", round + 1);
    }
    let [ours, peers] = &delays;
    let middle = |windows: &[(f64, f64)], pick: fn(&(f64, f64)) -> f64| {
        median(windows.iter().map(pick).collect()).unwrap_or_default()
    };
    let ratio = |pick: fn(&(f64, f64)) -> f64| {
        let ratios = ours.iter().zip(peers).map(|(a, b)| pick(a) / pick(b));
        median(ratios.collect()).unwrap_or_default()
    };
    results.note("console: line delay, median", "ms", middle(ours, |d| d.0));
    results.note(
        "console: line delay, median, peer",
        "ms",
        middle(peers, |d| d.0),
    );
    results.note("console: line delay, p99", "ms", middle(ours, |d| d.1));
    results.note(
        "console: line delay, p99, peer",
        "ms",
        middle(peers, |d| d.1),
    );
    results.figure(
        "console: p99 line delay, ours / peer",
        "",
        ratio(|d| d.1),
        1.2,
    );
    let [(_, our_watch), _] = both;
    let (lost, repeated) = our_watch.faults(PER_MACHINE);
    results.figure("console: lines lost", "", as_number(lost), 0.0);
    results.figure("console: lines repeated", "", as_number(repeated), 0.0);
    Ok(())
}

/// Returns the value that `percent` of the sorted nanoseconds do not exceed, in milliseconds.
fn at(sorted: &[u64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    let nanos = sorted.get(rank - 1).copied().unwrap_or_default();
    Duration::from_nanos(nanos).as_secs_f64() * 1e3
}

fn as_number(count: u64) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
