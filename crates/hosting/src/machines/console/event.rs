//! What those who watch a console are told.

use std::sync::OnceLock;

use jiff::Timestamp;
use serde::Serialize;

use super::line::{ConsoleLine, MissingOutput};
use super::protocol;
use crate::machines::engine::Usage;
use crate::model::{Action, PublicState, StopReason};

/// How much memory an event takes beside its texts, about, in bytes.
const OVERHEAD: usize = 160;

/// A change of the state of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct StateChange {
    pub(crate) from: PublicState,
    pub(crate) to: PublicState,
    pub(crate) reason: Option<StopReason>,
    #[serde(serialize_with = "crate::base::timestamps::millis")]
    pub(crate) at: Timestamp,
}

/// What happened.
#[derive(Debug, Clone)]
pub(crate) enum EventKind {
    /// A line was written or typed.
    Line(ConsoleLine),
    /// Lines were left out.
    Missing(MissingOutput),
    /// The state of the machine changed.
    State(StateChange),
    /// An action began, went on or ended.
    Action(Box<Action>),
    /// How much the machine uses.
    Stats(Usage),
}

/// An event of a console. It is shared by all who are told, and encoded at most once.
#[derive(Debug)]
pub(crate) struct ConsoleEvent {
    pub(crate) kind: EventKind,
    /// A line as an element of a `log` frame, everything else as a whole frame.
    json: OnceLock<Box<str>>,
}

impl ConsoleEvent {
    pub(super) fn new(kind: EventKind) -> Self {
        Self {
            kind,
            json: OnceLock::new(),
        }
    }

    /// Returns the event in JSON.
    pub(super) fn json(&self) -> &str {
        self.json
            .get_or_init(|| protocol::encode(&self.kind).into())
    }

    /// Returns how many bytes the event takes, about, once it is encoded.
    pub(super) fn size(&self) -> usize {
        match &self.kind {
            EventKind::Line(line) => OVERHEAD + line.text.len(),
            _ => OVERHEAD,
        }
    }
}
