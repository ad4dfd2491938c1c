//! A sign of life while something takes long.

use std::future::Future;
use std::io::{self, IsTerminal, Write};
use std::pin::pin;
use std::time::Duration;

use tokio::time::{Instant, interval_at};

/// What is done sooner is not worth a line.
const PATIENCE: Duration = Duration::from_secs(1);

/// Does the work and, if it takes long, says on standard error what is going on: on a terminal with
/// the seconds so far, elsewhere as one line.
pub(crate) async fn show<T>(what: &str, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    let start = Instant::now();
    let is_terminal = io::stderr().is_terminal();
    let mut ticks = interval_at(start + PATIENCE, Duration::from_secs(1));
    let mut is_shown = false;
    let done = loop {
        tokio::select! {
            done = &mut work => break done,
            _ = ticks.tick() => {
                if is_terminal {
                    write(&format!("\r{what} … {} s", start.elapsed().as_secs()));
                } else if !is_shown {
                    write(&format!("{what} …\n"));
                }
                is_shown = true;
            }
        }
    };
    if is_shown && is_terminal {
        write("\r\u{1b}[K");
    }
    done
}

fn write(text: &str) {
    let mut out = io::stderr().lock();
    // Nobody is left to tell when stderr is gone.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
