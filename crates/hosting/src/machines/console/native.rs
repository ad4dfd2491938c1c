//! The codec of `innkeeper.console.v1`.

use std::sync::Arc;

use super::codec::{Answer, ClientRequest, ConsoleCodec};
use super::command::MAX_COMMAND;
use super::event::{ConsoleEvent, EventKind};
use super::protocol::{
    ActionFrame, ClientFrame, FRAMES_PER_SECOND, FrameLimits, LogFrame, MAX_FRAME, PING_MILLIS,
    PROTOCOL, ServerFrame,
};
use super::session::{NextTicket, Session};
use crate::model::Scope;

/// How many bytes a `log` frame has, about.
const LOG_FRAME: usize = 32 * 1024;

/// Speaks `innkeeper.console.v1`.
#[derive(Debug)]
pub(super) struct NativeCodec;

impl ConsoleCodec for NativeCodec {
    fn begin(&mut self, session: &Session, ticket: Option<&NextTicket>, frames: &mut Vec<String>) {
        let scopes: Vec<Scope> = session.open.key().key.scopes.iter().collect();
        let hello = ServerFrame::Hello {
            protocol: PROTOCOL,
            server_id: &session.details.server_id,
            state: session.details.state,
            sequence: session.reader.sequence(),
            scopes: &scopes,
            limits: FrameLimits {
                frame_bytes: MAX_FRAME,
                frames_per_second: FRAMES_PER_SECOND,
                command_bytes: MAX_COMMAND,
            },
            heartbeat_ms: PING_MILLIS,
            ticket: ticket.map(|ticket| ticket.text.as_str()),
        };
        frames.push(hello.encode());
    }

    fn is_begun(&self) -> bool {
        true
    }

    fn decode(&mut self, text: &str) -> Option<ClientRequest> {
        Some(match serde_json::from_str(text).ok()? {
            ClientFrame::Command { reference, text } => ClientRequest::Command(reference, text),
            ClientFrame::Power { reference, action } => ClientRequest::Power(reference, action),
            ClientFrame::Subscribe { stats } => ClientRequest::Stats(stats),
            ClientFrame::Ping { .. } => ClientRequest::Ping,
        })
    }

    fn encode(&mut self, _: &Session, events: &[Arc<ConsoleEvent>], frames: &mut Vec<String>) {
        let mut log = LogFrame::default();
        for event in events {
            if let EventKind::Line(_) = event.kind {
                log.push(event.json());
                if log.len() >= LOG_FRAME {
                    frames.extend(log.take());
                }
            } else {
                frames.extend(log.take());
                frames.push(event.json().to_owned());
            }
        }
        frames.extend(log.take());
    }

    fn answer(&mut self, _: &Session, answer: &Answer<'_>) -> Option<String> {
        let frame = match *answer {
            Answer::Typed(reference, seq) => ServerFrame::CommandAck { reference, seq },
            Answer::Accepted(reference, action) => ServerFrame::Action {
                reference,
                action: ActionFrame::of(action),
            },
            Answer::Refused(reference, refusal) => match refusal.throttled {
                Some((kind, wait)) => ServerFrame::throttled(kind, wait, reference),
                None => ServerFrame::Error {
                    reference,
                    code: refusal.code.as_str(),
                    detail: &refusal.detail,
                },
            },
            Answer::Throttled(kind, wait) => ServerFrame::throttled(kind, wait, None),
            Answer::Pong => ServerFrame::Pong {},
            Answer::Ticket(ticket) => ServerFrame::Ticket {
                ticket: &ticket.text,
                expires_at: ticket.expires_at,
            },
            Answer::Bye(reason) => ServerFrame::Bye {
                code: reason.code(),
                reason: reason.text(),
            },
        };
        Some(frame.encode())
    }
}
