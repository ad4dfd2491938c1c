//! A guest that answers like the demo game server, as far as the checks of engines use it.

use jiff::{SignedDuration, Timestamp};

/// The demo game server in memory.
#[derive(Debug, Default)]
pub(super) struct DemoGuest {
    /// How often it was started with its data.
    starts: u32,
    players: Vec<String>,
    /// Whether it ignores everything in this run.
    is_hanging: bool,
}

/// What the game does with a line or a signal.
#[derive(Debug, Default)]
pub(super) struct DemoReaction {
    pub(super) lines: Vec<String>,
    /// The code that it exits with.
    pub(super) exit_code: Option<i32>,
}

impl DemoGuest {
    /// Begins a run, and returns its first lines.
    pub(super) fn boot(&mut self) -> Vec<String> {
        self.starts += 1;
        self.players.clear();
        self.is_hanging = false;
        vec![
            "Demo game server in memory".to_owned(),
            format!("This is start number {}", self.starts),
            "Ready for players".to_owned(),
        ]
    }

    /// Returns when the current run began, by the clock of the engine.
    pub(super) fn started_at(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_secs(self.starts.into())
    }

    /// Ends because of a signal.
    pub(super) fn terminate(&self) -> DemoReaction {
        if self.is_hanging {
            return DemoReaction::default();
        }
        DemoReaction {
            lines: vec!["Stopped".to_owned()],
            exit_code: Some(0),
        }
    }

    /// Does what a typed line says.
    pub(super) fn obey(&mut self, line: &str) -> DemoReaction {
        if self.is_hanging {
            return DemoReaction::default();
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let lines = match word {
            "stop" => return self.terminate(),
            "crash" => {
                return DemoReaction {
                    lines: Vec::new(),
                    exit_code: Some(rest.parse().unwrap_or(1)),
                };
            }
            "say" => vec![format!("[Server] {rest}")],
            "join" => {
                self.players.push(rest.to_owned());
                vec![format!("{rest} joined the game")]
            }
            "list" => {
                let names = self.players.join(", ");
                let count = self.players.len();
                vec![format!("{count} of 20 players online: {names}")]
            }
            "count" => {
                let last: u64 = rest.parse().unwrap_or(10);
                (1..=last).map(|number| number.to_string()).collect()
            }
            "hang" => {
                self.is_hanging = true;
                vec!["Ignoring everything".to_owned()]
            }
            _ => vec![format!("Unknown command: {word}")],
        };
        DemoReaction {
            lines,
            exit_code: None,
        }
    }
}
