//! The console of a container.
//!
//! conmon writes a piece of output to the log file first and then to everybody who is attached. So the
//! output is read from the file, at exact offsets, and the bytes on the connection only say that there is
//! more to read. A slow reader never holds up the game, because the connection is always emptied.

use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use futures_util::stream::{self, StreamExt};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWrite, ReadHalf, WriteHalf};
use tokio::sync::watch;
use tokio::task::{AbortHandle, spawn_blocking};
use uuid::Uuid;

use super::PodmanEngine;
use super::log::{file_error, joined};
use super::log_file::LogReader;
use super::observe::Container;
use super::service::process_start;
use crate::machines::engine::{Attachment, EngineError, EngineStream, RunState};
use crate::model::ObservedState;

type Connection = TokioIo<Upgraded>;

impl PodmanEngine {
    pub(super) async fn attach_console(&self, machine: Uuid) -> Result<Attachment, EngineError> {
        let container = self
            .container(machine)
            .await?
            .ok_or(EngineError::NotFound)?;
        let off = EngineError::WrongState(ObservedState::Stopped);
        // To attach to a container that has ended would prepare it again.
        if !matches!(container.state, RunState::Created | RunState::Running)
            || self.has_just_ended(&container)
        {
            return Err(off);
        }
        // By its id: another run can take the name at any time.
        let path = format!(
            "/containers/{}/attach?stream=true&stdin=true&stdout=true&stderr=true",
            container.id
        );
        let upgraded = self.socket.upgrade(&path).await;
        if container.is_running() && !self.is_still_running(machine, &container.id).await? {
            // It ended meanwhile, and the engine has refused or has prepared it again.
            drop(upgraded);
            self.undo_preparation(machine, &container.id).await?;
            return Err(off);
        }
        let connection = upgraded?;
        let (reader, writer) = tokio::io::split(connection);
        let file = container.log_path.filter(|_| self.reads_files);
        if file.is_none() && container.state == RunState::Created {
            // Nothing was written yet, so the connection has everything.
            return Ok(Attachment {
                position: 0,
                output: raw_output(reader),
                input: Box::pin(writer),
            });
        }
        let (progress, receiver) = watch::channel(());
        let task = tokio::spawn(empty_connection(reader, progress));
        let connection = Arc::new(AbortOnDrop(task.abort_handle()));
        let (position, output) = match file {
            Some(path) => follow_file(path, receiver, Arc::clone(&connection)).await?,
            None => (0, self.request_log(machine, true).await?),
        };
        Ok(Attachment {
            position,
            output,
            input: Box::pin(ConsoleInput {
                writer,
                _connection: connection,
            }),
        })
    }

    async fn is_still_running(&self, machine: Uuid, id: &str) -> Result<bool, EngineError> {
        let container = self.container(machine).await?;
        Ok(container.is_some_and(|container| container.id == id && container.is_running()))
    }

    /// Ends what an attachment to a container that has ended prepared. Another run that has the name by now is left
    /// alone.
    async fn undo_preparation(&self, machine: Uuid, id: &str) -> Result<(), EngineError> {
        match self.container(machine).await? {
            Some(container) if container.id == id && container.is_prepared => {
                self.end_prepared(&container).await
            }
            _ => Ok(()),
        }
    }

    /// Tells whether the process of a container has ended and the engine does not know it yet. Processes of engines
    /// that are not our own may have other numbers here.
    fn has_just_ended(&self, container: &Container) -> bool {
        let process = container.process.filter(|_| self.service.is_some());
        process.is_some_and(|pid| process_start(pid).is_none())
    }
}

/// Returns what arrives on a connection, for engines whose files cannot be read.
fn raw_output(reader: ReadHalf<Connection>) -> EngineStream {
    let output = stream::unfold(reader, async |mut reader| {
        let mut piece = BytesMut::with_capacity(16 * 1024);
        match reader.read_buf(&mut piece).await {
            Ok(0) | Err(_) => None,
            Ok(_) => Some((Ok(piece.freeze()), reader)),
        }
    });
    output.boxed()
}

/// Ends a task when both halves of an attachment are gone.
#[derive(Debug)]
struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Reads and drops what arrives, and reports each time that something did. The end of this task closes the
/// channel.
async fn empty_connection(mut reader: ReadHalf<Connection>, progress: watch::Sender<()>) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(1..) = reader.read(&mut buffer).await {
        progress.send_replace(());
    }
}

/// A log file that grows.
struct Follower {
    path: PathBuf,
    reader: Option<LogReader>,
    progress: watch::Receiver<()>,
    has_ended: bool,
    _connection: Arc<AbortOnDrop>,
}

/// Returns what is written to a file from now on, and how many bytes were written before.
async fn follow_file(
    path: PathBuf,
    progress: watch::Receiver<()>,
    connection: Arc<AbortOnDrop>,
) -> Result<(u64, EngineStream), EngineError> {
    let opened = spawn_blocking({
        let path = path.clone();
        move || {
            let mut reader = open_if_exists(&path)?;
            if let Some(reader) = &mut reader {
                reader.skip_to_end()?;
            }
            Ok(reader)
        }
    });
    let reader = joined(opened.await)?;
    let position = reader.as_ref().map_or(0, |reader| reader.offset().output);
    let follower = Follower {
        path,
        reader,
        progress,
        has_ended: false,
        _connection: connection,
    };
    let output = stream::unfold(follower, async |mut follower| {
        let item = follower.next().await?;
        // After an error the reader would return the same one for ever.
        follower.has_ended |= item.is_err();
        Some((item.map_err(|error| file_error(&error)), follower))
    });
    Ok((position, output.boxed()))
}

impl Follower {
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            // Marked as seen before the file is read, so that what comes meanwhile is read next time.
            self.progress.borrow_and_update();
            match self.read() {
                Ok(Some(output)) if output.is_empty() => continue,
                Ok(Some(output)) => return Some(Ok(Bytes::from(output))),
                Ok(None) => {}
                Err(_) if self.has_ended => return None,
                Err(error) => return Some(Err(error)),
            }
            if self.has_ended {
                return None;
            }
            // What was written before the connection ended is in the file: read once more.
            self.has_ended = self.progress.changed().await.is_err();
        }
    }

    /// Reads what the file has more. The bytes were written a moment ago and are in memory, so this does not
    /// block.
    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        if self.reader.is_none() {
            self.reader = open_if_exists(&self.path)?;
        }
        match &mut self.reader {
            Some(reader) => reader.next_block(u64::MAX),
            None => Ok(None),
        }
    }
}

fn open_if_exists(path: &std::path::Path) -> io::Result<Option<LogReader>> {
    match LogReader::open(path) {
        Ok(reader) => Ok(Some(reader)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The half of the connection that is typed into.
struct ConsoleInput {
    writer: WriteHalf<Connection>,
    _connection: Arc<AbortOnDrop>,
}

impl AsyncWrite for ConsoleInput {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.writer).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_shutdown(context)
    }
}
