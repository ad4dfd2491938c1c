//! The hub: one attachment per running game server, shared by everybody who reads its console.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use innkeeper_service::clock::Clock;
use regex::Regex;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::watch;
use tokio::time::timeout;
use uuid::Uuid;

use super::close::CloseReason;
use crate::engine::{EngineError, EngineStream, GameEngine};
use crate::model::{Action, GameProfile, PublicState, StopMethod, StopReason};

/// How long a server may take to accept a typed line.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);

/// Why a line was not typed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ConsoleError {
    /// No run of the machine is attached: it is off.
    #[error("the server is not running")]
    NotRunning,
    /// The server does not read what is typed.
    #[error("the server does not read its console")]
    Busy,
    /// The console was lost while the line was typed.
    #[error("the console cannot be reached: {0}")]
    Lost(String),
}

/// The consoles of the game servers of this process.
pub(crate) struct ConsoleHub {
    clock: Clock,
    machines_dir: PathBuf,
    rooms: Mutex<HashMap<Uuid, Arc<Room>>>,
}

struct Room {
    run: String,
    stop_command: Option<String>,
    input: tokio::sync::Mutex<Pin<Box<dyn AsyncWrite + Send>>>,
    ready: watch::Sender<bool>,
    state: Mutex<RoomState>,
}

#[derive(Default)]
struct RoomState {
    sequence: u64,
    is_stop_typed: bool,
    has_ended: bool,
}

impl ConsoleHub {
    /// Makes a hub whose logs are below `<machines_dir>/<machine>/log`, each at most `log_size` bytes.
    pub(crate) fn new(machines_dir: PathBuf, log_size: u64, clock: Clock) -> Arc<Self> {
        let _ = log_size;
        Arc::new(Self {
            clock,
            machines_dir,
            rooms: Mutex::default(),
        })
    }

    /// Attaches to a run, first stores what the engine's log has and ours has not, and follows the output
    /// until the run ends. Returns once the attachment exists, so that nothing is lost if the run is started
    /// after that. Does nothing if the run is attached already.
    ///
    /// To be called between `create` and `start`, and for a run that is on and not attached. Before the next
    /// `create`, which deletes the engine's log, call [`finish_run`](Self::finish_run).
    pub(crate) async fn attach(
        self: &Arc<Self>,
        machine: Uuid,
        profile: &GameProfile,
        engine: &Arc<dyn GameEngine>,
        run: &str,
    ) -> Result<(), EngineError> {
        if self.is_attached(machine, run) {
            return Ok(());
        }
        let attachment = engine.attach(machine).await?;
        let pattern = profile.ready_pattern.as_deref().map(Regex::new);
        let stop_command = match &profile.stop {
            StopMethod::Command(command) => Some(command.clone()),
            StopMethod::Signal(_) => None,
        };
        let room = Arc::new(Room {
            run: run.to_owned(),
            stop_command,
            input: tokio::sync::Mutex::new(attachment.input),
            ready: watch::Sender::new(pattern.is_none()),
            state: Mutex::default(),
        });
        self.rooms().insert(machine, Arc::clone(&room));
        let pattern = pattern.and_then(Result::ok);
        tokio::spawn(follow(room, attachment.output, pattern));
        Ok(())
    }

    /// Tells whether a run is attached.
    pub(crate) fn is_attached(&self, machine: Uuid, run: &str) -> bool {
        self.room(machine)
            .is_some_and(|room| room.run == run && !room.lock().has_ended)
    }

    /// Waits until all output of a run that has ended is stored, at most a few seconds.
    pub(crate) async fn finish_run(&self, machine: Uuid) {
        if let Some(room) = self.room(machine) {
            let mut ready = room.ready.subscribe();
            while !room.lock().has_ended {
                let changed = timeout(Duration::from_secs(5), ready.changed()).await;
                if !matches!(changed, Ok(Ok(()))) {
                    return;
                }
            }
        }
    }

