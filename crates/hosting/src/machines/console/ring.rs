//! The recent events of a console, from which all its readers read.
//!
//! Readers have no queue of their own. The ring keeps the events that some reader has not read, and of those at most
//! 256 KiB; a reader that has not read more than that misses the rest.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use super::event::{ConsoleEvent, EventKind};
use super::line::MissingOutput;

/// How many bytes of events are kept.
pub(super) const MAX_BYTES: usize = 256 * 1024;
/// A ring that grew beyond this many events gives its memory back.
const KEPT_CAPACITY: usize = 64;

/// The events that some reader has not read.
#[derive(Debug, Default)]
pub(super) struct EventRing {
    events: VecDeque<Arc<ConsoleEvent>>,
    bytes: usize,
    /// The number of the first event.
    first: u64,
    /// The sequence number of the last line that was published.
    last_seq: u64,
    readers: Vec<Option<ReaderPosition>>,
    /// The last change of the state and the last change of an action, which every reader is told about, however slow.
    last_state: Option<(u64, Arc<ConsoleEvent>)>,
    last_action: Option<(u64, Arc<ConsoleEvent>)>,
}

#[derive(Debug)]
struct ReaderPosition {
    /// The number of the next event to read.
    next: u64,
    /// Since when the reader has not caught up with the newest event after it missed some.
    slow_since: Option<Instant>,
}

/// Identifies a reader of a ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReaderId(usize);

/// What was read from a ring.
#[derive(Debug, Default)]
pub(super) struct ReadEvents {
    pub(super) events: Vec<Arc<ConsoleEvent>>,
    /// Whether events were missed, which are not among these.
    pub(super) has_missed: bool,
    /// Whether there are more.
    pub(super) has_more: bool,
}

impl EventRing {
    /// Returns a ring of a console whose last line had this number.
    pub(super) fn new(last_seq: u64) -> Self {
        Self {
            last_seq,
            ..Self::default()
        }
    }

    /// Returns the number of the next event.
    pub(super) fn end(&self) -> u64 {
        self.first + self.events.len() as u64
    }

    /// Adds a reader, who gets the events from now on.
    pub(super) fn add_reader(&mut self) -> ReaderId {
        let position = ReaderPosition {
            next: self.end(),
            slow_since: None,
        };
        let free = self.readers.iter().position(Option::is_none);
        let number = free.unwrap_or(self.readers.len());
        match self.readers.get_mut(number) {
            Some(slot) => *slot = Some(position),
            None => self.readers.push(Some(position)),
        }
        ReaderId(number)
    }

    /// Removes a reader.
    pub(super) fn remove_reader(&mut self, reader: ReaderId) {
        if let Some(slot) = self.readers.get_mut(reader.0) {
            *slot = None;
        }
        self.trim();
    }

    /// Adds an event.
    pub(super) fn push(&mut self, kind: EventKind, now: Instant) {
        if self.readers.iter().all(Option::is_none) {
            if let EventKind::Line(line) = kind {
                self.last_seq = line.seq;
            }
            self.first += 1;
            return;
        }
        let event = Arc::new(ConsoleEvent::new(kind));
        let number = self.end();
        match &event.kind {
            EventKind::Line(line) => self.last_seq = line.seq,
            EventKind::State(_) => self.last_state = Some((number, Arc::clone(&event))),
            EventKind::Action(_) => self.last_action = Some((number, Arc::clone(&event))),
            EventKind::Missing(_) | EventKind::Stats(_) => {}
        }
        self.bytes += event.size();
        self.events.push_back(event);
        while self.bytes > MAX_BYTES {
            self.pop();
        }
        for reader in self.readers.iter_mut().flatten() {
            if reader.next < self.first {
                reader.slow_since.get_or_insert(now);
            }
        }
    }

    /// Reads the next events of a reader, about so many bytes.
    pub(super) fn read(&mut self, reader: ReaderId, bytes: usize) -> ReadEvents {
        let (first, end) = (self.first, self.end());
        let mut read = ReadEvents::default();
        let Some(position) = self.readers.get_mut(reader.0).and_then(Option::as_mut) else {
            return read;
        };
        if position.next < first {
            read.has_missed = true;
            for (number, event) in [&self.last_state, &self.last_action].into_iter().flatten() {
                if *number >= position.next {
                    read.events.push(Arc::clone(event));
                }
            }
            position.next = end;
            self.trim();
            return read;
        }
        let start = usize::try_from(position.next - first).unwrap_or(usize::MAX);
        let mut size = 0;
        for event in self.events.iter().skip(start) {
            if size >= bytes {
                break;
            }
            size += event.size();
            read.events.push(Arc::clone(event));
        }
        position.next += read.events.len() as u64;
        read.has_more = position.next < end;
        if read.events.is_empty() {
            position.slow_since = None;
        }
        self.trim();
        read
    }

    /// Returns how many bytes a reader has not read.
    pub(super) fn pending_bytes(&self, reader: ReaderId) -> usize {
        let position = self.readers.get(reader.0).and_then(Option::as_ref);
        let next = position.map_or(u64::MAX, |position| position.next);
        let start = usize::try_from(next.saturating_sub(self.first)).unwrap_or(usize::MAX);
        self.events
            .iter()
            .skip(start)
            .map(|event| event.size())
            .sum()
    }

    /// Moves a reader to the newest event, without telling what it missed.
    pub(super) fn skip_to_end(&mut self, reader: ReaderId) {
        let end = self.end();
        if let Some(position) = self.readers.get_mut(reader.0).and_then(Option::as_mut) {
            position.next = end;
            position.slow_since = None;
        }
        self.trim();
    }

