//! Follows the output of a run: attaches, reads what was written before, splits it into lines and stores them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{FutureExt as _, StreamExt as _};
use regex::Regex;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use super::escapes::strip_ansi;
use super::lines::{LineSplitter, SplitLine};
use super::log::LogEntry;
use super::room::{AttachedRun, Room};
use crate::machines::engine::{EngineError, EngineStream, GameEngine, RunState};
use crate::model::{GameProfile, StopMethod};

/// How much output is stored at once, in bytes, if it arrives faster than it is stored.
const BATCH: usize = 64 * 1024;
/// The pauses between attempts to attach again.
const FIRST_PAUSE: Duration = Duration::from_millis(25);
const LAST_PAUSE: Duration = Duration::from_secs(2);
/// How often the rest of the output of a run that has ended is asked for.
const LAST_ATTEMPTS: u32 = 5;

/// How long a follower waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct FollowTimes {
    /// After how much silence text without an end becomes a line.
    pub(super) flush_after: Duration,
    /// How long an attachment has ended before it is made again. An attachment usually ends because the run ends, which
    /// the engine may notice a moment later.
    pub(super) attach_after: Duration,
    /// How long after the start of the process runs that it takes over may not be attached yet.
    pub(super) take_over: Duration,
}

impl Default for FollowTimes {
    fn default() -> Self {
        Self {
            flush_after: Duration::from_millis(250),
            attach_after: Duration::from_millis(500),
            take_over: Duration::from_secs(10),
        }
    }
}

/// Attaches to a run and starts to follow it.
pub(super) async fn attach(
    room: &Arc<Room>,
    profile: &GameProfile,
    engine: &Arc<dyn GameEngine>,
    run: &str,
    times: FollowTimes,
) -> Result<(), EngineError> {
    let _attaching = room.attaching.lock().await;
    let attached = room.run();
    if attached
        .as_ref()
        .is_some_and(|attached| attached.run == run)
    {
        return Ok(());
    }
    // Another run may have begun since the caller looked. Its output would be stored twice.
    if engine.observe(room.machine).await?.run.as_deref() != Some(run) {
        return Ok(());
    }
    if let Some(attached) = attached {
        // The engine's log of the run before is gone.
        attached.abort();
    }
    let is_ready = profile.ready_pattern.is_none();
    let run = AttachedRun {
        stop_command: match &profile.stop {
            StopMethod::Command(command) => Some(command.trim().to_owned()),
            StopMethod::Signal(_) => None,
        },
        ready_pattern: compile(profile),
        ..unattached(engine, run)
    };
    let mut follower = Follower::new(room, run, is_ready, times);
    let output = follower.connect().await?;
    let run = Arc::clone(&follower.run);
    room.set_run(Some(Arc::clone(&run)));
    let task = tokio::spawn(follower.follow(output));
    *run.follower.lock().unwrap_or_else(PoisonError::into_inner) = Some(task.abort_handle());
    Ok(())
}

/// Stores the rest of the output of a run that has ended, unless it is attached.
pub(super) async fn store_rest(
    room: &Arc<Room>,
    engine: &Arc<dyn GameEngine>,
    run: &str,
    times: FollowTimes,
) {
    let _attaching = room.attaching.lock().await;
    if room.run().is_some() {
        return;
    }
    if let Ok(seen) = engine.observe(room.machine).await
        && seen.run.as_deref() != Some(run)
    {
        return;
    }
    let mut follower = Follower::new(room, unattached(engine, run), false, times);
    follower.read_rest().await;
    follower.finish();
}

fn unattached(engine: &Arc<dyn GameEngine>, run: &str) -> AttachedRun {
    AttachedRun {
        run: run.to_owned(),
        engine: Arc::clone(engine),
        stop_command: None,
        ready_pattern: None,
        input: tokio::sync::Mutex::default(),
        has_ended: watch::Sender::new(false),
        follower: Mutex::default(),
    }
}

fn compile(profile: &GameProfile) -> Option<Regex> {
    let pattern = profile.ready_pattern.as_deref()?;
    let compiled = Regex::new(pattern);
    if let Err(error) = &compiled {
        tracing::error!(profile = profile.name, %error, "the ready pattern of a game profile is not valid");
    }
    compiled.ok()
}

/// The output of an attachment.
struct AttachedOutput {
    stream: EngineStream,
    /// How many of its first bytes are stored already.
    skip: u64,
}

/// Follows one run.
struct Follower {
    room: Arc<Room>,
    run: Arc<AttachedRun>,
    splitter: LineSplitter,
    is_ready: bool,
    times: FollowTimes,
}

impl Follower {
    /// Continues with the output of a run where the log ends.
    fn new(room: &Arc<Room>, run: AttachedRun, is_ready: bool, times: FollowTimes) -> Self {
        let state = room.begin_run(&run.run, is_ready);
        Self {
            room: Arc::clone(room),
            run: Arc::new(run),
            splitter: LineSplitter::new(state.offset, state.continues),
            is_ready: state.is_ready,
            times,
        }
    }

    /// Attaches, and stores what was written before.
    async fn connect(&mut self) -> Result<AttachedOutput, EngineError> {
        let attachment = self.run.engine.attach(self.room.machine).await?;
        let position = attachment.position;
        if self.splitter.end() < position {
            self.read_log(Some(position)).await?;
            // Output that the engine counts and does not have.
            let missing = position.saturating_sub(self.splitter.end());
            if missing > 0 {
                self.skip(missing);
            }
        }
        *self.run.input.lock().await = Some(attachment.input);
        Ok(AttachedOutput {
            stream: attachment.output,
            skip: self.splitter.end().saturating_sub(position),
        })
    }

