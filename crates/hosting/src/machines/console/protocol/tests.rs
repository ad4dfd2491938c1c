//! Frames as they are sent.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::*;
use crate::machines::console::event::StateChange;
use crate::machines::console::line::{LineStream, MissingOutput};
use crate::model::StopReason;

fn parse(text: &str) -> Option<ClientFrame> {
    serde_json::from_str(text).ok()
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn frames_of_clients() {
    let command = ClientFrame::Command {
        reference: Some(FrameReference::Text("a".to_owned())),
        text: "list".to_owned(),
    };
    let json = r#"{"type":"command","ref":"a","text":"list"}"#;
    assert_eq!(parse(json), Some(command));
    let power = ClientFrame::Power {
        reference: Some(FrameReference::Number(7)),
        action: PowerCommand::Kill,
    };
    let json = r#"{"type":"power","ref":7,"action":"kill"}"#;
    assert_eq!(parse(json), Some(power));
    let subscribe = ClientFrame::Subscribe { stats: true };
    assert_eq!(
        parse(r#"{"type":"subscribe","stats":true}"#),
        Some(subscribe)
    );
    assert_eq!(parse(r#"{"type":"ping"}"#), Some(ClientFrame::Ping {}));
    for wrong in [
        "",
        "[]",
        "ping",
        r#"{"type":"other"}"#,
        r#"{"type":"command"}"#,
        r#"{"type":"command","text":7}"#,
        r#"{"type":"command","text":"a","more":1}"#,
        r#"{"type":"command","text":"a","ref":{}}"#,
        r#"{"type":"power","action":"explode"}"#,
        r#"{"type":"subscribe"}"#,
        r#"{"type":"ping","more":1}"#,
    ] {
        assert_eq!(parse(wrong), None, "{wrong}");
    }
}

#[test]
fn events_are_frames() {
    let line = ConsoleLine {
        seq: 7,
        time: Timestamp::UNIX_EPOCH,
        stream: LineStream::Console,
        text: "a \"b\" \u{1b}[0m".into(),
        missing: None,
    };
    let mut frame = LogFrame::default();
    assert_eq!(frame.take(), None);
    let json = encode(&EventKind::Line(line));
    frame.push(&json);
    frame.push(&json);
    let expected = json!({"seq": 7, "time": "1970-01-01T00:00:00.000Z", "stream": "console",
        "text": "a \"b\" \u{1b}[0m"});
    assert_eq!(
        value(&frame.take().unwrap()),
        json!({"type": "log", "lines": [expected, expected]})
    );
    assert_eq!(frame.take(), None);
    let missing = |lines, bytes| MissingOutput {
        from_seq: 3,
        lines,
        bytes,
    };
    assert_eq!(
        value(&encode(&EventKind::Missing(missing(2, 0)))),
        json!({"type": "dropped", "count": 2, "fromSeq": 3})
    );
    assert_eq!(
        value(&encode(&EventKind::Missing(missing(0, 9)))),
        json!({"type": "dropped", "count": 0, "fromSeq": 3, "bytes": 9})
    );
    let change = StateChange {
        from: PublicState::Running,
        to: PublicState::Crashed,
        reason: Some(StopReason::OutOfMemory),
        at: Timestamp::UNIX_EPOCH,
    };
    assert_eq!(
        value(&encode(&EventKind::State(change))),
        json!({"type": "state", "from": "running", "to": "crashed", "reason": "oom",
            "at": "1970-01-01T00:00:00.000Z"})
    );
}
