//! The hub with a scripted engine: what is stored and read when attachments end, processes restart and readers come
//! and go.

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use innkeeper_service::clock::Clock;
use proptest::prelude::*;
use tempfile::TempDir;
use tokio::io::AsyncWrite;
use tokio::sync::mpsc;
use uuid::Uuid;

use super::event::EventKind;
use super::follow::FollowTimes;
use super::hub::{ConsoleError, ConsoleHub};
use super::line::LineStream;
use super::log::PartLimits;
use super::reader::{ConsoleReader, ReplayStart};
use crate::engine::{
    Attachment, EngineError, EngineFuture, EngineLog, GameBlueprint, GameEngine, Observation,
    RunState, Usage,
};
use crate::model::{Exit, GameProfile, ObservedState, PublicState, StopMethod};

const MACHINE: Uuid = Uuid::from_u128(7);

/// An engine with one machine, whose output the test writes.
#[derive(Debug, Default)]
struct ScriptEngine(Mutex<Script>);

#[derive(Debug)]
struct Script {
    run: String,
    state: RunState,
    log: Vec<u8>,
    /// How many of the first bytes of the log are gone.
    lost: usize,
    attached: Vec<mpsc::UnboundedSender<Bytes>>,
    typed: Vec<u8>,
    echoes: bool,
    reads_input: bool,
    attachments: usize,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            run: "run1".to_owned(),
            state: RunState::Created,
            log: Vec::new(),
            lost: 0,
            attached: Vec::new(),
            typed: Vec::new(),
            echoes: true,
            reads_input: true,
            attachments: 0,
        }
    }
}

impl ScriptEngine {
    fn with<T>(&self, call: impl FnOnce(&mut Script) -> T) -> T {
        call(&mut self.0.lock().unwrap())
    }

    fn write(&self, bytes: &[u8]) {
        self.with(|script| script.write(bytes));
    }

    fn drop_attachments(&self) {
        self.with(|script| script.attached.clear());
    }

    fn exit(&self) {
        self.with(|script| {
            script.state = RunState::Exited(Exit::default());
            script.attached.clear();
        });
    }

    fn next_run(&self, run: &str) {
        self.with(|script| {
            *script = Script {
                run: run.to_owned(),
                ..Script::default()
            };
        });
    }
}

impl Script {
    fn write(&mut self, bytes: &[u8]) {
        self.state = RunState::Running;
        self.log.extend_from_slice(bytes);
        let chunk = Bytes::copy_from_slice(bytes);
        self.attached
            .retain(|sender| sender.send(chunk.clone()).is_ok());
    }
}

struct ScriptInput(Arc<ScriptEngine>);

impl AsyncWrite for ScriptInput {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.0.with(|script| {
            if !script.reads_input {
                return Poll::Pending;
            }
            script.typed.extend_from_slice(bytes);
            if script.echoes {
                let echo = String::from_utf8_lossy(bytes).replace('\n', "\r\n");
                script.write(echo.as_bytes());
            }
            Poll::Ready(Ok(bytes.len()))
        })
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// The engine as the hub sees it.
#[derive(Debug)]
struct Shared(Arc<ScriptEngine>);

fn ready<'a, T: Send + 'a>(result: Result<T, EngineError>) -> EngineFuture<'a, T> {
    Box::pin(std::future::ready(result))
}