    /// Stores what the engine's log has and ours has not, up to an offset.
    async fn read_log(&mut self, until: Option<u64>) -> Result<(), EngineError> {
        let engine = Arc::clone(&self.run.engine);
        let mut log = engine.log(self.room.machine, self.splitter.end()).await?;
        if log.lost_bytes > 0 {
            self.skip(log.lost_bytes);
        }
        while let Some(bytes) = log.output.next().await {
            let mut bytes = bytes?;
            if let Some(until) = until {
                let left = until.saturating_sub(self.splitter.end());
                bytes.truncate(usize::try_from(left).unwrap_or(usize::MAX));
                if bytes.is_empty() {
                    break;
                }
            }
            self.push(&bytes);
        }
        Ok(())
    }

    /// Follows the run until it ends.
    async fn follow(mut self, mut output: AttachedOutput) {
        loop {
            self.read(&mut output).await;
            *self.run.input.lock().await = None;
            match self.resume().await {
                Some(next) => output = next,
                None => break,
            }
        }
        self.finish();
        self.room.set_run(None);
        self.run.has_ended.send_replace(true);
        // Nobody may be listening.
        self.room.ended_runs.send(self.room.machine).ok();
        // Sockets look at whether the console can be typed into.
        self.room.wake();
    }

    /// Stores the last line, which may have no end.
    fn finish(&mut self) {
        let rest = self.splitter.finish();
        self.store(rest.into_iter().collect());
    }

    /// Stores the output of an attachment until it ends.
    async fn read(&mut self, output: &mut AttachedOutput) {
        let mut flush_at = None;
        loop {
            let next = tokio::select! {
                next = output.stream.next() => next,
                () = sleep_until(flush_at.unwrap_or_else(Instant::now)), if flush_at.is_some() => {
                    flush_at = None;
                    let line = self.splitter.flush();
                    self.store(line.into_iter().collect());
                    continue;
                }
            };
            let mut next = next;
            let mut lines = Vec::new();
            let mut size = 0;
            let has_ended = loop {
                let Some(Ok(bytes)) = next else { break true };
                size += bytes.len();
                self.split(output, bytes, &mut lines);
                if size >= BATCH {
                    break false;
                }
                // Whatever is there is stored at once.
                match output.stream.next().now_or_never() {
                    Some(more) => next = more,
                    None => break false,
                }
            };
            self.store(lines);
            if has_ended {
                return;
            }
            flush_at = self
                .splitter
                .has_partial()
                .then(|| Instant::now() + self.times.flush_after);
            tokio::task::consume_budget().await;
        }
    }

    /// Splits output, except what is stored already.
    fn split(&mut self, output: &mut AttachedOutput, mut bytes: Bytes, lines: &mut Vec<SplitLine>) {
        let skipped = bytes
            .len()
            .min(usize::try_from(output.skip).unwrap_or(usize::MAX));
        output.skip -= skipped as u64;
        let bytes = bytes.split_off(skipped);
        self.splitter.push(&bytes, lines);
    }

    /// Attaches again after an attachment has ended; `None` if the run has ended.
    async fn resume(&mut self) -> Option<AttachedOutput> {
        let ended_at = Instant::now();
        let mut pause = FIRST_PAUSE;
        let machine = self.room.machine;
        loop {
            match self.run.engine.observe(machine).await {
                Ok(seen) if seen.run.as_deref() != Some(&self.run.run) => return None,
                Ok(seen) if matches!(seen.state, RunState::Exited(_) | RunState::Absent) => {
                    self.read_rest().await;
                    return None;
                }
                Ok(_) if ended_at.elapsed() < self.times.attach_after => {}
                Ok(_) => match self.connect().await {
                    Ok(output) => return Some(output),
                    Err(error) => {
                        tracing::debug!(%machine, %error, "the console cannot be attached again yet");
                    }
                },
                Err(error) => {
                    tracing::debug!(%machine, %error, "the host of a console cannot be asked");
                }
            }
            sleep(pause).await;
            pause = (pause * 2).min(LAST_PAUSE);
        }
    }

    /// Stores the rest of the output of a run that has ended.
    async fn read_rest(&mut self) {
        let mut pause = FIRST_PAUSE;
        for attempt in 1..=LAST_ATTEMPTS {
            match self.read_log(None).await {
                Ok(()) | Err(EngineError::NotFound) => return,
                Err(error) if attempt == LAST_ATTEMPTS => {
                    let machine = self.room.machine;
                    tracing::warn!(%machine, %error, "the end of the output of a run is missing");
                }
                Err(_) => sleep(pause).await,
            }
            pause = (pause * 4).min(LAST_PAUSE);
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        let mut lines = Vec::new();
        self.splitter.push(bytes, &mut lines);
        self.store(lines);
    }

    /// Records that bytes are missing.
    fn skip(&mut self, bytes: u64) {
        let before = self.splitter.skip(bytes);
        self.store(before.into_iter().collect());
        let end = self.splitter.end();
        self.room.append(vec![LogEntry::Missing { bytes, end }]);
    }

    fn store(&mut self, lines: Vec<SplitLine>) {
        if lines.is_empty() {
            return;
        }
        let entries = lines.into_iter().map(|line| {
            let is_ready = !self.is_ready && self.matches_ready(&line.text);
            self.is_ready |= is_ready;
            LogEntry::Output { line, is_ready }
        });
        let entries = entries.collect();
        self.room.append(entries);
    }

    fn matches_ready(&self, text: &str) -> bool {
        let pattern = self.run.ready_pattern.as_ref();
        pattern.is_some_and(|pattern| pattern.is_match(&strip_ansi(text)))
    }
}
