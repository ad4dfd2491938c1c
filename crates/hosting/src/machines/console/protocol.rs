//! The frames of `innkeeper.console.v1`: text frames with one JSON object each, whose `type` says what it is.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::event::EventKind;
use super::line::ConsoleLine;
use crate::machines::engine::Usage;
use crate::model::{Action, ActionCommand, ActionResult, ActionStatus, PublicState, Scope};

/// The name of the subprotocol.
pub(crate) const PROTOCOL: &str = "innkeeper.console.v1";
/// The largest frame of a client, in bytes.
pub(crate) const MAX_FRAME: usize = 4096;
/// How many frames a client may send in a second.
pub(crate) const FRAMES_PER_SECOND: u32 = 10;
/// How long a client may be silent before it is sent a ping, in milliseconds.
pub(crate) const PING_MILLIS: u64 = 25_000;
/// How long a client may be silent altogether, in milliseconds.
pub(crate) const SILENCE_MILLIS: u64 = 60_000;

/// A frame of a client.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", deny_unknown_fields)]
pub(super) enum ClientFrame {
    /// Types a line.
    Command {
        /// Returned in the answer.
        #[serde(default, rename = "ref")]
        reference: Option<FrameReference>,
        text: String,
    },
    /// Starts, stops, restarts or kills the server.
    Power {
        #[serde(default, rename = "ref")]
        reference: Option<FrameReference>,
        action: PowerCommand,
    },
    /// Turns on or off what is sent only if it is asked for.
    Subscribe { stats: bool },
    /// Shows that the client is there.
    Ping {},
}

/// What a client calls its frame: a text or a number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum FrameReference {
    Number(i64),
    Text(String),
}

/// What a client may do with the power of a game server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PowerCommand {
    Start,
    Stop,
    Restart,
    Kill,
}

impl PowerCommand {
    /// Returns the command of the action.
    pub(crate) const fn action(self) -> ActionCommand {
        match self {
            Self::Start => ActionCommand::Start,
            Self::Stop => ActionCommand::Stop,
            Self::Restart => ActionCommand::Restart,
            Self::Kill => ActionCommand::Kill,
        }
    }
}

/// A frame of the server.
#[derive(Debug, Serialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub(super) enum ServerFrame<'f> {
    /// The first frame.
    Hello {
        protocol: &'static str,
        server_id: &'f str,
        state: PublicState,
        /// The sequence number of the last line.
        sequence: u64,
        scopes: &'f [Scope],
        limits: FrameLimits,
        heartbeat_ms: u64,
        /// For the next connection of a client that opened this one with a ticket.
        #[serde(skip_serializing_if = "Option::is_none")]
        ticket: Option<&'f str>,
    },
    /// A ticket for the next connection, which replaces that of `hello`.
    Ticket {
        ticket: &'f str,
        #[serde(serialize_with = "crate::base::timestamps::millis")]
        expires_at: Timestamp,
    },
    Dropped {
        count: u64,
        from_seq: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        bytes: Option<u64>,
    },
    State {
        #[serde(flatten)]
        change: &'f super::event::StateChange,
    },
    /// A change of an action, or the answer to a request for one.
    Action {
        #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
        reference: Option<&'f FrameReference>,
        action: ActionFrame<'f>,
    },
    Stats {
        #[serde(flatten)]
        stats: StatsFrame,
    },
    CommandAck {
        #[serde(rename = "ref")]
        reference: Option<&'f FrameReference>,
        seq: u64,
    },
    Throttled {
        kind: &'static str,
        retry_after_ms: u64,
        #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
        reference: Option<&'f FrameReference>,
    },
    Error {
        #[serde(rename = "ref")]
        reference: Option<&'f FrameReference>,
        code: &'f str,
        detail: &'f str,
    },
    Pong {},
    Bye {
        code: u16,
        reason: &'static str,
    },
}

/// The limits of a socket.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameLimits {
    pub(super) frame_bytes: usize,
    pub(super) frames_per_second: u32,
    pub(super) command_bytes: usize,
}

/// An action in a frame.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ActionFrame<'f> {
    id: &'f str,
    command: ActionCommand,
    status: ActionStatus,
    result: Option<ActionResult>,
    error: Option<ActionErrorFrame<'f>>,
}

#[derive(Debug, Serialize)]
struct ActionErrorFrame<'f> {
    code: &'f str,
    message: &'f str,
}

impl<'f> ActionFrame<'f> {
    pub(super) fn of(action: &'f Action) -> Self {
        Self {
            id: &action.id,
            command: action.command,
            status: action.status,
            result: action.result,
            error: action.failure.as_ref().map(|failure| ActionErrorFrame {
                code: &failure.code,
                message: &failure.message,
            }),
        }
    }
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StatsFrame {
    cpu_pct: f64,
    memory_bytes: u64,
    rx_bytes: u64,
    tx_bytes: u64,
}

impl From<Usage> for StatsFrame {
    fn from(usage: Usage) -> Self {
        Self {
            cpu_pct: usage.cpu_percent,
            memory_bytes: usage.memory_bytes,
            rx_bytes: usage.received_bytes,
            tx_bytes: usage.sent_bytes,
        }
    }
}

impl ServerFrame<'_> {
    /// Returns the frame as JSON.
    pub(super) fn encode(&self) -> String {
        // Texts, numbers and lists can be serialized.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl<'f> ServerFrame<'f> {
    pub(super) fn throttled(
        kind: &'static str,
        wait: Duration,
        reference: Option<&'f FrameReference>,
    ) -> Self {
        Self::Throttled {
            kind,
            retry_after_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1),
            reference,
        }
    }
}

/// A line in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct LineRecord<'l> {
    pub(crate) seq: u64,
    pub(crate) time: String,
    pub(crate) stream: &'static str,
    pub(crate) text: &'l str,
}

impl<'l> LineRecord<'l> {
    pub(crate) fn of(line: &'l ConsoleLine) -> Self {
        Self {
            seq: line.seq,
            time: format!("{:.3}", line.time),
            stream: line.stream.word(),
            text: &line.text,
        }
    }
}

/// Encodes an event: a line as an element of a `log` frame, everything else as a frame.
pub(super) fn encode(kind: &EventKind) -> String {
    match kind {
        EventKind::Line(line) => serde_json::to_string(&LineRecord::of(line)).unwrap_or_default(),
        EventKind::Missing(missing) => ServerFrame::Dropped {
            count: missing.lines,
            from_seq: missing.from_seq,
            bytes: (missing.bytes > 0).then_some(missing.bytes),
        }
        .encode(),
        EventKind::State(change) => ServerFrame::State { change }.encode(),
        EventKind::Action(action) => ServerFrame::Action {
            reference: None,
            action: ActionFrame::of(action),
        }
        .encode(),
        EventKind::Stats(usage) => ServerFrame::Stats {
            stats: StatsFrame::from(*usage),
        }
        .encode(),
    }
}

/// A `log` frame that is put together from lines in JSON.
#[derive(Debug, Default)]
pub(super) struct LogFrame(String);

impl LogFrame {
    pub(super) fn push(&mut self, line: &str) {
        self.0.push_str(if self.0.is_empty() {
            r#"{"type":"log","lines":["#
        } else {
            ","
        });
        self.0.push_str(line);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the frame, and begins another one; `None` if it has no lines.
    pub(super) fn take(&mut self) -> Option<String> {
        let mut frame = std::mem::take(&mut self.0);
        if frame.is_empty() {
            return None;
        }
        frame.push_str("]}");
        Some(frame)
    }
}

#[cfg(test)]
mod tests;
