//! What is sent and received on an open socket.

use serde_json::json;

use super::client::Received;
use super::{ConsoleBench, READ_ONLY, command, texts_of};

#[tokio::test]
async fn the_first_frame_tells_what_the_client_needs() {
    let bench = ConsoleBench::start().await;
    let last = bench.log("").await["lastSequence"].clone();
    let (_, hello) = bench.greeted("").await;
    assert_eq!(
        hello,
        json!({
            "type": "hello", "protocol": "innkeeper.console.v1", "serverId": "survival", "state": "running",
            "sequence": last, "scopes": ["*"],
            "limits": { "frameBytes": 4096, "framesPerSecond": 10, "commandBytes": 1024 },
            "heartbeatMs": 25000,
        })
    );
}

#[tokio::test]
async fn the_log_is_replayed_and_then_followed() {
    let bench = ConsoleBench::start().await;
    bench.print((1..=300).map(|number| format!("line {number}")));
    bench.until_logged("line 300").await;
    let (mut socket, hello) = bench.greeted("").await;
    let lines = socket.lines_until("line 300").await;
    // By default 150 lines.
    assert_eq!(lines.len(), 150);
    assert_eq!(hello["sequence"], lines.last().unwrap().0);
    bench.print(["live".to_owned()]);
    let live = socket.lines_until("live").await;
    assert_eq!(live, [(lines.last().unwrap().0 + 1, "live".to_owned())]);
    let (mut socket, _) = bench.greeted("?tail=2").await;
    let lines = socket.lines_until("live").await;
    assert_eq!(texts_of(&lines), ["line 300", "live"]);
    let (mut socket, _) = bench.greeted("?tail=0").await;
    bench.print(["only this".to_owned()]);
    let lines = socket.lines_until("only this").await;
    assert_eq!(texts_of(&lines), ["only this"]);
}

#[tokio::test]
async fn lines_have_number_time_stream_and_text() {
    let bench = ConsoleBench::start().await;
    let (mut socket, _) = bench.greeted("?tail=0").await;
    bench.print(["\u{1b}[32mgreen\u{1b}[0m".to_owned()]);
    let frame = socket.frame_of("log").await;
    let line = &frame["lines"][0];
    assert_eq!(line["stream"], "console");
    assert_eq!(line["text"], "\u{1b}[32mgreen\u{1b}[0m");
    let time = line["time"].as_str().unwrap();
    assert!(
        time.ends_with('Z') && time.parse::<jiff::Timestamp>().is_ok(),
        "{time}"
    );
    assert_eq!(time.len(), "2026-01-01T00:00:00.000Z".len());
}

#[tokio::test]
async fn a_command_is_typed_and_acknowledged() {
    let bench = ConsoleBench::start().await;
    let (mut socket, _) = bench.greeted("?tail=0").await;
    socket.send(&command(7, "say hello")).await;
    let (mut seq, mut lines) = (None, Vec::new());
    while seq.is_none() || lines.len() < 2 {
        let frame = socket.frame().await;
        match frame["type"].as_str() {
            Some("commandAck") => {
                assert_eq!(frame["ref"], 7);
                seq = frame["seq"].as_u64();
            }
            Some("log") => lines.extend(frame["lines"].as_array().unwrap().clone()),
            _ => {}
        }
    }
    // The command once, as input, and the answer of the server.
    assert_eq!(lines[0]["stream"], "input");
    assert_eq!(
        (lines[0]["text"].as_str(), lines[0]["seq"].as_u64()),
        (Some("say hello"), seq)
    );
    assert_eq!(lines[1]["text"], "[Server] hello");
    assert_eq!(bench.host.typed(bench.machine), ["say hello"]);
}

#[tokio::test]
async fn commands_that_cannot_be_typed_are_refused() {
    let bench = ConsoleBench::start().await;
    let (mut socket, _) = bench.greeted("?tail=0").await;
    let long = "x".repeat(1025);
    for text in ["", "a\nb", "\u{1b}[0m", "\u{3}", &long] {
        socket.send(&command(1, text)).await;
        let error = socket.frame_of("error").await;
        assert_eq!(error["code"], "invalid_request", "{text:?}");
        assert_eq!(error["ref"], 1);
    }
    assert!(bench.host.typed(bench.machine).is_empty());
    bench.power("stop").await;
    socket.send(&command(2, "list")).await;
    let error = socket.frame_of("error").await;
    assert_eq!(
        (&error["code"], &error["ref"]),
        (&json!("server_not_running"), &json!(2))
    );
}

#[tokio::test]
async fn a_key_that_may_only_read_can_neither_type_nor_switch() {
    let bench = ConsoleBench::start().await;
    let key = bench.bench.key_for(READ_ONLY).await;
    let mut socket = bench.open_with(&key, "?tail=0", &[]).await.ok().unwrap();
    socket.send(&command(1, "list")).await;
    assert_eq!(socket.frame_of("error").await["code"], "insufficient_scope");
    for action in ["stop", "kill"] {
        socket
            .send(&json!({"type": "power", "ref": "p", "action": action}))
            .await;
        let error = socket.frame_of("error").await;
        assert_eq!(
            (&error["code"], &error["ref"]),
            (&json!("insufficient_scope"), &json!("p"))
        );
    }
    assert!(bench.host.is_running(bench.machine));
}

