//! A console that is read in the background.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::PATIENCE;
use crate::machines::engine::Attachment;

/// An attached console and everything that it has shown.
pub(crate) struct TestConsole {
    pub(crate) position: u64,
    output: Arc<Output>,
    input: Pin<Box<dyn AsyncWrite + Send>>,
    /// How much of the output `wait_for` has passed.
    seen: usize,
    reader: JoinHandle<()>,
}

#[derive(Default)]
struct Output {
    state: Mutex<(Vec<u8>, bool)>,
    changed: Notify,
}

impl TestConsole {
    pub(crate) fn new(attachment: Attachment) -> Self {
        let output = Arc::new(Output::default());
        let reader = tokio::spawn(read(attachment.output, Arc::clone(&output)));
        Self {
            position: attachment.position,
            output,
            input: attachment.input,
            seen: 0,
            reader,
        }
    }

    /// Waits until a text appears after what was waited for before.
    pub(crate) async fn wait_for(&mut self, text: &str) {
        let found = timeout(PATIENCE, async {
            loop {
                let changed = self.output.changed.notified();
                if let Some(end) = find(&self.shown()[self.seen..], text.as_bytes()) {
                    self.seen += end;
                    return;
                }
                changed.await;
            }
        });
        let is_found = found.await.is_ok();
        let shown = self.shown();
        let shown = String::from_utf8_lossy(&shown);
        assert!(is_found, "{text:?} does not appear in {shown:?}");
    }

    /// Waits until the output has ended and returns all of it.
    pub(crate) async fn wait_for_end(&self) -> Vec<u8> {
        let ended = timeout(PATIENCE, async {
            loop {
                let changed = self.output.changed.notified();
                if self.output.state.lock().unwrap().1 {
                    return;
                }
                changed.await;
            }
        });
        assert!(ended.await.is_ok(), "the output does not end");
        self.shown()
    }

    /// Types a line.
    pub(crate) async fn type_line(&mut self, line: &str) {
        self.input
            .write_all(format!("{line}\n").as_bytes())
            .await
            .unwrap();
        self.input.flush().await.unwrap();
    }

    /// Types a line and waits for a text in the answer.
    pub(crate) async fn ask(&mut self, line: &str, answer: &str) {
        self.type_line(line).await;
        self.wait_for(answer).await;
    }

    /// Returns all that was shown.
    pub(crate) fn shown(&self) -> Vec<u8> {
        self.output.state.lock().unwrap().0.clone()
    }
}

impl Drop for TestConsole {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

async fn read(mut stream: crate::machines::engine::EngineStream, output: Arc<Output>) {
    while let Some(Ok(piece)) = stream.next().await {
        output.state.lock().unwrap().0.extend(piece);
        output.changed.notify_waiters();
    }
    output.state.lock().unwrap().1 = true;
    output.changed.notify_waiters();
}

/// Returns the end of the first occurrence.
pub(super) fn find(output: &[u8], text: &[u8]) -> Option<usize> {
    let mut windows = output.windows(text.len());
    windows
        .position(|window| window == text)
        .map(|start| start + text.len())
}
