//! What a container is made of: image, limits, volume, ports.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::time::Duration;

use rustix::process::{Resource, getrlimit};
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};
use tokio::time::sleep;
use uuid::Uuid;

use super::PodmanEngine;
use super::connect::with_query;
use super::names::{MACHINE_LABEL, RUN_LABEL, resource_name};
use crate::machines::engine::{EngineError, GameBlueprint};
use crate::model::{MachinePort, ObservedState};

/// The most open files and processes that a container may have, if we may have as many.
const MOST_FILES: u64 = 65_536;
const MOST_PROCESSES: u64 = 32_768;
/// How many users a container has, in its own namespace of users.
const USERS: u32 = 65_536;
/// The options of the folders for shared memory, and for temporary files if the root is read-only.
const SHARED_MEMORY: &str = "rw,nosuid,nodev,noexec,size=64m";
const TEMPORARY_FOLDER: &str = "rw,nosuid,nodev,size=64m";

/// How often a container that could not be removed is tried again, and the pause between.
const REMOVALS: u32 = 20;
const REMOVAL_INTERVAL: Duration = Duration::from_millis(100);

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct ContainerRequest<'a> {
    hostname: &'static str,
    image: &'a str,
    /// Without one, the container has the command of its image.
    #[serde(skip_serializing_if = "Option::is_none")]
    cmd: Option<&'a [String]>,
    env: Vec<String>,
    tty: bool,
    open_stdin: bool,
    stdin_once: bool,
    /// The values are empty objects.
    exposed_ports: Map<String, Value>,
    labels: HashMap<&'static str, String>,
    host_config: HostRequest,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct HostRequest {
    memory: u64,
    memory_swap: u64,
    nano_cpus: u64,
    pids_limit: u32,
    ulimits: Vec<LimitRequest>,
    cap_drop: [&'static str; 1],
    security_opt: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    userns_mode: Option<String>,
    readonly_rootfs: bool,
    ipc_mode: &'static str,
    tmpfs: HashMap<&'static str, &'static str>,
    binds: [String; 1],
    network_mode: String,
    port_bindings: BTreeMap<String, Vec<PortRequest>>,
    log_config: LogRequest,
    restart_policy: RestartRequest,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct LimitRequest {
    name: &'static str,
    soft: u64,
    hard: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct PortRequest {
    /// Without an address, the engine publishes the port on all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    host_ip: Option<String>,
    host_port: String,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct LogRequest {
    #[serde(rename = "Type")]
    driver: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct RestartRequest {
    name: &'static str,
}

impl PodmanEngine {
    pub(super) async fn create_run(&self, blueprint: &GameBlueprint) -> Result<(), EngineError> {
        let machine = blueprint.machine;
        check(blueprint)?;
        if let Some(container) = self.container(machine).await? {
            if container.is_running() {
                return Err(EngineError::WrongState(ObservedState::Running));
            }
            self.remove_container(machine).await?;
        }
        self.firewall.ensure().await?;
        self.renew_network(machine).await?;
        self.ensure_volume(machine, blueprint.spec.disk_bytes)
            .await?;
        let body = self.body(blueprint, Uuid::new_v4());
        match self.request_container(machine, &body).await {
            // A crash of the engine can leave the name without a container.
            Err(EngineError::Internal(_) | EngineError::Busy)
                if self.container(machine).await?.is_none() =>
            {
                self.request_removal(machine, true).await?;
                self.request_container(machine, &body).await
            }
            outcome => outcome,
        }
    }

    async fn request_container(
        &self,
        machine: Uuid,
        body: &ContainerRequest<'_>,
    ) -> Result<(), EngineError> {
        let parameters = [("name", &*resource_name(machine)), ("platform", "")];
        let path = with_query("/containers/create", &parameters);
        let _: IgnoredAny = self.socket.post_json(&path, body).await?;
        Ok(())
    }

    /// Removes the container of a machine, but not its volume. The engine may be cleaning up after the run
    /// at the same time and fail, so this is tried several times.
    pub(super) async fn remove_container(&self, machine: Uuid) -> Result<(), EngineError> {
        let mut attempts = 0;
        loop {
            // By force if only the name is left, which a crash of the engine can cause.
            let force = attempts > 0 && self.container(machine).await?.is_none();
            match self.request_removal(machine, force).await {
                Err(EngineError::Internal(_) | EngineError::Busy) if attempts < REMOVALS => {
                    attempts += 1;
                    sleep(REMOVAL_INTERVAL).await;
                }
                outcome => return outcome,
            }
        }
    }

    async fn request_removal(&self, machine: Uuid, force: bool) -> Result<(), EngineError> {
        let name = resource_name(machine);
        let path = format!("/containers/{name}?v=false&force={force}&link=false");
        match self.socket.delete(&path).await {
            Ok(()) | Err(EngineError::NotFound) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn body<'a>(&self, blueprint: &'a GameBlueprint, run: Uuid) -> ContainerRequest<'a> {
        let profile = &blueprint.profile;
        let environment = profile.environment.iter();
        let ports = blueprint.ports.iter().copied().map(port_name);
        ContainerRequest {
            hostname: "game",
            image: &profile.image,
            cmd: (!profile.command.is_empty()).then_some(&profile.command),
            env: environment
                .map(|(name, value)| format!("{name}={value}"))
                .collect(),
            // Without a terminal, Podman closes the input of the game when whoever is attached goes away.
            tty: true,
            open_stdin: true,
            stdin_once: false,
            exposed_ports: ports.map(|port| (port, json!({}))).collect(),
            labels: HashMap::from([
                (MACHINE_LABEL, blueprint.machine.to_string()),
                (RUN_LABEL, run.to_string()),
            ]),
            host_config: self.host_config(blueprint),
        }
    }

    fn host_config(&self, blueprint: &GameBlueprint) -> HostRequest {
        let (profile, spec) = (&blueprint.profile, &blueprint.spec);
        let name = resource_name(blueprint.machine);
        let memory = u64::from(spec.memory_mib) * 1024 * 1024;
        // `U` gives the files to the user of the container, whose number can differ from run to run.
        let ownership = if self.is_podman { ":U" } else { "" };
        let log_driver = if self.is_podman {
            "k8s-file"
        } else {
            "json-file"
        };
        let mut in_memory = HashMap::from([("/dev/shm", SHARED_MEMORY)]);
        if profile.read_only_root {
            in_memory.insert("/tmp", TEMPORARY_FOLDER);
        }
        HostRequest {
            memory,
            // The sum of memory and swap: no swap.
            memory_swap: memory,
            nano_cpus: u64::from(spec.cpu_millis) * 1_000_000,
            pids_limit: spec.pids,
            ulimits: vec![
                limit("nofile", Resource::Nofile, MOST_FILES),
                limit("nproc", Resource::Nproc, MOST_PROCESSES),
            ],
            cap_drop: ["ALL"],
            security_opt: ["no-new-privileges"],
            userns_mode: self.maps_users.then(|| format!("auto:size={USERS}")),
            readonly_rootfs: profile.read_only_root,
            // Otherwise the engine mounts shared memory on the host, and sometimes cannot unmount it because
            // the namespaces of the container still exist. Then the container can never be removed.
            ipc_mode: "none",
            tmpfs: in_memory,
            binds: [format!("{name}:{}{ownership}", profile.data_path)],
            network_mode: name,
            port_bindings: bind_ports(&blueprint.ports, self.publish_address),
            log_config: LogRequest { driver: log_driver },
            restart_policy: RestartRequest { name: "no" },
        }
    }
}

/// Refuses what the syntax of a volume cannot express.
fn check(blueprint: &GameBlueprint) -> Result<(), EngineError> {
    let path = &blueprint.profile.data_path;
    if !path.starts_with('/') || path == "/" || path.contains(':') {
        return Err(EngineError::Refused(format!(
            "{path} cannot be the data folder of a game"
        )));
    }
    Ok(())
}

fn port_name(port: MachinePort) -> String {
    format!("{}/{}", port.machine_port, port.protocol)
}

fn bind_ports(ports: &[MachinePort], address: IpAddr) -> BTreeMap<String, Vec<PortRequest>> {
    let mut bindings: BTreeMap<String, Vec<PortRequest>> = BTreeMap::new();
    for port in ports {
        let binding = PortRequest {
            host_ip: (!address.is_unspecified()).then(|| address.to_string()),
            host_port: port.host_port.to_string(),
        };
        bindings.entry(port_name(*port)).or_default().push(binding);
    }
    bindings
}

/// Returns a limit of a process, at most our own: a higher one needs a capability that we may not have.
fn limit(name: &'static str, resource: Resource, most: u64) -> LimitRequest {
    let ours = getrlimit(resource).maximum.unwrap_or(most);
    let value = ours.min(most);
    LimitRequest {
        name,
        soft: value,
        hard: value,
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::path::Path;

    use serde_json::json;
    use uuid::Uuid;

    use super::super::PodmanEngine;
    use crate::machines::demo_game;
    use crate::machines::engine::GameBlueprint;
    use crate::model::{GameSpec, MachinePort, Protocol};

    const MIB: u64 = 1024 * 1024;

    fn blueprint() -> GameBlueprint {
        let port = |protocol, host_port| MachinePort {
            protocol,
            host_port,
            machine_port: 7777,
        };
        GameBlueprint {
            machine: Uuid::nil(),
            profile: demo_game::profile(),
            spec: GameSpec {
                memory_mib: 64,
                cpu_millis: 500,
                disk_bytes: 64 * MIB,
                pids: 32,
                stop_seconds: 10,
                slots: None,
            },
            ports: vec![
                port(Protocol::Tcp, 20_000),
                port(Protocol::Tcp, 20_001),
                port(Protocol::Udp, 20_000),
            ],
        }
    }

    #[test]
    fn a_container_has_all_limits() {
        let mut engine = PodmanEngine::untried(Path::new("engine.sock"));
        engine.is_podman = true;
        engine.maps_users = true;
        let mut blueprint = blueprint();
        blueprint.profile.environment = [("EULA".to_owned(), "TRUE".to_owned())].into();
        let mut body = serde_json::to_value(engine.body(&blueprint, Uuid::max())).unwrap();
        let limits = body["HostConfig"]["Ulimits"].take();
        assert_eq!(
            (&limits[0]["Name"], &limits[1]["Name"]),
            (&json!("nofile"), &json!("nproc"))
        );
        assert!(limits[0]["Soft"].is_u64() && limits[0]["Soft"] == limits[0]["Hard"]);
        let name = "innkeeper-00000000-0000-0000-0000-000000000000";
        let expected = json!({
            "Hostname": "game",
            "Image": demo_game::IMAGE,
            "Env": ["EULA=TRUE"],
            "Tty": true,
            "OpenStdin": true,
            "StdinOnce": false,
            "ExposedPorts": { "7777/tcp": {}, "7777/udp": {} },
            "Labels": {
                "innkeeper.machine": Uuid::nil(),
                "innkeeper.run": Uuid::max(),
            },
            "HostConfig": {
                "Memory": 64 * MIB,
                "MemorySwap": 64 * MIB,
                "NanoCpus": 500_000_000,
                "PidsLimit": 32,
                "Ulimits": null,
                "CapDrop": ["ALL"],
                "SecurityOpt": ["no-new-privileges"],
                "UsernsMode": "auto:size=65536",
                "ReadonlyRootfs": true,
                "IpcMode": "none",
                "Tmpfs": {
                    "/dev/shm": "rw,nosuid,nodev,noexec,size=64m",
                    "/tmp": "rw,nosuid,nodev,size=64m",
                },
                "Binds": [format!("{name}:/data:U")],
                "NetworkMode": name,
                "PortBindings": {
                    "7777/tcp": [
                        { "HostIp": "127.0.0.1", "HostPort": "20000" },
                        { "HostIp": "127.0.0.1", "HostPort": "20001" },
                    ],
                    "7777/udp": [{ "HostIp": "127.0.0.1", "HostPort": "20000" }],
                },
                "LogConfig": { "Type": "k8s-file" },
                "RestartPolicy": { "Name": "no" },
            },
        });
        assert_eq!(body, expected);
    }

    #[test]
    fn what_is_not_chosen_is_left_to_the_engine() {
        let mut engine = PodmanEngine::untried(Path::new("engine.sock"));
        engine.publish_address = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        let mut blueprint = blueprint();
        blueprint.ports.truncate(1);
        let body = serde_json::to_value(engine.body(&blueprint, Uuid::max())).unwrap();
        assert!(body.get("Cmd").is_none());
        let host = &body["HostConfig"];
        assert!(host.get("UsernsMode").is_none());
        let ports = json!({ "7777/tcp": [{ "HostPort": "20000" }] });
        assert_eq!(host["PortBindings"], ports);
        blueprint.profile.command = vec!["run".to_owned(), "--quiet".to_owned()];
        let body = serde_json::to_value(engine.body(&blueprint, Uuid::max())).unwrap();
        assert_eq!(body["Cmd"], json!(["run", "--quiet"]));
    }
}
