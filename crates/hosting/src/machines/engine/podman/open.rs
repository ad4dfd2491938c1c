//! Opening the engine: an existing one by its socket, or a service of our own.

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use innkeeper_rest::filter::IpNetwork;
use serde::Deserialize;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::connect::EngineSocket;
use super::firewall::{Firewall, private_networks};
use super::host_facts::HostFacts;
use super::observe::CachedObservation;
use super::service::{RuntimeChoice, ServiceFolder};
use super::{PodmanEngine, lock, log_file, network_namespaces};
use crate::machines::demo_game;
use crate::machines::engine::EngineError;

/// How often the process of the service is looked at.
const SUPERVISE_INTERVAL: Duration = Duration::from_millis(500);
/// How often log files are looked at.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// Where the engine is and what it may do.
#[derive(Debug, Clone)]
pub(crate) struct PodmanOptions {
    /// The socket of an existing engine; `None` for a service of our own.
    pub(crate) socket: Option<PathBuf>,
    /// The folder of the service of our own.
    pub(crate) store: PathBuf,
    /// The address of the host on which ports are published.
    pub(crate) publish_address: IpAddr,
    /// Networks that containers must not reach, beside private ones.
    pub(crate) blocked: Vec<IpNetwork>,
}

/// Why containers cannot be run here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("game servers cannot run here: {}", .problems.join("; "))]
pub struct PodmanUnavailable {
    /// What is missing or does not work, one sentence each.
    pub problems: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct InfoBody {
    docker_root_dir: Option<PathBuf>,
    #[serde(default)]
    security_options: Vec<String>,
}

impl PodmanEngine {
    /// Finds or starts the engine and shows with a container that it works.
    pub(crate) async fn open(options: PodmanOptions) -> Result<Self, PodmanUnavailable> {
        let opened = match &options.socket {
            Some(socket) => Self::open_existing(socket, &options).await,
            None => Self::open_service(&options).await,
        };
        opened.map_err(|problems| PodmanUnavailable { problems })
    }

    /// Ends the service, if it is our own. Containers go on.
    pub(super) async fn end_service(&self) {
        // Otherwise it would be started again.
        lock(&self.tasks).abort_all();
        if let Some(service) = &self.service {
            service.stop().await;
        }
    }

    async fn open_existing(socket: &Path, options: &PodmanOptions) -> Result<Self, Vec<String>> {
        let say = |error: EngineError| vec![format!("{}: {error}", socket.display())];
        let mut engine = Self::new(socket, options, Firewall::new(Vec::new(), blocked(options)));
        engine.is_podman = engine.socket.negotiate().await.map_err(say)?;
        let info: InfoBody = engine
            .socket
            .get_json("/info")
            .await
            .map_err(say)?
            .ok_or_else(|| say(EngineError::NotFound))?;
        let is_rootless = info
            .security_options
            .iter()
            .any(|option| option.contains("rootless"));
        engine.reads_files = engine.is_podman
            && info
                .docker_root_dir
                .is_some_and(|folder| std::fs::read_dir(folder).is_ok());
        engine.firewall.ensure().await.map_err(say)?;
        engine.maps_users = engine.is_podman && !is_rootless;
        engine.check_with_users().await.map_err(say)?;
        engine.start_tasks();
        Ok(engine)
    }

    async fn open_service(options: &PodmanOptions) -> Result<Self, Vec<String>> {
        let facts = HostFacts::read();
        let (Some(podman), Some(conmon), []) = (
            facts.program("podman"),
            facts.program("conmon"),
            &facts.missing()[..],
        ) else {
            return Err(facts.missing());
        };
        let folder = ServiceFolder::prepare(&options.store, podman.clone(), conmon)
            .map_err(|error| vec![format!("{}: {error}", options.store.display())])?;
        let prefix = if facts.is_root() {
            if let Err(error) = network_namespaces::share() {
                tracing::warn!(%error, "cannot share /run/netns; ports of game servers that are started again may not work");
            }
            Vec::new()
        } else {
            folder.network_namespace()
        };
        let firewall = Firewall::new(prefix, blocked(options));
        let mut engine = Self::new(&folder.socket(), options, firewall);
        engine.is_podman = true;
        engine.reads_files = true;
        match folder.find().await {
            Some(choice) => engine.use_running_service(&choice).await,
            None => engine.start_service(&folder, &facts).await?,
        }
        engine
            .firewall
            .ensure()
            .await
            .map_err(|error| vec![error.to_string()])?;
        engine.service = Some(folder);
        engine.start_tasks();
        Ok(engine)
    }

    async fn use_running_service(&mut self, choice: &RuntimeChoice) {
        self.maps_users = choice.maps_users;
        // The image of an older version of this program is replaced.
        if let Err(error) = self.ensure_demo_image().await {
            tracing::warn!(%error, "cannot build the image of the demo game server");
        }
    }