impl GameEngine for Shared {
    fn observe(&self, machine: Uuid) -> EngineFuture<'_, Observation> {
        ready(Ok(self.0.with(|script| Observation {
            machine,
            run: Some(script.run.clone()),
            state: script.state,
            started_at: None,
        })))
    }

    fn attach(&self, _: Uuid) -> EngineFuture<'_, Attachment> {
        let engine = Arc::clone(&self.0);
        ready(self.0.with(|script| {
            if matches!(script.state, RunState::Exited(_)) {
                return Err(EngineError::WrongState(ObservedState::Stopped));
            }
            script.attachments += 1;
            let (sender, receiver) = mpsc::unbounded_channel();
            script.attached.push(sender);
            let output = stream::unfold(receiver, async |mut receiver| {
                let bytes = receiver.recv().await?;
                Some((Ok(bytes), receiver))
            });
            Ok(Attachment {
                position: script.log.len() as u64,
                output: Box::pin(output),
                input: Box::pin(ScriptInput(engine)),
            })
        }))
    }

    fn log(&self, _: Uuid, offset: u64) -> EngineFuture<'_, EngineLog> {
        ready(self.0.with(|script| {
            let offset = usize::try_from(offset).unwrap();
            let start = offset.max(script.lost);
            let bytes = Bytes::copy_from_slice(&script.log[start.min(script.log.len())..]);
            // In pieces, as over a network.
            let pieces: Vec<_> = bytes
                .chunks(5)
                .map(|piece| Ok(Bytes::copy_from_slice(piece)))
                .collect();
            Ok(EngineLog {
                lost_bytes: (start - offset) as u64,
                output: Box::pin(stream::iter(pieces)),
            })
        }))
    }

    fn usage(&self, _: Uuid) -> EngineFuture<'_, Usage> {
        ready(Ok(Usage {
            memory_bytes: 5,
            ..Usage::default()
        }))
    }

    fn observe_all(&self) -> EngineFuture<'_, Vec<Observation>> {
        ready(Err(EngineError::Busy))
    }

    fn create<'a>(&'a self, _: &'a GameBlueprint) -> EngineFuture<'a, ()> {
        ready(Err(EngineError::Busy))
    }

    fn start(&self, _: Uuid) -> EngineFuture<'_, ()> {
        ready(Err(EngineError::Busy))
    }

    fn signal<'a>(&'a self, _: Uuid, _: &'a str) -> EngineFuture<'a, ()> {
        ready(Err(EngineError::Busy))
    }

    fn kill(&self, _: Uuid) -> EngineFuture<'_, ()> {
        ready(Err(EngineError::Busy))
    }

    fn delete(&self, _: Uuid) -> EngineFuture<'_, ()> {
        ready(Err(EngineError::Busy))
    }

    fn disk_usage(&self, _: Uuid) -> EngineFuture<'_, u64> {
        ready(Err(EngineError::Busy))
    }
}

/// A hub on a folder, and the engine that outlives it.
struct Inn {
    folder: TempDir,
    engine: Arc<ScriptEngine>,
    hub: Arc<ConsoleHub>,
    clock: Clock,
}

