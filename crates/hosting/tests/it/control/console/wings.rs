//! `wings.v1`: the events of Wings.

use serde_json::{Value, json};

use super::ConsoleBench;
use super::client::TestSocket;

async fn open(bench: &ConsoleBench) -> TestSocket {
    let headers = [("sec-websocket-protocol", "wings.v1")];
    bench
        .open_with(&bench.bench.key, "", &headers)
        .await
        .ok()
        .unwrap()
}

async fn authenticated(bench: &ConsoleBench) -> TestSocket {
    let mut socket = open(bench).await;
    socket
        .send(&json!({"event": "auth", "args": ["token"]}))
        .await;
    assert_eq!(
        socket.frame().await,
        json!({"event": "auth success", "args": []})
    );
    assert_eq!(
        socket.frame().await,
        json!({"event": "status", "args": ["running"]})
    );
    socket
}

/// Reads output until a line, and returns it.
async fn output_until(socket: &mut TestSocket, text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    loop {
        let frame = socket.frame_of("console output").await;
        let line = frame["args"][0].as_str().unwrap().to_owned();
        let is_last = line == text;
        lines.push(line);
        if is_last {
            return lines;
        }
    }
}

#[tokio::test]
async fn output_and_commands_are_events() {
    let bench = ConsoleBench::start().await;
    let mut socket = authenticated(&bench).await;
    bench.print(["hello".to_owned()]);
    let lines = output_until(&mut socket, "hello").await;
    assert_eq!(lines.last().unwrap(), "hello");
    socket
        .send(&json!({"event": "send command", "args": ["say hi"]}))
        .await;
    assert_eq!(
        output_until(&mut socket, "[Server] hi").await,
        ["say hi", "[Server] hi"]
    );
    socket
        .send(&json!({"event": "send command", "args": ["a\nb"]}))
        .await;
    let error = socket.frame_of("daemon error").await;
    assert!(error["args"][0].is_string());
}

#[tokio::test]
async fn logs_are_replayed_on_demand() {
    let bench = ConsoleBench::start().await;
    bench.print((1..=200).map(|number| format!("line {number}")));
    bench.until_logged("line 200").await;
    let mut socket = authenticated(&bench).await;
    socket
        .send(&json!({"event": "send logs", "args": [null]}))
        .await;
    let lines = output_until(&mut socket, "line 200").await;
    assert_eq!(lines.len(), 150);
    assert_eq!(lines[0], "line 51");
    bench.print(["live".to_owned()]);
    assert_eq!(output_until(&mut socket, "live").await, ["live"]);
}

#[tokio::test]
async fn the_state_is_told_and_set() {
    let bench = ConsoleBench::start().await;
    let mut socket = authenticated(&bench).await;
    socket
        .send(&json!({"event": "set state", "args": ["stop"]}))
        .await;
    let mut states = Vec::new();
    while states.last() != Some(&json!("offline")) {
        states.push(socket.frame_of("status").await["args"][0].clone());
    }
    socket
        .send(&json!({"event": "set state", "args": ["start"]}))
        .await;
    while states.last() != Some(&json!("running")) {
        states.push(socket.frame_of("status").await["args"][0].clone());
    }
    assert_eq!(states, ["stopping", "offline", "starting", "running"]);
}

#[tokio::test]
async fn stats_are_json_in_a_text() {
    let bench = ConsoleBench::start().await;
    let mut socket = authenticated(&bench).await;
    let stats = socket.frame_of("stats").await;
    let stats: Value = serde_json::from_str(stats["args"][0].as_str().unwrap()).unwrap();
    assert_eq!(stats["memory_limit_bytes"], 64 * 1024 * 1024);
    assert_eq!(stats["state"], "running");
    assert!(stats["network"]["rx_bytes"].is_u64());
}

#[tokio::test]
async fn nothing_is_sent_before_auth() {
    let bench = ConsoleBench::start().await;
    let mut socket = open(&bench).await;
    bench.print(["early".to_owned()]);
    bench.until_logged("early").await;
    socket.send(&json!({"event": "send logs"})).await;
    socket.send(&json!({"event": "auth", "args": [""]})).await;
    assert_eq!(socket.frame().await["event"], "auth success");
    socket.send_text("nonsense").await;
    let (frames, code) = socket.until_closed().await;
    assert_eq!(code, Some(1008));
    assert_eq!(frames.last().unwrap()["event"], "daemon message");
}
