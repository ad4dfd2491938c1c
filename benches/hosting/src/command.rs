//! The time from a command to the line that the game server writes, on the websocket of a console and on a bare
//! attachment by bollard to a second container of the same image. They take turns.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bollard::container::AttachContainerResults;
use bollard::models::{ContainerCreateBody, HostConfig, ResourcesUlimits};
use bollard::query_parameters::{
    AttachContainerOptionsBuilder, CreateContainerOptionsBuilder, RemoveContainerOptionsBuilder,
};
use bollard::{ClientVersion, Docker};
use futures_util::StreamExt;
use innkeeper_service::cluster::Cluster;
use rustix::mount::{UnmountFlags, unmount};
use tokio::io::AsyncWriteExt;
use tokio::time::{sleep, timeout};

use crate::Plan;
use crate::console::ConsoleSocket;
use crate::game_host::{Engine, GameHost, HostPlan};
use crate::many::at;
use crate::results::Results;

/// A client may send ten frames in a second.
const PAUSE: Duration = Duration::from_millis(110);
/// Commands that are not measured.
const WARM_UP: usize = 5;
/// How long a line may take.
const PATIENCE: Duration = Duration::from_secs(10);
const CONTAINER: &str = "bench-bare-attach";
/// Podman refuses containers without these limits where it may not raise them.
const LIMITS: [(&str, i64); 2] = [("nofile", 1024), ("nproc", 1024)];

pub(crate) async fn measure(plan: &Plan, cluster: &Cluster, results: &mut Results) -> Result<()> {
    let host = HostPlan {
        name: "command",
        engine: Engine::Podman,
        machines: 1,
        keys: 1,
    };
    // The path of a socket is short.
    let folder = std::env::temp_dir().join(format!("bench-command-{}", std::process::id()));
    let host = host.start(&plan.places, cluster, &folder).await?;
    let bare = BareContainer::start(&folder, &host).await?;
    let measured = compare(plan.command_rounds(), &host, &bare, results).await;
    bare.remove().await?;
    host.process.stop()?;
    // Podman mounts this folder on itself. Where it does not, there is nothing to unmount.
    let mounted = folder.join("machines/containers/root/overlay");
    let _ = unmount(mounted, UnmountFlags::DETACH);
    std::fs::remove_dir_all(&folder).context("removing the store of containers")?;
    measured
}

async fn compare(
    rounds: usize,
    host: &GameHost,
    bare: &BareContainer,
    results: &mut Results,
) -> Result<()> {
    let target = "/v1/hosting/game/console/g0/websocket?tail=0";
    let mut socket = ConsoleSocket::open(host.address, target, Some(host.key()?)).await?;
    let mut attached = bare.attach().await?;
    let (mut ours, mut bares) = (Vec::new(), Vec::new());
    for round in 0..WARM_UP + rounds {
        let by_attachment = timeout(PATIENCE, type_bare(&mut attached, round)).await;
        let by_attachment = by_attachment.context("no line on the bare attachment")??;
        sleep(PAUSE / 2).await;
        let by_socket = timeout(PATIENCE, type_ours(&mut socket, round)).await;
        let by_socket = by_socket.context("no line on the websocket")??;
        sleep(PAUSE / 2).await;
        if round >= WARM_UP {
            ours.push(by_socket);
            bares.push(by_attachment);
        }
    }
    ours.sort_unstable();
    bares.sort_unstable();
    results.note("command: to its line, median", "ms", at(&ours, 50));
    results.note("command: to its line, p99", "ms", at(&ours, 99));
    results.note("command: bare attach, median", "ms", at(&bares, 50));
    results.note("command: bare attach, p99", "ms", at(&bares, 99));
    let over = at(&ours, 50) - at(&bares, 50);
    results.figure(
        "command: to its line over a bare attach, median",
        "ms",
        over,
        1.0,
    );
    Ok(())
}

/// Types a command on a websocket, and returns the time until the line of the game arrives.
async fn type_ours(socket: &mut ConsoleSocket, round: usize) -> Result<Duration> {
    let start = Instant::now();
    let command = format!(r#"{{"type":"command","text":"say n{round}"}}"#);
    socket.send(command).await?;
    let line = line(round);
    loop {
        let frame = socket.next().await?.context("the websocket was closed")?;
        if frame.contains(&line) {
            return Ok(start.elapsed());
        }
    }
}

/// Does the same on a bare attachment.
async fn type_bare(attached: &mut AttachContainerResults, round: usize) -> Result<Duration> {
    let start = Instant::now();
    let command = format!("say n{round}\n");
    attached.input.write_all(command.as_bytes()).await?;
    attached.input.flush().await?;
    let (line, mut output) = (line(round), String::new());
    loop {
        let piece = attached.output.next().await;
        let piece = piece.context("the attachment ended")??;
        output += &String::from_utf8_lossy(&piece.into_bytes());
        if output.contains(&line) {
            return Ok(start.elapsed());
        }
    }
}

/// Returns what the demo game writes for the command of a round.
fn line(round: usize) -> String {
    format!("[Server] n{round}")
}

/// A container that only this program is attached to, on the engine of the server.
struct BareContainer(Docker);

impl BareContainer {
    async fn start(folder: &Path, host: &GameHost) -> Result<Self> {
        let socket = folder.join("machines/containers/podman.sock");
        let version = ClientVersion {
            major_version: 1,
            minor_version: 41,
        };
        let docker = Docker::connect_with_unix(&socket.to_string_lossy(), 120, &version)?;
        let limit = |(name, most): (&str, i64)| ResourcesUlimits {
            name: Some(name.to_owned()),
            soft: Some(most),
            hard: Some(most),
        };
        let body = ContainerCreateBody {
            image: Some(host.facts.image.clone()),
            tty: Some(true),
            open_stdin: Some(true),
            host_config: Some(HostConfig {
                ulimits: Some(LIMITS.map(limit).to_vec()),
                network_mode: Some("none".to_owned()),
                tmpfs: Some(HashMap::from([("/data".to_owned(), "rw".to_owned())])),
                ..HostConfig::default()
            }),
            ..ContainerCreateBody::default()
        };
        let options = CreateContainerOptionsBuilder::default().name(CONTAINER);
        docker.create_container(Some(options.build()), body).await?;
        docker.start_container(CONTAINER, None).await?;
        Ok(Self(docker))
    }

    async fn attach(&self) -> Result<AttachContainerResults> {
        let options = AttachContainerOptionsBuilder::default()
            .stdin(true)
            .stdout(true)
            .stderr(true)
            .stream(true);
        Ok(self
            .0
            .attach_container(CONTAINER, Some(options.build()))
            .await?)
    }

    async fn remove(&self) -> Result<()> {
        let options = RemoveContainerOptionsBuilder::default().force(true);
        let removed = self.0.remove_container(CONTAINER, Some(options.build()));
        Ok(removed.await?)
    }
}
