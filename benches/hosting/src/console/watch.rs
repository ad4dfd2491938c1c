//! Clients that read the lines of all machines, and compare what arrives with what was written.

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::{Context, Result, bail};
use bench_console_lines::{Line, nanos};
use tokio::task::JoinSet;

use super::socket::{ConsoleSocket, each_line};

/// What the sockets of one server have received.
#[derive(Debug)]
pub(super) struct Watch {
    received: Rc<RefCell<Received>>,
    sockets: JoinSet<Result<()>>,
}

#[derive(Debug, Default)]
struct Received {
    /// The number of the last line of each socket.
    last: Vec<u64>,
    /// How long lines took, in nanoseconds.
    delays: Vec<u64>,
    lost: u64,
    repeated: u64,
}

impl Received {
    fn take(&mut self, socket: usize, line: Line, now: u64) {
        self.delays.push(now.saturating_sub(line.written_at));
        let Some(last) = self.last.get_mut(socket) else {
            return;
        };
        if line.number <= *last {
            self.repeated += 1;
            return;
        }
        self.lost += line.number - *last - 1;
        *last = line.number;
    }
}

impl Watch {
    /// Begins to read. The sockets of a machine follow each other.
    pub(super) fn begin(sockets: Vec<ConsoleSocket>) -> Self {
        let received = Rc::new(RefCell::new(Received {
            last: vec![0; sockets.len()],
            ..Received::default()
        }));
        let mut tasks = JoinSet::new();
        for (number, mut socket) in sockets.into_iter().enumerate() {
            let received = Rc::clone(&received);
            tasks.spawn_local(async move {
                while let Some(frame) = socket.next().await? {
                    let now = nanos();
                    let mut received = received.borrow_mut();
                    each_line(&frame, |line| received.take(number, line, now));
                }
                bail!("a websocket was closed")
            });
        }
        Self {
            received,
            sockets: tasks,
        }
    }

    /// Returns the delays since the last call in milliseconds, sorted.
    pub(super) fn delays(&mut self) -> Result<Vec<u64>> {
        if let Some(ended) = self.sockets.try_join_next() {
            ended.context("a reader panicked")??;
        }
        let mut delays = std::mem::take(&mut self.received.borrow_mut().delays);
        delays.sort_unstable();
        Ok(delays)
    }

    /// Returns how many lines were lost and how many repeated. Nothing may be on its way.
    pub(super) fn faults(&self, per_machine: usize) -> (u64, u64) {
        let received = self.received.borrow();
        let mut lost = received.lost;
        for sockets in received.last.chunks(per_machine) {
            let most = sockets.iter().max().copied().unwrap_or_default();
            lost += sockets.iter().map(|last| most - last).sum::<u64>();
        }
        (lost, received.repeated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_and_repeated_lines_are_counted() {
        let mut received = Received {
            last: vec![0; 2],
            ..Received::default()
        };
        for number in [1, 2, 2, 5] {
            let line = Line {
                number,
                written_at: 10,
            };
            received.take(0, line, 15);
        }
        assert_eq!((received.lost, received.repeated), (2, 1));
        assert_eq!(received.delays, [5; 4]);
        let watch = Watch {
            received: Rc::new(RefCell::new(received)),
            sockets: JoinSet::new(),
        };
        assert_eq!(watch.faults(2), (2 + 5, 1));
    }
}
