//! Captures log output for tests.

use std::io;
use std::sync::{Arc, LazyLock, Mutex};

use tracing::Dispatch;
use tracing::subscriber::DefaultGuard;

/// The log of the current thread, as text.
pub(crate) struct Log {
    text: Arc<Mutex<Vec<u8>>>,
    _guard: DefaultGuard,
}

struct Writer(Arc<Mutex<Vec<u8>>>);

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A second subscriber. With only one, the thread that first logs a line decides for all threads whether
/// the line is enabled, and that thread may run a test without a log. With two, both decide.
static SECOND: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(tracing_subscriber::registry()));

impl Log {
    /// Records everything this thread logs from now on.
    pub(crate) fn start() -> Self {
        LazyLock::force(&SECOND);
        let text = Arc::new(Mutex::new(Vec::new()));
        let target = Arc::clone(&text);
        let subscriber = tracing_subscriber::fmt()
            .without_time()
            .with_target(false)
            .with_writer(move || Writer(Arc::clone(&target)))
            .finish();
        Self {
            text,
            _guard: tracing::subscriber::set_default(subscriber),
        }
    }

    /// Returns the text logged so far.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.text.lock().unwrap().clone()).unwrap()
    }
}
