//! `CONTAINER_*`: the engine that runs game servers.

use std::net::Ipv4Addr;
use std::path::PathBuf;

use innkeeper_rest::filter::IpNetwork;
use innkeeper_service::settings::{Kind, Reader, Setting};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "CONTAINER_SOCKET",
        Kind::Path,
        "The socket of Podman or of another engine with the Docker Engine API. If it is not set, the server \
         starts a Podman service of its own.",
    ),
    Setting::new(
        "CONTAINER_STORE",
        Kind::Path,
        "The folder for images, volumes and containers of the own Podman service. By default `containers` in \
         `MACHINES_DIR`.",
    ),
    Setting::new(
        "CONTAINER_LISTEN_ADDRESS",
        Kind::Other("an IPv4 address"),
        "The address of this host on which the ports of game servers are open.",
    )
    .default(&["0.0.0.0"]),
    Setting::new(
        "CONTAINER_BLOCKED_NETWORKS",
        Kind::List,
        "Networks that game servers cannot connect to, beside this host, each other and all private \
         networks: `192.0.2.0/24,198.51.100.7`.",
    ),
];

/// `CONTAINER_*` settings.
#[derive(Debug, Clone)]
pub struct ContainerConfig {
    /// `CONTAINER_SOCKET`: the socket of an existing engine.
    pub socket: Option<PathBuf>,
    /// `CONTAINER_STORE`: the folder of the own service; `None` for `containers` in the folder of machines.
    pub store: Option<PathBuf>,
    /// `CONTAINER_LISTEN_ADDRESS`, default `0.0.0.0`.
    pub listen_address: Ipv4Addr,
    /// `CONTAINER_BLOCKED_NETWORKS`.
    pub blocked_networks: Vec<IpNetwork>,
}

impl ContainerConfig {
    pub(super) fn read(reader: &mut Reader) -> Self {
        let address = reader.parsed("CONTAINER_LISTEN_ADDRESS", |text, setting| {
            let address = text.trim().parse();
            address.map_err(|_| format!("expected {}", setting.kind.expects()))
        });
        let texts: Vec<String> = reader.get("CONTAINER_BLOCKED_NETWORKS");
        let mut blocked_networks = Vec::new();
        for text in &texts {
            match text.parse::<IpNetwork>() {
                Ok(network) => blocked_networks.push(network),
                Err(error) => reader.fault("CONTAINER_BLOCKED_NETWORKS", &error.to_string()),
            }
        }
        Self {
            socket: reader.optional("CONTAINER_SOCKET"),
            store: reader.optional("CONTAINER_STORE"),
            listen_address: address.unwrap_or(Ipv4Addr::UNSPECIFIED),
            blocked_networks,
        }
    }
}