    /// Types a line, and returns its sequence number in the log.
    pub(crate) async fn write_line(&self, machine: Uuid, text: &str) -> Result<u64, ConsoleError> {
        let room = self.room(machine).ok_or(ConsoleError::NotRunning)?;
        let sequence = {
            let mut state = room.lock();
            if state.has_ended {
                return Err(ConsoleError::NotRunning);
            }
            state.is_stop_typed |= room.stop_command.as_deref() == Some(text.trim());
            state.sequence += 1;
            state.sequence
        };
        let mut input = room.input.lock().await;
        let typed = async {
            input.write_all(format!("{text}\n").as_bytes()).await?;
            input.flush().await
        };
        match timeout(WRITE_TIMEOUT, typed).await {
            Ok(Ok(())) => Ok(sequence),
            Ok(Err(error)) => Err(ConsoleError::Lost(error.to_string())),
            Err(_) => Err(ConsoleError::Busy),
        }
    }

    /// Returns whether a line of the current run matched the profile's ready pattern, also in another process
    /// before this one. It is true at once if there is no pattern.
    pub(crate) fn ready(&self, machine: Uuid) -> watch::Receiver<bool> {
        match self.room(machine) {
            Some(room) => room.ready.subscribe(),
            None => watch::Sender::new(false).subscribe(),
        }
    }

    /// Tells whether the profile's stop command was typed in a run, also in another process before this one.
    pub(crate) async fn stop_command_seen(&self, machine: Uuid, run: &str) -> bool {
        self.room(machine)
            .is_some_and(|room| room.run == run && room.lock().is_stop_typed)
    }

    /// Tells those who watch a console that the state of the machine changed, and notes it in the log.
    pub(crate) async fn publish_state(
        &self,
        machine: Uuid,
        from: PublicState,
        to: PublicState,
        reason: Option<StopReason>,
    ) {
        let reason = reason.map(StopReason::word);
        tracing::debug!(%machine, %from, %to, reason, at = %self.clock.now(), "state changed");
    }

    /// Tells those who watch a console about an action on the machine.
    pub(crate) async fn publish_action(&self, action: &Action) {
        tracing::debug!(machine = %action.machine_id, action = action.id, "action changed");
    }

    /// Closes all sockets of a machine.
    pub(crate) fn close_all(&self, machine: Uuid, reason: CloseReason) {
        tracing::debug!(%machine, code = reason.code(), reason = reason.text(), "sockets closed");
    }

    /// Closes all sockets of a machine that was removed, and deletes its log.
    pub(crate) async fn delete(&self, machine: Uuid) {
        self.close_all(machine, CloseReason::Deleted);
        self.rooms().remove(&machine);
        let folder = self.machines_dir.join(machine.to_string()).join("log");
        if let Err(error) = tokio::fs::remove_dir_all(&folder).await
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!(%machine, %error, "the console log cannot be deleted");
        }
    }

    fn room(&self, machine: Uuid) -> Option<Arc<Room>> {
        self.rooms().get(&machine).cloned()
    }

    fn rooms(&self) -> MutexGuard<'_, HashMap<Uuid, Arc<Room>>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Room {
    fn lock(&self) -> MutexGuard<'_, RoomState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts the lines of a run and looks for its ready pattern.
async fn follow(room: Arc<Room>, mut output: EngineStream, pattern: Option<Regex>) {
    let mut line = Vec::new();
    while let Some(Ok(bytes)) = output.next().await {
        for byte in bytes {
            if byte != b'\n' {
                line.push(byte);
                continue;
            }
            room.lock().sequence += 1;
            let text = String::from_utf8_lossy(&line);
            if pattern
                .as_ref()
                .is_some_and(|pattern| pattern.is_match(&text))
            {
                room.ready.send_replace(true);
            }
            line.clear();
        }
    }
    room.lock().has_ended = true;
    room.ready.send_modify(|_| {});
}

impl fmt::Debug for ConsoleHub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConsoleHub").finish_non_exhaustive()
    }
}
