//! The hub: one attachment per running game server, shared by everybody who reads its console.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use innkeeper_service::clock::Clock;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::{broadcast, watch};
use tokio::time::{Instant, sleep, timeout};
use uuid::Uuid;

use super::close::CloseReason;
use super::event::{EventKind, StateChange};
use super::follow::{self, FollowTimes};
use super::log::{LogEntry, LogLimits, LogSnapshot};
use super::reader::{ConsoleReader, ReplayStart};
use super::room::{AttachedRun, Room, RoomMap};
use super::sockets::SocketRegistry;
use crate::machines::engine::{EngineError, GameEngine};
use crate::model::{Action, GameProfile, PublicState, StopReason};

/// How long a server may take to accept a typed line.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a typed line waits for a run that this process takes over, and the pause between two looks.
const TAKE_OVER_TIMEOUT: Duration = Duration::from_secs(5);
const TAKE_OVER_PAUSE: Duration = Duration::from_millis(20);
/// How long the output of a run that has ended may take to be stored.
const FINISH_TIMEOUT: Duration = Duration::from_secs(10);

/// How many runs that have ended are remembered for somebody who is slow to look.
const ENDED_RUNS: usize = 256;

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
    limits: LogLimits,
    times: FollowTimes,
    started_at: Instant,
    rooms: Arc<RoomMap>,
    sockets: SocketRegistry,
    ended_runs: broadcast::Sender<Uuid>,
}

impl ConsoleHub {
    /// Makes a hub whose logs are below `<machines_dir>/<machine>/log`, each about `log_size` bytes at most.
    pub(crate) fn new(machines_dir: PathBuf, log_size: u64, clock: Clock) -> Arc<Self> {
        Self::with_times(machines_dir, log_size, clock, FollowTimes::default())
    }

