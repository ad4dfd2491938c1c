//! Progress messages for work that takes long.

use std::future::Future;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use tokio::time::{Instant, interval_at};

/// Work that takes less shows no progress.
const DELAY: Duration = Duration::from_secs(1);

/// Runs the work. If it takes long, shows a message on standard error: on a terminal with the seconds
/// so far, elsewhere once.
pub(crate) fn show<T>(message: &str, work: impl Future<Output = T>) -> impl Future<Output = T> {
    show_changing(move || message.to_owned(), work)
}

/// As [`show`], with a message that changes while the work goes on. Elsewhere than on a terminal each message is shown
/// once.
pub(crate) async fn show_changing<T>(
    message: impl Fn() -> String,
    work: impl Future<Output = T>,
) -> T {
    // On the heap, so that the future of a long task is not held twice.
    let mut work = Box::pin(work);
    let start = Instant::now();
    let is_terminal = io::stderr().is_terminal();
    let mut ticks = interval_at(start + DELAY, Duration::from_secs(1));
    let mut shown = None;
    let output = loop {
        tokio::select! {
            output = &mut work => break output,
            _ = ticks.tick() => {
                let message = message();
                if is_terminal {
                    write(&format!("\r\u{1b}[K{message} … {} s", start.elapsed().as_secs()));
                } else if shown.as_ref() != Some(&message) {
                    write(&format!("{message} …\n"));
                }
                shown = Some(message);
            }
        }
    };
    if shown.is_some() && is_terminal {
        write("\r\u{1b}[K");
    }
    output
}

fn write(text: &str) {
    let mut out = io::stderr().lock();
    // When standard error is closed, there is nowhere left to report it.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
