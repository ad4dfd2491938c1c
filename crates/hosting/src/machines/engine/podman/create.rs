//! What a container is made of: image, limits, volume, ports.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use bollard::models::{
    ContainerCreateBody, HostConfig, HostConfigLogConfig, PortBinding, PortMap, ResourcesUlimits,
    RestartPolicy, RestartPolicyNameEnum,
};
use bollard::query_parameters::{CreateContainerOptionsBuilder, RemoveContainerOptionsBuilder};
use rustix::process::{Resource, getrlimit};
use tokio::time::sleep;
use uuid::Uuid;

use super::names::{MACHINE_LABEL, RUN_LABEL, resource_name};
use super::{PodmanEngine, errors};
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
        match self.request_container(machine, body.clone()).await {
            // A crash of the engine can leave the name without a container.
            Err(EngineError::Internal(_) | EngineError::Busy)
                if self.container(machine).await?.is_none() =>
            {
                self.request_removal(machine, true).await?;
                self.request_container(machine, body).await
            }
            outcome => outcome,
        }
    }

    async fn request_container(
        &self,
        machine: Uuid,
        body: ContainerCreateBody,
    ) -> Result<(), EngineError> {
        let options = CreateContainerOptionsBuilder::default().name(&resource_name(machine));
        let client = self.socket.client()?;
        let outcome = client.create_container(Some(options.build()), body).await;
        outcome
            .map(drop)
            .map_err(|error| errors::from_client(&error))
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
        let options = RemoveContainerOptionsBuilder::default()
            .v(false)
            .force(force);
        let client = self.socket.client()?;
        let name = resource_name(machine);
        let outcome = client.remove_container(&name, Some(options.build())).await;
        match outcome.map_err(|error| errors::from_client(&error)) {
            Ok(()) | Err(EngineError::NotFound) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn body(&self, blueprint: &GameBlueprint, run: Uuid) -> ContainerCreateBody {
        let profile = &blueprint.profile;
        let environment = profile.environment.iter();
        let ports = blueprint.ports.iter().copied().map(port_name);
        ContainerCreateBody {
            hostname: Some("game".to_owned()),
            image: Some(profile.image.clone()),
            cmd: (!profile.command.is_empty()).then(|| profile.command.clone()),
            env: Some(
                environment
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect(),
            ),
            // Without a terminal, Podman closes the input of the game when whoever is attached goes away.
            tty: Some(true),
            open_stdin: Some(true),
            stdin_once: Some(false),
            exposed_ports: Some(ports.collect()),
            labels: Some(HashMap::from([
                (MACHINE_LABEL.to_owned(), blueprint.machine.to_string()),
                (RUN_LABEL.to_owned(), run.to_string()),
            ])),
            host_config: Some(self.host_config(blueprint)),
            ..ContainerCreateBody::default()
        }
    }

    fn host_config(&self, blueprint: &GameBlueprint) -> HostConfig {
        let (profile, spec) = (&blueprint.profile, &blueprint.spec);
        let name = resource_name(blueprint.machine);
        let memory = i64::from(spec.memory_mib) * 1024 * 1024;
        // `U` gives the files to the user of the container, whose number can differ from run to run.
        let ownership = if self.is_podman { ":U" } else { "" };
        let log_driver = if self.is_podman {
            "k8s-file"
        } else {
            "json-file"
        };
        let mut in_memory = HashMap::from([("/dev/shm".to_owned(), SHARED_MEMORY.to_owned())]);
        if profile.read_only_root {
            in_memory.insert("/tmp".to_owned(), TEMPORARY_FOLDER.to_owned());
        }
        HostConfig {
            memory: Some(memory),
            // The sum of memory and swap: no swap.
            memory_swap: Some(memory),
            nano_cpus: Some(i64::from(spec.cpu_millis) * 1_000_000),
            pids_limit: Some(i64::from(spec.pids)),
            ulimits: Some(vec![
                limit("nofile", Resource::Nofile, MOST_FILES),
                limit("nproc", Resource::Nproc, MOST_PROCESSES),
            ]),
            cap_drop: Some(vec!["ALL".to_owned()]),
            security_opt: Some(vec!["no-new-privileges".to_owned()]),
            userns_mode: self.maps_users.then(|| format!("auto:size={USERS}")),
            readonly_rootfs: Some(profile.read_only_root),
            // Otherwise the engine mounts shared memory on the host, and sometimes cannot unmount it because
            // the namespaces of the container still exist. Then the container can never be removed.
            ipc_mode: Some("none".to_owned()),
            tmpfs: Some(in_memory),
            binds: Some(vec![format!("{name}:{}{ownership}", profile.data_path)]),
            network_mode: Some(name),
            port_bindings: Some(bind_ports(&blueprint.ports, self.publish_address)),
            log_config: Some(HostConfigLogConfig {
                typ: Some(log_driver.to_owned()),
                config: None,
            }),
            restart_policy: Some(RestartPolicy {
                name: Some(RestartPolicyNameEnum::NO),
                maximum_retry_count: None,
            }),
            ..HostConfig::default()
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

fn bind_ports(ports: &[MachinePort], address: IpAddr) -> PortMap {
    let mut bindings = PortMap::new();
    for port in ports {
        let binding = PortBinding {
            // Without an address, the engine publishes the port on all of them.
            host_ip: (!address.is_unspecified()).then(|| address.to_string()),
            host_port: Some(port.host_port.to_string()),
        };
        let of_port = bindings.entry(port_name(*port)).or_default();
        of_port.get_or_insert_default().push(binding);
    }
    bindings
}

/// Returns a limit of a process, at most our own: a higher one needs a capability that we may not have.
fn limit(name: &str, resource: Resource, most: u64) -> ResourcesUlimits {
    let ours = getrlimit(resource).maximum.unwrap_or(most);
    let value = i64::try_from(ours.min(most)).unwrap_or(i64::MAX);
    ResourcesUlimits {
        name: Some(name.to_owned()),
        soft: Some(value),
        hard: Some(value),
    }
}
