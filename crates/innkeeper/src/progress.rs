//! Progress messages for work that takes long.

use std::future::Future;
use std::io::{self, IsTerminal, Write};
use std::pin::pin;
use std::time::Duration;

use tokio::time::{Instant, interval_at};

/// Work that takes less shows no progress.
const DELAY: Duration = Duration::from_secs(1);

/// Runs the work. If it takes long, shows a message on standard error: on a terminal with the seconds
/// so far, elsewhere once.
pub(crate) async fn show<T>(message: &str, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    let start = Instant::now();
    let is_terminal = io::stderr().is_terminal();
    let mut ticks = interval_at(start + DELAY, Duration::from_secs(1));
    let mut is_shown = false;
    let output = loop {
        tokio::select! {
            output = &mut work => break output,
            _ = ticks.tick() => {
                if is_terminal {
                    write(&format!("\r{message} … {} s", start.elapsed().as_secs()));
                } else if !is_shown {
                    write(&format!("{message} …\n"));
                }
                is_shown = true;
            }
        }
    };
    if is_shown && is_terminal {
        write("\r\u{1b}[K");
    }
    output
}

fn write(text: &str) {
    let mut out = io::stderr().lock();
    // When standard error is closed, there is nowhere left to report it.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
