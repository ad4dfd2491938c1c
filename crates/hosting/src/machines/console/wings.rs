//! The codec of `wings.v1`: the events of the console of Wings, the daemon of Pterodactyl, for clients that were written
//! for it. A frame is an object with `event` and a list of texts, `args`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::codec::{Answer, ClientRequest, ConsoleCodec};
use super::event::{ConsoleEvent, EventKind};
use super::protocol::PowerCommand;
use super::session::{NextTicket, Session};
use crate::machines::engine::Usage;
use crate::model::PublicState;

/// The name of the subprotocol.
pub(crate) const PROTOCOL: &str = "wings.v1";

/// Speaks `wings.v1`. Nothing is sent before the client has sent `auth`, as such clients expect it; the key or the
/// ticket was checked with the handshake, so the token in that frame is not looked at.
#[derive(Debug, Default)]
pub(super) struct WingsCodec {
    is_authenticated: bool,
    state: Option<PublicState>,
}

/// A frame in either direction.
#[derive(Debug, Serialize, Deserialize)]
struct WingsFrame {
    event: String,
    #[serde(default)]
    args: Vec<Option<String>>,
}

fn frame(event: &str, args: &[&str]) -> String {
    json!({ "event": event, "args": args }).to_string()
}

/// Returns the word of Wings for a state.
fn status(state: PublicState) -> &'static str {
    match state {
        PublicState::Starting | PublicState::Resetting => "starting",
        PublicState::Running => "running",
        PublicState::Stopping | PublicState::Restarting => "stopping",
        PublicState::Stopped
        | PublicState::Crashed
        | PublicState::Suspended
        | PublicState::Unknown
        | PublicState::Failed
        | PublicState::Deleting => "offline",
    }
}

impl WingsCodec {
    fn stats(&self, session: &Session, usage: &Usage) -> String {
        let state = self.state.unwrap_or(session.details.state);
        let usage = json!({
            "memory_bytes": usage.memory_bytes,
            "memory_limit_bytes": session.details.memory_limit_bytes,
            "cpu_absolute": usage.cpu_percent,
            "network": { "rx_bytes": usage.received_bytes, "tx_bytes": usage.sent_bytes },
            "state": status(state),
        });
        frame("stats", &[&usage.to_string()])
    }
}

impl ConsoleCodec for WingsCodec {
    fn begin(&mut self, session: &Session, _: Option<&NextTicket>, frames: &mut Vec<String>) {
        if self.is_authenticated {
            let state = self.state.unwrap_or(session.details.state);
            frames.push(frame("auth success", &[]));
            frames.push(frame("status", &[status(state)]));
        }
    }

    fn is_begun(&self) -> bool {
        self.is_authenticated
    }

    fn decode(&mut self, text: &str) -> Option<ClientRequest> {
        let WingsFrame { event, args } = serde_json::from_str(text).ok()?;
        let first = args.into_iter().next().flatten();
        if event == "auth" {
            self.is_authenticated = true;
            return Some(ClientRequest::Authenticate);
        }
        if !self.is_authenticated {
            return Some(ClientRequest::Nothing);
        }
        Some(match event.as_str() {
            "send command" => ClientRequest::Command(None, first?),
            "set state" => {
                let command = match first?.as_str() {
                    "start" => PowerCommand::Start,
                    "stop" => PowerCommand::Stop,
                    "restart" => PowerCommand::Restart,
                    "kill" => PowerCommand::Kill,
                    _ => return None,
                };
                ClientRequest::Power(None, command)
            }
            "send logs" => ClientRequest::Replay,
            "send stats" => ClientRequest::Stats(true),
            // Later versions have more events, which change nothing here.
            _ => ClientRequest::Nothing,
        })
    }

    fn encode(
        &mut self,
        session: &Session,
        events: &[Arc<ConsoleEvent>],
        frames: &mut Vec<String>,
    ) {
        for event in events {
            match &event.kind {
                EventKind::Line(line) => frames.push(frame("console output", &[&line.text])),
                EventKind::Missing(missing) => {
                    let text = match missing.lines {
                        0 => missing.text(),
                        lines => format!("{lines} lines were left out"),
                    };
                    frames.push(frame("daemon message", &[&text]));
                }
                EventKind::State(change) => {
                    self.state = Some(change.to);
                    frames.push(frame("status", &[status(change.to)]));
                }
                EventKind::Stats(usage) => frames.push(self.stats(session, usage)),
                EventKind::Action(_) => {}
            }
        }
    }

    fn answer(&mut self, _: &Session, answer: &Answer<'_>) -> Option<String> {
        match answer {
            Answer::Refused(_, refusal) if refusal.throttled.is_some() => {
                Some(frame("throttled", &[]))
            }
            Answer::Refused(_, refusal) => Some(frame("daemon error", &[&refusal.detail])),
            Answer::Throttled(..) => Some(frame("throttled", &[])),
            Answer::Bye(reason) => Some(frame("daemon message", &[reason.text()])),
            Answer::Typed(..) | Answer::Accepted(..) | Answer::Pong | Answer::Ticket(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_done_before_auth() {
        let mut codec = WingsCodec::default();
        let command = r#"{"event":"send command","args":["list"]}"#;
        assert_eq!(codec.decode(command), Some(ClientRequest::Nothing));
        assert!(!codec.is_begun());
        let auth = r#"{"event":"auth","args":["any token"]}"#;
        assert_eq!(codec.decode(auth), Some(ClientRequest::Authenticate));
        assert!(codec.is_begun());
        let request = ClientRequest::Command(None, "list".to_owned());
        assert_eq!(codec.decode(command), Some(request));
    }

    #[test]
    fn requests_of_clients() {
        let mut codec = WingsCodec {
            is_authenticated: true,
            state: None,
        };
        for (text, request) in [
            (
                r#"{"event":"send logs","args":[null]}"#,
                Some(ClientRequest::Replay),
            ),
            (r#"{"event":"send logs"}"#, Some(ClientRequest::Replay)),
            (
                r#"{"event":"send stats","args":[]}"#,
                Some(ClientRequest::Stats(true)),
            ),
            (
                r#"{"event":"set state","args":["kill"]}"#,
                Some(ClientRequest::Power(None, PowerCommand::Kill)),
            ),
            (r#"{"event":"new one"}"#, Some(ClientRequest::Nothing)),
            (r#"{"event":"set state","args":["explode"]}"#, None),
            (r#"{"event":"send command","args":[]}"#, None),
            (r#"{"args":[]}"#, None),
            ("[]", None),
            ("nonsense", None),
        ] {
            assert_eq!(codec.decode(text), request, "{text}");
        }
    }
}
