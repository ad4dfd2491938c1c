//! The engine of game servers: a proxy before its socket, and what it knows about containers.

use std::path::{Path, PathBuf};

use innkeeper_service::testing::eventually;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::host::{Host, TestMachine};
use super::proxy::StallingProxy;

/// The engine, as seen from beside the server.
#[derive(Debug, Clone)]
pub(super) struct ContainerEngine {
    socket: PathBuf,
}

/// A run of a container, which differs from all other runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ContainerRun {
    pub(super) id: String,
    pub(super) state: String,
    pid: u64,
    started_at: String,
}

impl ContainerEngine {
    /// Returns the service that the server has started.
    pub(super) fn of(host: &Host) -> Self {
        let socket = host.store().join("podman.sock");
        Self { socket }
    }

    /// Puts a proxy before the socket of the service that the server has started.
    pub(super) fn behind_proxy(host: &Host) -> (Self, StallingProxy) {
        let known = host.store().join("podman.sock");
        let socket = host.store().join("engine.sock");
        std::fs::rename(&known, &socket).unwrap();
        let proxy = StallingProxy::listen(&known, socket.clone());
        (Self { socket }, proxy)
    }

    /// Returns the containers of a machine. There is at most one.
    pub(super) async fn container(&self, machine: &TestMachine) -> Option<ContainerRun> {
        let mut list = Vec::new();
        // Podman fails if a container is removed while it makes the list.
        eventually("there is a list of containers", async || {
            let answer = get(&self.socket, "/containers/json?all=true").await;
            match answer {
                Value::Array(answer) => {
                    list = answer;
                    true
                }
                _ => false,
            }
        })
        .await;
        let own: Vec<&Value> = (list.iter())
            .filter(|container| container["Labels"]["innkeeper.machine"] == machine.id.as_str())
            .collect();
        assert!(own.len() < 2, "{} has {own:?}", machine.name);
        let id = own.first()?["Id"].as_str().unwrap();
        let details = get(&self.socket, &format!("/containers/{id}/json")).await;
        let state = &details["State"];
        Some(ContainerRun {
            id: id.to_owned(),
            state: state["Status"].as_str()?.to_owned(),
            pid: state["Pid"].as_u64()?,
            started_at: state["StartedAt"].as_str()?.to_owned(),
        })
    }

    /// Tells whether a machine has a volume.
    pub(super) async fn has_volume(&self, machine: &TestMachine) -> bool {
        let path = format!("/volumes/innkeeper-{}", machine.id);
        get(&self.socket, &path).await["Mountpoint"].is_string()
    }
}

/// Sends a request in the old version of the protocol, in which an answer ends with its connection.
async fn get(socket: &Path, path: &str) -> Value {
    let mut stream = UnixStream::connect(socket).await.unwrap();
    let request = format!("GET /v1.41{path} HTTP/1.0\r\nHost: engine\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap()
}