    /// Starts a service with the first pair of runtime and manager of control groups that works.
    async fn start_service(
        &mut self,
        folder: &ServiceFolder,
        facts: &HostFacts,
    ) -> Result<(), Vec<String>> {
        let mut problems = Vec::new();
        for mut choice in choices(facts, folder.last_choice()) {
            let name = format!("{} with {}", choice.runtime, choice.cgroup_manager);
            if let Err(problem) = folder.start(&choice).await {
                problems.push(format!("{name}: {problem}"));
                continue;
            }
            self.maps_users = choice.maps_users;
            match self.check_with_users().await {
                Ok(()) => {
                    choice.maps_users = self.maps_users;
                    let stored = folder.remember_choice(&choice);
                    return stored.map_err(|error| vec![error.to_string()]);
                }
                Err(error) => problems.push(format!("{name}: {error}")),
            }
            folder.stop().await;
        }
        Err(problems)
    }

    /// Runs a container with users of its own if that is wanted, and without if that does not work.
    async fn check_with_users(&mut self) -> Result<(), EngineError> {
        if demo_game::BINARY.is_empty() {
            // There is no image to try it with.
            self.maps_users = false;
            return Ok(());
        }
        self.ensure_demo_image().await?;
        if self.maps_users {
            let Err(error) = self.check().await else {
                return Ok(());
            };
            tracing::warn!(
                %error,
                "containers share the users of the host; a range for the user \"containers\" in \
                 /etc/subuid and /etc/subgid gives them users of their own"
            );
            self.maps_users = false;
        }
        self.check().await
    }

    fn new(socket: &Path, options: &PodmanOptions, firewall: Firewall) -> Self {
        Self {
            socket: EngineSocket::new(socket),
            is_podman: false,
            reads_files: false,
            maps_users: false,
            has_project_quota: AtomicBool::new(true),
            publish_address: options.publish_address,
            firewall,
            observed: Arc::default(),
            cpu_samples: Mutex::default(),
            service: None,
            tasks: Mutex::new(JoinSet::new()),
        }
    }

    /// Returns an engine that has not been tried, to delete machines.
    pub(super) fn untried(socket: &Path) -> Self {
        let options = PodmanOptions {
            socket: None,
            store: PathBuf::new(),
            publish_address: Ipv4Addr::LOCALHOST.into(),
            blocked: Vec::new(),
        };
        Self::new(socket, &options, Firewall::new(Vec::new(), Vec::new()))
    }

    fn start_tasks(&mut self) {
        let mut tasks = lock(&self.tasks);
        if let Some(service) = &self.service {
            tasks.spawn(supervise(service.clone()));
        }
        if self.reads_files {
            tasks.spawn(free_logs(Arc::clone(&self.observed)));
        }
    }
}

fn blocked(options: &PodmanOptions) -> Vec<IpNetwork> {
    let mut networks = private_networks();
    networks.extend(options.blocked.iter().copied());
    networks
}

/// Returns what to try, beginning with what worked last time.
fn choices(facts: &HostFacts, last: Option<RuntimeChoice>) -> Vec<RuntimeChoice> {
    let mut choices: Vec<RuntimeChoice> = facts
        .candidates()
        .into_iter()
        .map(|(runtime, cgroup_manager)| RuntimeChoice {
            runtime: runtime.to_owned(),
            cgroup_manager: cgroup_manager.to_owned(),
            // The containers of a normal user have the users of that user's range.
            maps_users: facts.is_root(),
        })
        .collect();
    if let Some(last) = last {
        choices.sort_by_key(|choice| {
            (&choice.runtime, &choice.cgroup_manager) != (&last.runtime, &last.cgroup_manager)
        });
    }
    choices
}

/// Starts the service again whenever it has ended.
async fn supervise(service: ServiceFolder) {
    loop {
        sleep(SUPERVISE_INTERVAL).await;
        if service.is_alive() {
            continue;
        }
        let Some(choice) = service.last_choice() else {
            continue;
        };
        match service.start(&choice).await {
            Ok(()) => tracing::warn!("the podman service had ended and was started again"),
            Err(error) => tracing::error!(%error, "the podman service had ended"),
        }
    }
}

/// Frees the beginning of long logs.
async fn free_logs(observed: Arc<Mutex<std::collections::HashMap<String, CachedObservation>>>) {
    loop {
        sleep(LOG_INTERVAL).await;
        let paths: Vec<PathBuf> = lock(&observed)
            .values()
            .filter(|cached| cached.container.is_running())
            .filter_map(|cached| cached.container.log_path.clone())
            .collect();
        let freed = tokio::task::spawn_blocking(move || {
            for path in paths {
                if let Err(error) = log_file::free_beginning(&path)
                    && error.kind() != std::io::ErrorKind::NotFound
                {
                    tracing::warn!(%error, path = %path.display(), "cannot shorten a log");
                }
            }
        });
        if freed.await.is_err() {
            return;
        }
    }
}
