//! The log that the engine keeps of a run.

use std::io;
use std::path::PathBuf;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use http_body_util::BodyStream;
use hyper::body::Incoming;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use uuid::Uuid;

use super::PodmanEngine;
use super::log_file::LogReader;
use super::names::resource_name;
use crate::machines::engine::{EngineError, EngineLog, EngineStream};

/// How many blocks are read ahead of the one who reads a log.
const READ_AHEAD: usize = 4;

impl PodmanEngine {
    pub(super) async fn read_log(
        &self,
        machine: Uuid,
        offset: u64,
    ) -> Result<EngineLog, EngineError> {
        let container = self
            .container(machine)
            .await?
            .ok_or(EngineError::NotFound)?;
        if let Some(path) = container.log_path.filter(|_| self.reads_files) {
            return from_file(path, offset).await;
        }
        let output = self.request_log(machine, false).await?;
        Ok(EngineLog {
            lost_bytes: 0,
            output: skip_bytes(output, offset),
        })
    }

    /// Requests the log of a run from its beginning. Without a terminal it would come in frames.
    pub(super) async fn request_log(
        &self,
        machine: Uuid,
        follow: bool,
    ) -> Result<EngineStream, EngineError> {
        let name = resource_name(machine);
        let path = format!("/containers/{name}/logs?stdout=true&stderr=true&follow={follow}");
        Ok(body_stream(self.socket.get_stream(&path).await?))
    }
}

/// Reads a log file from an offset to its present end.
async fn from_file(path: PathBuf, offset: u64) -> Result<EngineLog, EngineError> {
    let opened = spawn_blocking(move || match LogReader::open(&path) {
        Ok(reader) => reader.length().map(|end| Some((reader, end))),
        // conmon makes the file when the container is started.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    });
    let Some((reader, end)) = joined(opened.await)? else {
        return Ok(EngineLog {
            lost_bytes: 0,
            output: stream::empty().boxed(),
        });
    };
    let start = reader.offset().output;
    let (sender, receiver) = mpsc::channel(READ_AHEAD);
    spawn_blocking(move || send_blocks(reader, end, &sender));
    let output = stream::unfold(receiver, async |mut receiver| {
        receiver.recv().await.map(|block| (block, receiver))
    });
    Ok(EngineLog {
        lost_bytes: start.saturating_sub(offset),
        output: skip_bytes(output.boxed(), offset.saturating_sub(start)),
    })
}

fn send_blocks(mut reader: LogReader, end: u64, sender: &mpsc::Sender<Result<Bytes, EngineError>>) {
    while let Some(block) = reader.next_block(end).transpose() {
        let block = block.map(Bytes::from).map_err(|error| file_error(&error));
        let is_end = block.is_err();
        if sender.blocking_send(block).is_err() || is_end {
            return;
        }
    }
}

/// Leaves out the first bytes of a stream.
fn skip_bytes(stream: EngineStream, bytes: u64) -> EngineStream {
    let skipped = stream.scan(bytes, |left, item| {
        let item = item.map(|mut piece| {
            let skip = usize::try_from(*left)
                .unwrap_or(usize::MAX)
                .min(piece.len());
            *left -= skip as u64;
            piece.split_off(skip)
        });
        std::future::ready(Some(item))
    });
    let is_wanted = |item: &Result<Bytes, EngineError>| {
        std::future::ready(item.as_ref().map_or(true, |piece| !piece.is_empty()))
    };
    skipped.filter(is_wanted).boxed()
}

fn body_stream(body: Incoming) -> EngineStream {
    BodyStream::new(body)
        .filter_map(async |frame| match frame {
            Ok(frame) => frame.into_data().ok().map(Ok),
            Err(error) => Some(Err(EngineError::Unreachable(error.to_string()))),
        })
        .boxed()
}

/// Returns what a blocking task returned.
pub(super) fn joined<T>(
    outcome: Result<io::Result<T>, tokio::task::JoinError>,
) -> Result<T, EngineError> {
    match outcome {
        Ok(outcome) => outcome.map_err(|error| file_error(&error)),
        Err(error) => Err(EngineError::Internal(error.to_string())),
    }
}

/// Translates an error of a file.
pub(super) fn file_error(error: &io::Error) -> EngineError {
    if matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    ) {
        EngineError::DiskFull
    } else {
        EngineError::Internal(error.to_string())
    }
}
