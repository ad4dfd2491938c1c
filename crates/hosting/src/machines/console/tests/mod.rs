//! The hub with a scripted engine: what is stored and read when attachments end, processes restart and readers come
//! and go.

mod full_disk;
mod properties;
mod reading;
mod script_engine;
mod storing;
mod typing;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use innkeeper_service::clock::Clock;
use innkeeper_service::testing::eventually;
use tempfile::TempDir;
use uuid::Uuid;

use super::event::EventKind;
use super::follow::FollowTimes;
use super::hub::{ConsoleError, ConsoleHub};
use super::line::LineStream;
use super::log::PartLimits;
use super::reader::{ConsoleReader, ReplayStart};
use crate::machines::engine::GameEngine;
use crate::model::{GameProfile, PublicState, StopMethod};
use script_engine::{ScriptEngine, Shared};

const MACHINE: Uuid = Uuid::from_u128(7);

/// When a line without an end is shown, in tests of it.
const SOON: Duration = Duration::from_millis(20);
/// The same in other tests, which expect whole lines however slow the computer is.
const NEVER: Duration = Duration::from_hours(1);

/// A hub on a folder, and the engine that outlives it.
struct Fixture {
    folder: TempDir,
    engine: Arc<ScriptEngine>,
    hub: Arc<ConsoleHub>,
    clock: Clock,
    flush_after: Duration,
}

fn hub(folder: &TempDir, clock: &Clock, flush_after: Duration) -> Arc<ConsoleHub> {
    let times = FollowTimes {
        flush_after,
        attach_after: Duration::from_millis(5),
        take_over: Duration::ZERO,
    };
    ConsoleHub::with_times(folder.path().to_owned(), 64 * 1024, clock.clone(), times)
}

fn profile() -> GameProfile {
    GameProfile {
        name: "demo".to_owned(),
        version: None,
        image: "demo".to_owned(),
        command: Vec::new(),
        environment: BTreeMap::new(),
        data_path: "/data".to_owned(),
        stop: StopMethod::Command("stop".to_owned()),
        ready_pattern: Some("^Done".to_owned()),
        ready_seconds: 10,
        ports: Vec::new(),
        read_only_root: true,
    }
}

impl Fixture {
    fn new() -> Self {
        Self::flushing(NEVER)
    }

    /// Makes a hub that shows lines without an end after this time.
    fn flushing(flush_after: Duration) -> Self {
        let folder = TempDir::new().unwrap();
        let clock = Clock::manual();
        Self {
            hub: hub(&folder, &clock, flush_after),
            engine: Arc::default(),
            folder,
            clock,
            flush_after,
        }
    }

    async fn attach(&self) {
        let engine: Arc<dyn GameEngine> = Arc::new(Shared(Arc::clone(&self.engine)));
        let run = self.engine.with(|script| script.run.clone());
        let attached = self.hub.attach(MACHINE, &profile(), &engine, &run).await;
        attached.unwrap();
    }

    async fn finish_run(&self) {
        let engine: Arc<dyn GameEngine> = Arc::new(Shared(Arc::clone(&self.engine)));
        let run = self.engine.with(|script| script.run.clone());
        self.hub.finish_run(MACHINE, &engine, Some(&run)).await;
    }

    async fn attached() -> Self {
        let fixture = Self::new();
        fixture.attach().await;
        fixture
    }

    /// Ends the process, and starts another one.
    async fn restart(&mut self) {
        self.kill().await;
        self.attach().await;
    }

    async fn kill(&mut self) {
        if let Some(room) = self.hub.open_room(MACHINE) {
            room.run().inspect(|run| run.abort());
            room.set_run(None);
        }
        // The room is gone once its task has been dropped.
        self.room_is_gone().await;
        self.hub = hub(&self.folder, &self.clock, self.flush_after);
    }

    async fn lines(&self) -> Vec<(u64, String)> {
        let log = self.hub.log(MACHINE).await.unwrap();
        let all = PartLimits {
            lines: usize::MAX,
            bytes: usize::MAX,
        };
        let part = log.since(0).part(all, |_| true).unwrap();
        part.lines
            .into_iter()
            .map(|line| (line.seq, line.text.into()))
            .collect()
    }

    /// Waits until the log has so many lines, and returns their texts.
    async fn texts(&self, number: usize) -> Vec<String> {
        eventually(format!("the log has {number} lines"), async || {
            let lines = self.lines().await.into_iter();
            let texts: Vec<String> = lines.map(|line| line.1).collect();
            if texts.len() >= number {
                Ok(texts)
            } else {
                Err(texts)
            }
        })
        .await
    }

    /// Waits until the log has a line with this sequence number.
    async fn stored(&self, sequence: u64) {
        eventually(format!("line {sequence} is stored"), async || {
            let last = self.hub.log(MACHINE).await.unwrap().last_seq;
            if last >= sequence { Ok(()) } else { Err(last) }
        })
        .await;
    }

    /// Waits until nobody uses the room.
    async fn room_is_gone(&self) {
        let is_gone = async || self.hub.open_room(MACHINE).is_none();
        eventually("nobody uses the room", is_gone).await;
    }

    async fn reader(&self, start: ReplayStart) -> ConsoleReader {
        self.hub.read(MACHINE, start).await.unwrap()
    }
}

/// Reads until a line has this sequence number; returns what was read as text.
async fn read_until(reader: &mut ConsoleReader, last: u64) -> Vec<String> {
    let mut read = Vec::new();
    loop {
        let mut events = Vec::new();
        reader.read(1000, &mut events).await;
        let is_empty = events.is_empty();
        for event in events {
            match &event.kind {
                EventKind::Line(line) => {
                    read.push(line.text.to_string());
                    if line.seq >= last {
                        return read;
                    }
                }
                EventKind::Missing(missing) => {
                    read.push(format!(
                        "missing {} from {}",
                        missing.lines, missing.from_seq
                    ));
                }
                EventKind::State(change) => read.push(format!("state {}", change.to)),
                EventKind::Action(_) | EventKind::Stats(_) => {}
            }
        }
        if is_empty && !reader.is_replaying() {
            reader.changed().await;
        }
    }
}
