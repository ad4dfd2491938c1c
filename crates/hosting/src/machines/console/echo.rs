//! The echo of typed commands. A terminal prints what is typed into it, and the log has that already as a line
//! of the stream `input`, so the printed copy is left out.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::escapes::strip_ansi;

/// How many typed commands may wait for their echo.
const MAX_PENDING: usize = 16;
/// How many bytes of output may come before an echo. A server that turned its echo off prints none, and must not
/// lose a line much later that looks like one.
const MAX_DISTANCE: u64 = 64 * 1024;
/// How long a prompt may be, in bytes.
const MAX_PROMPT: usize = 8;

/// A typed command whose echo was not seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PendingEcho {
    /// What was typed.
    pub(super) text: String,
    /// The offset in the output when it was typed.
    pub(super) offset: u64,
}

/// The typed commands of a run whose echo was not seen, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct EchoFilter(VecDeque<PendingEcho>);

impl EchoFilter {
    /// Expects the echo of a command.
    pub(super) fn expect(&mut self, text: &str, offset: u64) {
        if self.0.len() >= MAX_PENDING {
            self.0.pop_front();
        }
        self.0.push_back(PendingEcho {
            text: text.to_owned(),
            offset,
        });
    }

    /// Tells whether a line that ends at an offset is an echo. Commands that were typed before the echoed one
    /// are not expected any more: a terminal echoes in order.
    pub(super) fn is_echo(&mut self, line: &str, end: u64) -> bool {
        let is_late = |echo: &PendingEcho| end > echo.offset.saturating_add(MAX_DISTANCE);
        while self.0.front().is_some_and(is_late) {
            self.0.pop_front();
        }
        if self.0.is_empty() {
            return false;
        }
        let line = strip_ansi(line);
        let found = self.0.iter().position(|echo| matches(&line, &echo.text));
        if let Some(found) = found {
            self.0.drain(..=found);
        }
        found.is_some()
    }

    /// Returns how many echoes are expected.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets all but the last ones.
    pub(super) fn keep_last(&mut self, number: usize) {
        let excess = self.0.len().saturating_sub(number);
        self.0.drain(..excess);
    }
}

/// Tells whether a line is a command, possibly after a prompt such as `> `.
fn matches(line: &str, command: &str) -> bool {
    let Some(prompt) = line.trim_end().strip_suffix(command.trim_end()) else {
        return false;
    };
    prompt.len() <= MAX_PROMPT && !prompt.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_echo_is_recognised_once() {
        let mut filter = EchoFilter::default();
        filter.expect("list", 10);
        assert!(!filter.is_echo("listing", 20));
        assert!(filter.is_echo("list", 20));
        assert!(!filter.is_echo("list", 30));
    }

    #[test]
    fn a_prompt_and_colours_may_surround_an_echo() {
        for (line, is_echo) in [
            ("> list", true),
            ("\u{1b}[32m>\u{1b}[0m list \u{1b}[K", true),
            ("[12:00:00] list", false),
            ("a list", false),
            (">>>>>>>>>> list", false),
        ] {
            let mut filter = EchoFilter::default();
            filter.expect("list", 0);
            assert_eq!(filter.is_echo(line, 10), is_echo, "{line}");
        }
    }

    #[test]
    fn echoes_come_in_order() {
        let mut filter = EchoFilter::default();
        filter.expect("one", 0);
        filter.expect("two", 0);
        assert!(filter.is_echo("two", 10));
        assert!(!filter.is_echo("one", 20));
        assert_eq!(filter.len(), 0);
    }

    #[test]
    fn an_echo_is_not_expected_for_ever() {
        let mut filter = EchoFilter::default();
        filter.expect("list", 100);
        assert!(!filter.is_echo("list", 101 + MAX_DISTANCE));
        for number in 0..20 {
            filter.expect(&number.to_string(), 0);
        }
        assert_eq!(filter.len(), MAX_PENDING);
        filter.keep_last(1);
        assert!(filter.is_echo("19", 1));
    }
}
