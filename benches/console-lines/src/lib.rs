//! The lines that the servers of the console benchmark write, and when they write them.
//!
//! A line has its number on its machine and the time at which it was written, so that a client can tell what it
//! missed and how long a line took. All processes are on one host and have the same clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{MissedTickBehavior, interval};

/// How many lines each machine writes in a second.
pub const LINES_PER_SECOND: u32 = 5;

/// The text after the numbers, so that a line is about as long as those of a game server.
const FILLER: &str = "[Server thread/INFO]: a player moved to the next field";

/// A line as a client received it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Its number on its machine, from 1 on.
    pub number: u64,
    /// When it was written, in nanoseconds since the epoch.
    pub written_at: u64,
}

impl Line {
    /// Parses the text of a line; `None` if it is another text.
    pub fn parse(text: &str) -> Option<Self> {
        let (numbers, filler) = text.split_once(" [")?;
        if !FILLER.ends_with(filler) {
            return None;
        }
        let (number, written_at) = numbers.split_once(' ')?;
        Some(Self {
            number: number.parse().ok()?,
            written_at: written_at.parse().ok()?,
        })
    }

    fn text(self) -> String {
        format!("{} {} {FILLER}", self.number, self.written_at)
    }
}

/// Returns the nanoseconds since the epoch.
pub fn nanos() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(since.unwrap_or_default().as_nanos()).unwrap_or(u64::MAX)
}

/// Writes lines for all machines in turn, from the first SIGUSR1 to the next one, and so on. `print` gets the
/// index of the machine and the line.
pub async fn write_lines(machines: u32, mut print: impl FnMut(usize, &str)) -> Result<()> {
    let mut toggles = signal(SignalKind::user_defined1()).context("SIGUSR1")?;
    let mut next = (0_usize, 1_u64);
    loop {
        toggles.recv().await;
        let mut ticks = interval(Duration::from_secs(1) / (machines * LINES_PER_SECOND));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
        loop {
            tokio::select! {
                _ = ticks.tick() => {}
                _ = toggles.recv() => break,
            }
            let (machine, number) = next;
            let written_at = nanos();
            print(machine, &Line { number, written_at }.text());
            let is_last = machine + 1 >= machines as usize;
            next = if is_last {
                (0, number + 1)
            } else {
                (machine + 1, number)
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let line = Line {
            number: 7,
            written_at: 1_234_567_890,
        };
        assert_eq!(Line::parse(&line.text()), Some(line));
        assert_eq!(Line::parse("The server is running."), None);
        assert_eq!(Line::parse("1 2 [Server thread/INFO]: other"), None);
    }
}
