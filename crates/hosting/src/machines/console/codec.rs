//! What both protocols of consoles have in common: requests of clients, and answers.

use std::sync::Arc;
use std::time::Duration;

use super::close::CloseReason;
use super::event::ConsoleEvent;
use super::protocol::{FrameReference, PowerCommand};
use super::session::{NextTicket, Session, SessionRefusal};
use crate::model::Action;

/// A request of a client.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ClientRequest {
    /// Types a line.
    Command(Option<FrameReference>, String),
    /// Changes the power.
    Power(Option<FrameReference>, PowerCommand),
    /// Begins or ends to send how much the machine uses.
    Stats(bool),
    /// Shows that the client is there.
    Ping,
    /// Begins a `wings.v1` session.
    Authenticate,
    /// Replays the log.
    Replay,
    /// Wants nothing that there is.
    Nothing,
}

/// What a client is told beside events.
pub(super) enum Answer<'a> {
    /// The command was typed.
    Typed(Option<&'a FrameReference>, u64),
    /// The action was accepted.
    Accepted(Option<&'a FrameReference>, &'a Action),
    /// The request was refused.
    Refused(Option<&'a FrameReference>, &'a SessionRefusal),
    /// Requests came too fast.
    Throttled(&'static str, Duration),
    /// The client is heard.
    Pong,
    /// For the next connection.
    Ticket(&'a NextTicket),
    /// The socket closes.
    Bye(CloseReason),
}

/// A protocol of consoles.
pub(super) trait ConsoleCodec: Send {
    /// Appends the first frames.
    fn begin(&mut self, session: &Session, ticket: Option<&NextTicket>, frames: &mut Vec<String>);

    /// Tells whether events are sent.
    fn is_begun(&self) -> bool;

    /// Reads a request; `None` if the text is not one.
    fn decode(&mut self, text: &str) -> Option<ClientRequest>;

    /// Appends the frames for events.
    fn encode(&mut self, session: &Session, events: &[Arc<ConsoleEvent>], frames: &mut Vec<String>);

    /// Returns the frame of an answer, if the protocol has one.
    fn answer(&mut self, session: &Session, answer: &Answer<'_>) -> Option<String>;
}