fn hub(folder: &TempDir, clock: &Clock) -> Arc<ConsoleHub> {
    let times = FollowTimes {
        flush_after: Duration::from_millis(20),
        attach_after: Duration::from_millis(5),
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

impl Inn {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let clock = Clock::manual();
        Self {
            hub: hub(&folder, &clock),
            engine: Arc::default(),
            folder,
            clock,
        }
    }

    async fn attach(&self) {
        let engine: Arc<dyn GameEngine> = Arc::new(Shared(Arc::clone(&self.engine)));
        let run = self.engine.with(|script| script.run.clone());
        let attached = self.hub.attach(MACHINE, &profile(), &engine, &run).await;
        attached.unwrap();
    }

    async fn attached() -> Self {
        let inn = Self::new();
        inn.attach().await;
        inn
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
        while self.hub.open_room(MACHINE).is_some() {
            tokio::task::yield_now().await;
        }
        self.hub = hub(&self.folder, &self.clock);
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
        loop {
            let lines = self.lines().await;
            if lines.len() >= number {
                return lines.into_iter().map(|line| line.1).collect();
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
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

#[tokio::test]
async fn output_is_stored_and_read_in_order() {
    let inn = Inn::attached().await;
    let mut reader = inn.reader(ReplayStart::Tail(150)).await;
    inn.engine.write(b"one\r\ntwo\r\nthr");
    inn.engine.write(b"ee\r\n");
    assert_eq!(read_until(&mut reader, 3).await, ["one", "two", "three"]);
    assert_eq!(inn.texts(3).await, ["one", "two", "three"]);
}

#[tokio::test]
async fn a_line_without_an_end_is_shown_after_a_while() {
    let inn = Inn::attached().await;
    inn.engine.write(b"> ");
    assert_eq!(inn.texts(1).await, ["> "]);
    inn.engine.write(b"\r\nnext\r\n");
    assert_eq!(inn.texts(2).await, ["> ", "next"]);
}

#[tokio::test]
async fn an_attachment_that_ends_while_the_run_is_on_is_made_again() {
    let inn = Inn::attached().await;
    inn.engine.write(b"one\r\ntw");
    inn.texts(1).await;
    inn.engine.drop_attachments();
    inn.engine.write(b"o\r\nthree\r\n");
    assert_eq!(inn.texts(3).await, ["one", "two", "three"]);
    inn.engine.write(b"four\r\n");
    assert_eq!(inn.texts(4).await[3], "four");
    assert_eq!(inn.engine.with(|script| script.attachments), 2);
}

#[tokio::test]
async fn another_process_continues_where_the_last_one_ended() {
    let mut inn = Inn::attached().await;
    inn.engine.write(b"one\r\ntwo\r\nhal");
    inn.texts(2).await;
    inn.kill().await;
    inn.engine.write(b"f\r\nDone\r\n");
    inn.attach().await;
    assert!(*inn.hub.ready(MACHINE).borrow());
    inn.engine.write(b"last\r\n");
    let lines = inn.texts(5).await;
    assert_eq!(lines, ["one", "two", "half", "Done", "last"]);
    let numbers: Vec<u64> = inn.lines().await.into_iter().map(|line| line.0).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn output_that_the_engine_has_lost_is_reported() {
    let mut inn = Inn::attached().await;
    inn.engine.write(b"one\r\n");
    inn.texts(1).await;
    inn.kill().await;
    inn.engine.write(b"two\r\nthree\r\n");
    inn.engine.with(|script| script.lost = 10);
    inn.attach().await;
    assert_eq!(
        inn.texts(3).await,
        ["one", "5 bytes of output are missing", "three"]
    );
    let mut reader = inn.reader(ReplayStart::Since(1)).await;
    let mut events = Vec::new();
    reader.read(1000, &mut events).await;
    let EventKind::Missing(missing) = &events[0].kind else {
        panic!("{events:?}");
    };
    assert_eq!((missing.lines, missing.bytes, missing.from_seq), (0, 5, 2));
}

#[tokio::test]
async fn the_end_of_a_run_is_stored_before_the_next_run() {
    let inn = Inn::attached().await;
    inn.engine.write(b"one\r\n");
    inn.texts(1).await;
    inn.engine.drop_attachments();
    inn.engine.write(b"two\r\nlast words");
    inn.engine.exit();
    inn.hub.finish_run(MACHINE).await;
    assert_eq!(inn.texts(3).await, ["one", "two", "last words"]);
    assert!(!inn.hub.is_attached(MACHINE, "run1"));
    inn.engine.next_run("run2");
    inn.attach().await;
    inn.engine.write(b"again\r\n");
    assert_eq!(inn.texts(4).await[3], "again");
    assert!(inn.hub.is_attached(MACHINE, "run2"));
}

#[tokio::test]
async fn a_run_is_ready_when_a_line_matches() {
    let mut inn = Inn::attached().await;
    let mut ready = inn.hub.ready(MACHINE);
    inn.engine.write(b"Almost Done\r\n");
    inn.texts(1).await;
    assert!(!*ready.borrow());
    inn.engine.write(b"\x1b[32mDone\x1b[0m (2.5 s)\r\n");
    assert!(*ready.wait_for(|ready| *ready).await.unwrap());
    inn.restart().await;
    assert!(*inn.hub.ready(MACHINE).borrow());
    inn.engine.next_run("run2");
    inn.attach().await;
    assert!(!*inn.hub.ready(MACHINE).borrow());
}

#[tokio::test]
async fn a_typed_command_is_in_the_log_once() {
    let mut inn = Inn::attached().await;
    inn.engine.write(b"hello\r\n");
    inn.texts(1).await;
    assert_eq!(inn.hub.write_line(MACHINE, "list").await, Ok(2));
    inn.engine.write(b"nobody\r\n");
    assert_eq!(inn.texts(3).await, ["hello", "list", "nobody"]);
    assert_eq!(inn.engine.with(|script| script.typed.clone()), b"list\n");
    assert!(!inn.hub.stop_command_seen(MACHINE, "run1").await);
    inn.hub.write_line(MACHINE, "stop ").await.unwrap();
    // A new process does not show the echo either.
    inn.restart().await;
    inn.engine.write(b"bye\r\n");
    assert_eq!(
        inn.texts(5).await,
        ["hello", "list", "nobody", "stop ", "bye"]
    );
    assert!(inn.hub.stop_command_seen(MACHINE, "run1").await);
    assert!(!inn.hub.stop_command_seen(MACHINE, "run2").await);
    let log = inn.hub.log(MACHINE).await.unwrap();
    let mut lines = log.since(1);
    assert_eq!(lines.next().unwrap().unwrap().stream, LineStream::Input);
}

#[tokio::test]
async fn a_command_is_typed_only_if_somebody_reads_it() {
    let inn = Inn::new();
    let typed = inn.hub.write_line(MACHINE, "list").await;
    assert_eq!(typed, Err(ConsoleError::NotRunning));
    inn.attach().await;
    inn.engine.with(|script| script.reads_input = false);
    let typed = inn.hub.write_line(MACHINE, "list").await;
    assert_eq!(typed, Err(ConsoleError::Busy));
    inn.engine.exit();
    inn.hub.finish_run(MACHINE).await;
    let typed = inn.hub.write_line(MACHINE, "list").await;
    assert_eq!(typed, Err(ConsoleError::NotRunning));
}

#[tokio::test]
async fn readers_resume_after_a_line() {
    let inn = Inn::attached().await;
    for number in 1..=5000 {
        inn.engine.write(format!("line {number}\r\n").as_bytes());
    }
    inn.texts(1).await;
    loop {
        let log = inn.hub.log(MACHINE).await.unwrap();
        if log.last_seq == 5000 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    // 64 KiB have not all of them.
    let oldest = inn.hub.log(MACHINE).await.unwrap().first_seq();
    assert!(oldest > 1);
    let expected = |from: u64| {
        (from..=5000)
            .map(|n| format!("line {n}"))
            .collect::<Vec<_>>()
    };
    for since in [oldest - 1, oldest, 4500, 4999] {
        let mut reader = inn.reader(ReplayStart::Since(since)).await;
        assert_eq!(read_until(&mut reader, 5000).await, expected(since + 1));
    }
    let mut reader = inn.reader(ReplayStart::Since(oldest - 3)).await;
    let read = read_until(&mut reader, 5000).await;
    assert_eq!(read[0], format!("missing 2 from {}", oldest - 2));
    assert_eq!(read[1..], expected(oldest));
    let mut reader = inn.reader(ReplayStart::Tail(10)).await;
    assert_eq!(read_until(&mut reader, 5000).await, expected(4991));
    for start in [ReplayStart::Tail(0), ReplayStart::Since(5000)] {
        let mut reader = inn.reader(start).await;
        assert!(!reader.is_replaying());
        let mut events = Vec::new();
        reader.read(1000, &mut events).await;
        assert!(events.is_empty());
    }
    // A number that was never used: the log was lost.
    let mut reader = inn.reader(ReplayStart::Since(99_999)).await;
    assert_eq!(reader.sequence(), 5000);
    assert_eq!(read_until(&mut reader, 5000).await, expected(4851));
}

#[tokio::test]
async fn a_slow_reader_misses_lines_and_is_told() {
    let inn = Inn::attached().await;
    let mut reader = inn.reader(ReplayStart::Tail(0)).await;
    let filler = "x".repeat(1000);
    for _ in 0..400 {
        inn.engine.write(format!("{filler}\r\n").as_bytes());
    }
    while inn.hub.log(MACHINE).await.unwrap().last_seq < 400 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    inn.hub
        .publish_state(MACHINE, PublicState::Starting, PublicState::Running, None)
        .await;
    assert!(reader.slow_since().is_some());
    inn.engine.write(b"last\r\n");
    while inn.hub.log(MACHINE).await.unwrap().last_seq < 402 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let mut events = Vec::new();
    reader.read(1000, &mut events).await;
    let EventKind::Missing(missing) = &events[0].kind else {
        panic!("{events:?}");
    };
    assert_eq!((missing.from_seq, missing.lines), (1, 402));
    assert!(
        matches!(&events[1].kind, EventKind::State(change) if change.to == PublicState::Running)
    );
    inn.engine.write(b"next\r\n");
    assert_eq!(read_until(&mut reader, 403).await, ["next"]);
}

#[tokio::test]
async fn a_reader_that_replays_while_much_is_written_misses_nothing() {
    let inn = Inn::attached().await;
    let filler = "x".repeat(200);
    let write = |from: u64, to: u64| {
        for number in from..=to {
            inn.engine
                .write(format!("{number} {filler}\r\n").as_bytes());
        }
    };
    write(1, 100);
    while inn.hub.log(MACHINE).await.unwrap().last_seq < 100 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let mut reader = inn.reader(ReplayStart::Since(50)).await;
    write(101, 150);
    let read = read_until(&mut reader, 150).await;
    let numbers: Vec<u64> = read
        .iter()
        .map(|text| text.split(' ').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(numbers, (51..=150).collect::<Vec<u64>>());
}

#[tokio::test]
async fn stats_are_read_by_those_who_want_them() {
    let inn = Inn::attached().await;
    let mut with = inn.reader(ReplayStart::Tail(0)).await;
    let mut without = inn.reader(ReplayStart::Tail(0)).await;
    with.read_stats(true);
    with.changed().await;
    let mut events = Vec::new();
    with.read(1000, &mut events).await;
    assert!(matches!(&events[0].kind, EventKind::Stats(usage) if usage.memory_bytes == 5));
    events.clear();
    without.read(1000, &mut events).await;
    assert!(events.is_empty());
}

#[tokio::test]
async fn a_room_exists_while_it_is_used() {
    let inn = Inn::attached().await;
    let reader = inn.reader(ReplayStart::Tail(0)).await;
    inn.engine.exit();
    inn.hub.finish_run(MACHINE).await;
    assert!(inn.hub.open_room(MACHINE).is_some());
    drop(reader);
    while inn.hub.open_room(MACHINE).is_some() {
        tokio::task::yield_now().await;
    }
    inn.hub
        .publish_state(MACHINE, PublicState::Running, PublicState::Stopped, None)
        .await;
    assert!(inn.hub.open_room(MACHINE).is_none());
    assert_eq!(inn.texts(1).await, ["The server is stopped."]);
    inn.hub.delete(MACHINE).await;
    assert_eq!(inn.lines().await, []);
}

#[derive(Debug, Clone)]
enum Step {
    Write(Vec<u8>),
    Type(String),
    DropAttachments,
    Kill,
    Reconnect,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let text = "[a-z]{0,6}(\r\n|\n|\r)?".prop_map(String::into_bytes);
    let step = prop_oneof![
        6 => text.prop_map(Step::Write),
        1 => "[A-Z]{1,5}".prop_map(Step::Type),
        1 => Just(Step::DropAttachments),
        1 => Just(Step::Kill),
        2 => Just(Step::Reconnect),
    ];
    proptest::collection::vec(step, 1..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever ends in between, a client that resumes by sequence number reads every line of the log once, and the log
    /// has the whole output once.
    #[test]
    fn nothing_is_lost_or_repeated(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let result: Result<(), TestCaseError> = runtime.block_on(async {
            let mut inn = Inn::attached().await;
            let mut written: Vec<u8> = Vec::new();
            let mut typed = Vec::new();
            let mut read: Vec<String> = Vec::new();
            let mut last = 0;
            for step in steps {
                match step {
                    Step::Write(bytes) => {
                        inn.engine.write(&bytes);
                        written.extend(bytes);
                    }
                    Step::Type(text) => {
                        // The command begins on a new line, or its echo is a part of another.
                        inn.engine.write(b"\n");
                        written.push(b'\n');
                        let run = inn.hub.open_room(MACHINE).unwrap().run().unwrap();
                        while run.input.lock().await.is_none() {
                            tokio::time::sleep(Duration::from_millis(1)).await;
                        }
                        inn.hub.write_line(MACHINE, &text).await.unwrap();
                        typed.push(text);
                    }
                    Step::DropAttachments => inn.engine.drop_attachments(),
                    Step::Kill => inn.restart().await,
                    Step::Reconnect => {
                        let mut reader = inn.reader(ReplayStart::Since(last)).await;
                        let end = inn.hub.log(MACHINE).await.unwrap().last_seq;
                        if end > last {
                            read.extend(read_until(&mut reader, end).await);
                            last = end;
                        }
                    }
                }
                tokio::task::yield_now().await;
            }
            inn.engine.exit();
            inn.hub.finish_run(MACHINE).await;
            let lines = inn.lines().await;
            let mut reader = inn.reader(ReplayStart::Since(last)).await;
            if let Some(end) = lines.last().map(|line| line.0).filter(|end| *end > last) {
                read.extend(read_until(&mut reader, end).await);
            }
            let stored: Vec<String> = lines.into_iter().map(|line| line.1).collect();
            prop_assert_eq!(&read, &stored);
            let commands: Vec<&String> =
                stored.iter().filter(|line| typed.contains(line)).collect();
            prop_assert_eq!(commands, typed.iter().collect::<Vec<_>>());
            let output: String =
                stored.iter().filter(|line| !typed.contains(line)).map(String::as_str).collect();
            let expected: String = String::from_utf8(written).unwrap().replace(['\r', '\n'], "");
            prop_assert_eq!(output, expected);
            Ok(())
        });
        result?;
    }
}