    /// Tells whether a reader has missed events.
    pub(super) fn has_missed(&self, reader: ReaderId) -> bool {
        self.readers
            .get(reader.0)
            .and_then(Option::as_ref)
            .is_some_and(|position| position.next < self.first)
    }

    /// Returns since when a reader has not caught up after it missed events.
    pub(super) fn slow_since(&self, reader: ReaderId) -> Option<Instant> {
        self.readers.get(reader.0)?.as_ref()?.slow_since
    }

    /// Tells whether some reader has not caught up after it missed events.
    pub(super) fn has_slow_readers(&self) -> bool {
        let mut readers = self.readers.iter().flatten();
        readers.any(|reader| reader.slow_since.is_some())
    }

    /// Returns what a reader missed that has read the lines up to one.
    pub(super) fn missed_after(&self, seq: u64) -> Option<MissingOutput> {
        let lines = self.last_seq.checked_sub(seq).filter(|lines| *lines > 0)?;
        Some(MissingOutput {
            from_seq: seq + 1,
            lines,
            bytes: 0,
        })
    }

    /// Drops the events that all readers have read.
    fn trim(&mut self) {
        let next = self.readers.iter().flatten().map(|reader| reader.next);
        let needed = next.min().unwrap_or(u64::MAX);
        while self.first < needed && self.pop() {}
        if self.events.is_empty() && self.events.capacity() > KEPT_CAPACITY {
            self.events = VecDeque::new();
        }
    }

    fn pop(&mut self) -> bool {
        let Some(event) = self.events.pop_front() else {
            return false;
        };
        self.bytes -= event.size();
        self.first += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::machines::console::event::StateChange;
    use crate::machines::console::line::{ConsoleLine, LineStream};
    use crate::model::PublicState;

    fn line(seq: u64, length: usize) -> EventKind {
        EventKind::Line(ConsoleLine {
            seq,
            time: Timestamp::UNIX_EPOCH,
            stream: LineStream::Console,
            text: "x".repeat(length).into(),
            missing: None,
        })
    }

    fn seqs(read: &ReadEvents) -> Vec<u64> {
        let seq = |event: &Arc<ConsoleEvent>| match &event.kind {
            EventKind::Line(line) => Some(line.seq),
            _ => None,
        };
        read.events.iter().filter_map(seq).collect()
    }

    #[test]
    fn every_reader_reads_every_line_once() {
        let mut ring = EventRing::new(0);
        let now = Instant::now();
        let one = ring.add_reader();
        ring.push(line(1, 1), now);
        let two = ring.add_reader();
        ring.push(line(2, 1), now);
        assert_eq!(seqs(&ring.read(one, 1000)), [1, 2]);
        assert_eq!(seqs(&ring.read(two, 1000)), [2]);
        assert_eq!(seqs(&ring.read(one, 1000)), Vec::<u64>::new());
        // What all have read is not kept.
        assert_eq!((ring.events.len(), ring.bytes), (0, 0));
        ring.push(line(3, 1), now);
        ring.remove_reader(one);
        assert_eq!(seqs(&ring.read(two, 1000)), [3]);
        ring.remove_reader(two);
        ring.push(line(4, 1), now);
        let again = ring.add_reader();
        assert_eq!(again, ReaderId(0));
        assert_eq!(seqs(&ring.read(again, 1000)), Vec::<u64>::new());
    }

    #[test]
    fn a_read_is_limited_in_bytes() {
        let mut ring = EventRing::new(0);
        let reader = ring.add_reader();
        for seq in 1..=3 {
            ring.push(line(seq, 1000), Instant::now());
        }
        let read = ring.read(reader, 1500);
        assert_eq!((seqs(&read), read.has_more), (vec![1, 2], true));
        let read = ring.read(reader, 1500);
        assert_eq!((seqs(&read), read.has_more), (vec![3], false));
    }

    #[test]
    fn a_reader_that_is_too_far_behind_goes_on_with_the_newest() {
        let mut ring = EventRing::new(0);
        let now = Instant::now();
        let slow = ring.add_reader();
        let fast = ring.add_reader();
        ring.push(state_change(), now);
        for seq in 1..=300 {
            ring.push(line(seq, 1000), now);
            assert_eq!(seqs(&ring.read(fast, MAX_BYTES)), [seq]);
            assert!(ring.bytes <= MAX_BYTES);
        }
        assert!(ring.has_missed(slow) && ring.slow_since(slow).is_some());
        assert_eq!(ring.slow_since(fast), None);
        let missed = ring.missed_after(0).unwrap();
        assert_eq!((missed.from_seq, missed.lines), (1, 300));
        let read = ring.read(slow, MAX_BYTES);
        assert!(read.has_missed);
        // The state is told even so.
        assert!(
            matches!(read.events.as_slice(), [event] if matches!(event.kind, EventKind::State(_)))
        );
        // It counts as slow until it has read everything.
        ring.push(line(301, 1), now);
        assert_eq!(seqs(&ring.read(slow, MAX_BYTES)), [301]);
        assert!(ring.slow_since(slow).is_some());
        assert_eq!(seqs(&ring.read(slow, MAX_BYTES)), Vec::<u64>::new());
        assert_eq!(ring.slow_since(slow), None);
    }

    fn state_change() -> EventKind {
        EventKind::State(StateChange {
            from: PublicState::Starting,
            to: PublicState::Running,
            reason: None,
            at: Timestamp::UNIX_EPOCH,
        })
    }
}
