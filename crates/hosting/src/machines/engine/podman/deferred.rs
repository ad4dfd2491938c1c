//! An engine that is opened when it is first needed, and again later if that failed.
//!
//! A server starts and answers whether there is an engine or not. Callers wait for the opening as long as
//! their own limit allows; the opening itself goes on without them.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use uuid::Uuid;

use super::{PodmanEngine, PodmanOptions, PodmanUnavailable, lock, requirements};
use crate::config::ContainerConfig;
use crate::machines::engine::{
    Attachment, BoxFuture, EngineError, EngineFuture, EngineLog, GameBlueprint, GameEngine,
    Observation, Usage,
};

/// The folder of the own service below that of machines, unless the settings name another.
pub const DEFAULT_STORE: &str = "containers";
/// How long a failure is reported before the next attempt.
const RETRY_INTERVAL: Duration = Duration::from_secs(10);

/// What has come of an attempt to open the engine.
#[derive(Debug, Clone)]
enum Attempt {
    Running,
    Opened(Arc<PodmanEngine>),
    Failed(PodmanUnavailable, Instant),
}

/// An engine that is opened when it is needed.
#[derive(Debug)]
pub(crate) struct DeferredPodman {
    options: PodmanOptions,
    /// The last attempt; `None` before the first.
    attempt: Mutex<Option<watch::Receiver<Attempt>>>,
}

impl DeferredPodman {
    /// Returns the engine that settings name, on a host whose machines are in a folder.
    pub(crate) fn new(config: &ContainerConfig, machines: &Path) -> Self {
        let store = config.store.clone();
        Self::with_options(PodmanOptions {
            socket: config.socket.clone(),
            store: store.unwrap_or_else(|| machines.join(DEFAULT_STORE)),
            publish_address: config.listen_address.into(),
            blocked: config.blocked_networks.clone(),
        })
    }

    pub(super) fn with_options(options: PodmanOptions) -> Self {
        Self {
            options,
            attempt: Mutex::default(),
        }
    }

    /// Returns what the host lacks to open the engine, one sentence each. Nothing is started.
    pub(crate) async fn missing(&self) -> Vec<String> {
        requirements::missing(&self.options).await
    }

    /// Returns an engine that is open already.
    #[cfg(test)]
    pub(super) fn opened(engine: Arc<PodmanEngine>, options: PodmanOptions) -> Self {
        let (_, receiver) = watch::channel(Attempt::Opened(engine));
        Self {
            options,
            attempt: Mutex::new(Some(receiver)),
        }
    }

    async fn engine(&self) -> Result<Arc<PodmanEngine>, EngineError> {
        match self.outcome().await {
            Attempt::Opened(engine) => Ok(engine),
            Attempt::Failed(error, _) => Err(EngineError::Unreachable(error.to_string())),
            Attempt::Running => Err(EngineError::Busy),
        }
    }

    /// Waits for the end of an attempt. It is still running only if its task has panicked.
    async fn outcome(&self) -> Attempt {
        let mut attempt = self.current_attempt();
        let ended = attempt
            .wait_for(|attempt| !matches!(attempt, Attempt::Running))
            .await;
        ended.map_or(Attempt::Running, |attempt| attempt.clone())
    }

    /// Returns the last attempt, or a new one if that failed some time ago.
    fn current_attempt(&self) -> watch::Receiver<Attempt> {
        let mut current = lock(&self.attempt);
        if let Some(attempt) = &*current {
            let is_over = match &*attempt.borrow() {
                Attempt::Failed(_, at) => at.elapsed() >= RETRY_INTERVAL,
                // The task that opens it has ended without a word.
                Attempt::Running => attempt.has_changed().is_err(),
                Attempt::Opened(_) => false,
            };
            if !is_over {
                return attempt.clone();
            }
        }
        let (sender, receiver) = watch::channel(Attempt::Running);
        let options = self.options.clone();
        tokio::spawn(async move {
            let outcome = match PodmanEngine::open(options).await {
                Ok(engine) => Attempt::Opened(Arc::new(engine)),
                Err(error) => {
                    tracing::warn!(%error);
                    Attempt::Failed(error, Instant::now())
                }
            };
            sender.send_replace(outcome);
        });
        *current = Some(receiver.clone());
        receiver
    }
}

impl GameEngine for DeferredPodman {
    fn problems(&self) -> BoxFuture<'_, Vec<String>> {
        Box::pin(async move {
            match self.outcome().await {
                Attempt::Failed(error, _) => error.problems,
                Attempt::Opened(_) | Attempt::Running => Vec::new(),
            }
        })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let attempt = lock(&self.attempt).clone();
            let attempt = attempt.map(|attempt| attempt.borrow().clone());
            if let Some(Attempt::Opened(engine)) = attempt {
                engine.end_service().await;
            }
        })
    }

    fn observe(&self, machine: Uuid) -> EngineFuture<'_, Observation> {
        Box::pin(async move { self.engine().await?.observe_one(machine).await })
    }

    fn observe_all(&self) -> EngineFuture<'_, Vec<Observation>> {
        Box::pin(async move { self.engine().await?.observe_list().await })
    }

    fn create<'a>(&'a self, blueprint: &'a GameBlueprint) -> EngineFuture<'a, ()> {
        Box::pin(async move { self.engine().await?.create_run(blueprint).await })
    }

    fn start(&self, machine: Uuid) -> EngineFuture<'_, ()> {
        Box::pin(async move { self.engine().await?.start_run(machine).await })
    }

    fn signal<'a>(&'a self, machine: Uuid, signal: &'a str) -> EngineFuture<'a, ()> {
        Box::pin(async move { self.engine().await?.send_signal(machine, signal).await })
    }

    fn kill(&self, machine: Uuid) -> EngineFuture<'_, ()> {
        Box::pin(async move { self.engine().await?.kill_run(machine).await })
    }

    fn delete(&self, machine: Uuid) -> EngineFuture<'_, ()> {
        Box::pin(async move { self.engine().await?.delete_machine(machine).await })
    }

    fn attach(&self, machine: Uuid) -> EngineFuture<'_, Attachment> {
        Box::pin(async move { self.engine().await?.attach_console(machine).await })
    }

    fn log(&self, machine: Uuid, offset: u64) -> EngineFuture<'_, EngineLog> {
        Box::pin(async move { self.engine().await?.read_log(machine, offset).await })
    }

    fn usage(&self, machine: Uuid) -> EngineFuture<'_, Usage> {
        Box::pin(async move { self.engine().await?.measure_usage(machine).await })
    }

    fn disk_usage(&self, machine: Uuid) -> EngineFuture<'_, u64> {
        Box::pin(async move { self.engine().await?.measure_disk(machine).await })
    }
}