#[tokio::test]
async fn a_socket_stays_open_while_the_server_stops_and_starts() {
    let bench = ConsoleBench::start().await;
    let (mut socket, _) = bench.greeted("?tail=0").await;
    socket
        .send(&json!({"type": "power", "ref": "p", "action": "stop"}))
        .await;
    let accepted = loop {
        let frame = socket.frame_of("action").await;
        if frame["ref"] == "p" {
            break frame;
        }
    };
    assert_eq!(accepted["action"]["command"], "stop");
    let mut states = Vec::new();
    while states.last().map(String::as_str) != Some("stopped") {
        let frame = socket.frame_of("state").await;
        states.push(frame["to"].as_str().unwrap().to_owned());
    }
    socket
        .send(&json!({"type": "power", "action": "start"}))
        .await;
    while states.last().map(String::as_str) != Some("running") {
        let frame = socket.frame_of("state").await;
        states.push(frame["to"].as_str().unwrap().to_owned());
    }
    assert_eq!(states, ["stopping", "stopped", "starting", "running"]);
    bench.print(["again".to_owned()]);
    socket.lines_until("again").await;
}

#[tokio::test]
async fn power_that_is_refused_says_why() {
    let bench = ConsoleBench::start().await;
    bench
        .bench
        .set("survival", "unreachable_since = now()")
        .await;
    let (mut socket, hello) = bench.greeted("?tail=0").await;
    assert_eq!(hello["state"], "unknown");
    socket
        .send(&json!({"type": "power", "ref": 1, "action": "stop"}))
        .await;
    let error = socket.frame_of("error").await;
    assert_eq!(
        (&error["code"], &error["ref"]),
        (&json!("host_unreachable"), &json!(1))
    );
}

#[tokio::test]
async fn stats_come_to_those_who_ask() {
    let bench = ConsoleBench::start().await;
    let (mut socket, _) = bench.greeted("?tail=0").await;
    socket
        .send(&json!({"type": "subscribe", "stats": true}))
        .await;
    let stats = socket.frame_of("stats").await;
    assert_eq!(
        stats,
        json!({"type": "stats", "cpuPct": 0.0, "memoryBytes": 1 << 20, "rxBytes": 0, "txBytes": 0})
    );
    socket
        .send(&json!({"type": "subscribe", "stats": false}))
        .await;
    socket.send(&json!({"type": "ping"})).await;
    assert_eq!(socket.frame().await["type"], "pong");
}

#[tokio::test]
async fn too_many_frames_are_not_looked_at() {
    let bench = ConsoleBench::start().await;
    let (mut socket, _) = bench.greeted("?tail=0").await;
    for _ in 0..50 {
        socket.send(&json!({"type": "ping"})).await;
    }
    let (mut pongs, mut throttled) = (0, 0);
    while throttled == 0 {
        let frame = socket.frame().await;
        match frame["type"].as_str().unwrap() {
            "pong" => pongs += 1,
            "throttled" => {
                assert_eq!(frame["kind"], "frames");
                assert!(frame["retryAfterMs"].as_u64().unwrap() <= 1000);
                throttled += 1;
            }
            other => panic!("{other}"),
        }
    }
    assert!((10..30).contains(&pongs), "{pongs}");
}

#[tokio::test]
async fn too_many_commands_are_refused_with_the_time_to_wait() {
    let bench = ConsoleBench::start().await;
    let (mut socket, _) = bench.greeted("?tail=0").await;
    let other = bench.socket("?tail=0").await;
    let mut sockets = [socket, other];
    // Ten commands at once are allowed, on all sockets together.
    let mut throttled = None;
    for number in 0..16 {
        let socket = &mut sockets[number % 2];
        socket
            .send(&command(i64::try_from(number).unwrap(), "list"))
            .await;
        let frame = loop {
            let frame = socket.frame().await;
            if frame["type"] != "log" && frame["type"] != "hello" {
                break frame;
            }
        };
        if frame["type"] == "throttled" {
            throttled = Some(frame);
            break;
        }
    }
    let throttled = throttled.unwrap();
    assert_eq!(throttled["kind"], "command");
    assert!(throttled["ref"].as_i64().unwrap() >= 10);
    socket = sockets.into_iter().next().unwrap();
    drop(socket);
}

#[tokio::test]
async fn what_is_not_a_frame_closes_the_socket() {
    let bench = ConsoleBench::start().await;
    for text in [
        "",
        "nonsense",
        "[]",
        r#"{"type":"dance"}"#,
        r#"{"type":"ping","x":1}"#,
    ] {
        let (mut socket, _) = bench.greeted("?tail=0").await;
        socket.send_text(text).await;
        let (frames, code) = socket.until_closed().await;
        assert_eq!(code, Some(1008), "{text}");
        assert_eq!(frames[0]["type"], "bye");
        assert_eq!(frames[0]["code"], 1008);
    }
    let (mut socket, _) = bench.greeted("?tail=0").await;
    socket.send_raw(2, b"binary").await;
    assert_eq!(socket.until_closed().await.1, Some(1008));
    let (mut socket, _) = bench.greeted("?tail=0").await;
    let large = json!({"type": "command", "text": "x".repeat(5000)});
    socket.send(&large).await;
    assert_eq!(socket.until_closed().await.1, Some(1009));
}

#[tokio::test]
async fn lines_that_come_together_are_sent_together() {
    let bench = ConsoleBench::start().await;
    let (mut socket, _) = bench.greeted("?tail=0").await;
    bench.print((1..=1000).map(|number| format!("line {number}")));
    let (mut frames, mut lines) = (0, 0);
    while lines < 1000 {
        let frame = socket.frame_of("log").await;
        lines += frame["lines"].as_array().unwrap().len();
        frames += 1;
    }
    assert!(frames < 200, "{frames}");
    socket.send_raw(8, &1000_u16.to_be_bytes()).await;
    assert_eq!(socket.next().await, Received::Closed(1000));
}