    /// Makes a hub that waits as long as it is told.
    pub(super) fn with_times(
        machines_dir: PathBuf,
        log_size: u64,
        clock: Clock,
        times: FollowTimes,
    ) -> Arc<Self> {
        Arc::new(Self {
            clock,
            machines_dir,
            limits: LogLimits::of_size(log_size),
            times,
            started_at: Instant::now(),
            rooms: Arc::new(Mutex::new(HashMap::new())),
            sockets: SocketRegistry::default(),
            ended_runs: broadcast::Sender::new(ENDED_RUNS),
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
        let room = self.room(machine).await;
        let room = room.map_err(|error| {
            EngineError::Internal(format!("the console log cannot be opened: {error}"))
        })?;
        follow::attach(&room, profile, engine, run, self.times).await
    }

    /// Tells whether a run is attached.
    pub(crate) fn is_attached(&self, machine: Uuid, run: &str) -> bool {
        self.attached(machine)
            .is_some_and(|(_, attached)| attached.run == run)
    }

    /// Waits until all output of a run that has ended is stored, at most a few seconds. `run` is the run that the
    /// engine still has the log of.
    pub(crate) async fn finish_run(
        &self,
        machine: Uuid,
        engine: &Arc<dyn GameEngine>,
        run: Option<&str>,
    ) {
        if let Some((_, attached)) = self.attached(machine) {
            let mut has_ended = attached.has_ended.subscribe();
            let ended = has_ended.wait_for(|ended| *ended);
            if timeout(FINISH_TIMEOUT, ended).await.is_err() {
                tracing::warn!(%machine, "the end of the output of a run was not stored in time");
            }
        } else if let Some(run) = run {
            self.store_rest(machine, engine, run).await;
        }
    }

    /// Stores the rest of the output of a run that has ended. Does nothing if the run is attached: then that
    /// happens by itself. It is not attached if it ended before this process looked at it.
    pub(crate) async fn store_rest(&self, machine: Uuid, engine: &Arc<dyn GameEngine>, run: &str) {
        let Some(room) = self.room_or_warn(machine).await else {
            return;
        };
        let stored = follow::store_rest(&room, engine, run, self.times);
        if timeout(FINISH_TIMEOUT, stored).await.is_err() {
            tracing::warn!(%machine, "the end of the output of a run was not stored in time");
        }
    }

    /// Types a line, and returns its sequence number in the log. The line must not have control characters
    /// except tabs. Just after the start of the process, it waits for a run that is being taken over.
    pub(crate) async fn write_line(&self, machine: Uuid, text: &str) -> Result<u64, ConsoleError> {
        let attached = self.attached_soon(machine).await;
        let (room, run) = attached.ok_or(ConsoleError::NotRunning)?;
        let typing = async {
            // Held until the line is typed, so that lines are typed in the order of their numbers.
            let mut input = run.input.lock().await;
            let Some(input) = &mut *input else {
                return Err(ConsoleError::Busy);
            };
            let sequence = room.append(vec![LogEntry::Input {
                text: text.to_owned(),
                is_stop_command: run.stop_command.as_deref() == Some(text.trim()),
            }]);
            let line = format!("{text}\n");
            let typed = async {
                input.write_all(line.as_bytes()).await?;
                input.flush().await
            };
            let typed: Result<(), io::Error> = typed.await;
            typed.map_err(|error| ConsoleError::Lost(error.to_string()))?;
            Ok(sequence)
        };
        let typed = timeout(WRITE_TIMEOUT, typing).await;
        let typed = typed.unwrap_or(Err(ConsoleError::Busy));
        if let Err(error) = &typed {
            let note = format!("A command may not have been received: {error}.");
            room.append(vec![LogEntry::Note(note)]);
        }
        typed
    }

    /// Returns whether a line of the current run matched the profile's ready pattern, also in another process
    /// before this one. It is true at once if there is no pattern.
    pub(crate) fn ready(&self, machine: Uuid) -> watch::Receiver<bool> {
        match self.open_room(machine) {
            Some(room) => room.ready.subscribe(),
            None => watch::Sender::new(false).subscribe(),
        }
    }

    /// Tells whether the profile's stop command was typed in a run, also in another process before this one.
    pub(crate) async fn stop_command_seen(&self, machine: Uuid, run: &str) -> bool {
        let Some(room) = self.room_or_warn(machine).await else {
            return false;
        };
        let state = room.state();
        state.is_stop_typed && state.run.as_deref() == Some(run)
    }

    /// Tells those who watch a console that the state of the machine changed, and notes it in the log.
    pub(crate) async fn publish_state(
        &self,
        machine: Uuid,
        from: PublicState,
        to: PublicState,
        reason: Option<StopReason>,
    ) {
        let Some(room) = self.room_or_warn(machine).await else {
            return;
        };
        let note = match reason {
            Some(reason) => format!("The server is {to} ({reason})."),
            None => format!("The server is {to}."),
        };
        room.append(vec![LogEntry::Note(note)]);
        room.publish([EventKind::State(StateChange {
            from,
            to,
            reason,
            at: self.clock.now(),
        })]);
    }

    /// Tells those who watch a console about an action on the machine.
    pub(crate) async fn publish_action(&self, action: &Action) {
        if let Some(room) = self.open_room(action.machine_id) {
            room.publish([EventKind::Action(Box::new(action.clone()))]);
        }
    }

    /// Closes all sockets of a machine.
    pub(crate) fn close_all(&self, machine: Uuid, reason: CloseReason) {
        self.sockets.close_machine(machine, reason);
        if let Some(room) = self.open_room(machine) {
            room.wake();
        }
    }

    /// Closes all sockets, because the server stops.
    pub(crate) fn close_everything(&self, reason: CloseReason) {
        self.sockets.close_everything(reason);
        for room in self.all_rooms() {
            room.wake();
        }
    }

    /// Closes all sockets of a machine that was removed, and deletes its log.
    pub(crate) async fn delete(&self, machine: Uuid) {
        self.close_all(machine, CloseReason::Deleted);
        if let Some(room) = self.open_room(machine) {
            room.set_deleted();
        }
        let folder = self.log_folder(machine);
        if let Err(error) = tokio::fs::remove_dir_all(&folder).await
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%machine, %error, "the console log cannot be deleted");
        }
    }

