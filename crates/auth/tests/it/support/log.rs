//! The log of the server under test.

use std::io;
use std::sync::{Arc, Mutex, OnceLock};

use tracing::Dispatch;
use tracing::subscriber::DefaultGuard;

/// A subscriber that is never written to. With only one subscriber, the first thread that reaches a log
/// statement decides for all threads whether it is enabled; with two, every subscriber is asked.
static ANOTHER: OnceLock<Dispatch> = OnceLock::new();

/// Records all log output of this thread while it lives; a test's server runs on the test's thread.
pub(crate) struct Log {
    lines: Lines,
    _guard: DefaultGuard,
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub(crate) fn capture() -> Self {
        ANOTHER.get_or_init(|| Dispatch::new(tracing_subscriber::registry()));
        let lines = Lines::default();
        let writer = lines.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .finish();
        Self {
            lines,
            _guard: tracing::subscriber::set_default(subscriber),
        }
    }

    /// Returns the log so far.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.lines.0.lock().unwrap()).into_owned()
    }
}

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
