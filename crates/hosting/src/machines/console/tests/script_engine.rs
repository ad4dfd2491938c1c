//! An engine whose one machine does what the test says.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::stream;
use tokio::io::AsyncWrite;
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::machines::engine::{
    Attachment, EngineError, EngineFuture, EngineLog, GameBlueprint, GameEngine, Observation,
    RunState, Usage,
};
use crate::model::{Exit, ObservedState};

/// An engine with one machine, whose output the test writes.
#[derive(Debug, Default)]
pub(super) struct ScriptEngine(Mutex<Script>);

#[derive(Debug)]
pub(super) struct Script {
    pub(super) run: String,
    pub(super) state: RunState,
    pub(super) log: Vec<u8>,
    /// How many of the first bytes of the log are gone.
    pub(super) lost: usize,
    pub(super) attached: Vec<mpsc::UnboundedSender<Bytes>>,
    pub(super) typed: Vec<u8>,
    pub(super) echoes: bool,
    pub(super) reads_input: bool,
    pub(super) attachments: usize,
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
    pub(super) fn with<T>(&self, call: impl FnOnce(&mut Script) -> T) -> T {
        call(&mut self.0.lock().unwrap())
    }

    pub(super) fn write(&self, bytes: &[u8]) {
        self.with(|script| script.write(bytes));
    }

    pub(super) fn drop_attachments(&self) {
        self.with(|script| script.attached.clear());
    }

    pub(super) fn exit(&self) {
        self.with(|script| {
            script.state = RunState::Exited(Exit::default());
            script.attached.clear();
        });
    }

    pub(super) fn next_run(&self, run: &str) {
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
pub(super) struct Shared(pub(super) Arc<ScriptEngine>);

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