    /// Begins to read a console.
    pub(crate) async fn read(
        &self,
        machine: Uuid,
        start: ReplayStart,
    ) -> io::Result<ConsoleReader> {
        let room = self.room(machine).await?;
        ConsoleReader::new(room, start).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Returns the log of a console at this moment.
    pub(super) async fn log(&self, machine: Uuid) -> io::Result<LogSnapshot> {
        let room = self.room(machine).await?;
        room.snapshot()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Receives the machines whose runs end from now on. The engine may not report it yet.
    pub(crate) fn ended_runs(&self) -> broadcast::Receiver<Uuid> {
        self.ended_runs.subscribe()
    }

    /// Returns the open sockets.
    pub(super) fn sockets(&self) -> &SocketRegistry {
        &self.sockets
    }

    /// Returns the clock.
    pub(super) fn clock(&self) -> &Clock {
        &self.clock
    }

    fn log_folder(&self, machine: Uuid) -> PathBuf {
        self.machines_dir.join(machine.to_string()).join("log")
    }

    /// Returns the room of a machine, and opens it if nobody uses it.
    async fn room(&self, machine: Uuid) -> io::Result<Arc<Room>> {
        let room = {
            let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
            let open = rooms.get(&machine).and_then(std::sync::Weak::upgrade);
            open.unwrap_or_else(|| {
                let folder = self.log_folder(machine);
                let room = Room::new(
                    machine,
                    folder,
                    self.limits,
                    self.clock.clone(),
                    &self.rooms,
                    self.ended_runs.clone(),
                );
                rooms.insert(machine, Arc::downgrade(&room));
                room
            })
        };
        room.open().await?;
        Ok(room)
    }

    async fn room_or_warn(&self, machine: Uuid) -> Option<Arc<Room>> {
        let room = self.room(machine).await;
        if let Err(error) = &room {
            tracing::warn!(%machine, %error, "the console log cannot be opened");
        }
        room.ok()
    }

    /// Returns the room of a machine if somebody uses it.
    pub(super) fn open_room(&self, machine: Uuid) -> Option<Arc<Room>> {
        let rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        rooms.get(&machine)?.upgrade()
    }

    fn all_rooms(&self) -> Vec<Arc<Room>> {
        let rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        rooms
            .values()
            .filter_map(std::sync::Weak::upgrade)
            .collect()
    }

    /// Makes sockets look that do not read in time.
    pub(super) fn wake_slow_readers(&self) {
        for room in self.all_rooms() {
            if room.ring().has_slow_readers() {
                room.wake();
            }
        }
    }

    async fn attached_soon(&self, machine: Uuid) -> Option<(Arc<Room>, Arc<AttachedRun>)> {
        let until = self.started_at + self.times.take_over;
        let until = until.min(Instant::now() + TAKE_OVER_TIMEOUT);
        loop {
            let attached = self.attached(machine);
            if attached.is_some() || Instant::now() >= until {
                return attached;
            }
            sleep(TAKE_OVER_PAUSE).await;
        }
    }

    fn attached(&self, machine: Uuid) -> Option<(Arc<Room>, Arc<AttachedRun>)> {
        let room = self.open_room(machine)?;
        let run = room.run()?;
        Some((room, run))
    }
}

impl Drop for ConsoleHub {
    /// Lets go of all consoles, as the end of the process does.
    fn drop(&mut self) {
        for room in self.all_rooms() {
            if let Some(run) = room.run() {
                run.abort();
            }
        }
    }
}

impl fmt::Debug for ConsoleHub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConsoleHub").finish_non_exhaustive()
    }
}
