//! `GET …/logs/{server_id}/latest`.

use std::io::Read as _;

use flate2::read::GzDecoder;
use innkeeper_hosting::model::Scope;
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::{ConsoleBench, LOGS};
use crate::control::assert_refused;
use crate::support::Answer;

#[tokio::test]
async fn the_last_lines_come_with_their_numbers() {
    let bench = ConsoleBench::start().await;
    bench.print((1..=300).map(|number| format!("line {number}")));
    bench.until_logged("line 300").await;
    let log = bench.log("").await;
    let lines = log["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 200);
    assert_eq!(
        (&log["serverId"], &log["state"]),
        (&json!("survival"), &json!("running"))
    );
    assert_eq!(log["firstSequence"], lines[0]["seq"]);
    assert_eq!(log["lastSequence"], lines[199]["seq"]);
    assert_eq!(log["truncated"], false);
    assert_eq!(lines[199]["text"], "line 300");
    let keys: Vec<&String> = lines[0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["seq", "stream", "text", "time"]);
    assert_eq!(bench.texts("?lines=2").await, ["line 299", "line 300"]);
}

#[tokio::test]
async fn lines_can_be_followed_by_polling() {
    let bench = ConsoleBench::start().await;
    bench.print((1..=25).map(|number| format!("line {number}")));
    bench.until_logged("line 25").await;
    let all = bench.log("?lines=5000").await;
    let mut since = 0;
    let mut read = Vec::new();
    loop {
        let log = bench.log(&format!("?lines=10&since={since}")).await;
        since = log["lastSequence"].as_u64().unwrap();
        read.extend(log["lines"].as_array().unwrap().clone());
        if log["truncated"] == false {
            break;
        }
    }
    assert_eq!(Value::from(read), all["lines"]);
    let none = bench.log(&format!("?since={since}")).await;
    assert_eq!(none["lines"], json!([]));
    assert_eq!(
        (&none["firstSequence"], &none["lastSequence"]),
        (&Value::Null, &json!(since))
    );
}

#[tokio::test]
async fn lines_are_found_by_time() {
    let bench = ConsoleBench::start().await;
    bench.print(["early".to_owned()]);
    bench.until_logged("early").await;
    bench
        .bench
        .site()
        .clock
        .advance(SignedDuration::from_secs(60));
    let now = bench.bench.site().clock.now();
    bench.print(["late".to_owned()]);
    bench.until_logged("late").await;
    assert_eq!(bench.texts(&format!("?since={now}")).await, ["late"]);
    let offset = now.to_string().replace('Z', "%2B00:00");
    assert_eq!(bench.texts(&format!("?since={offset}")).await, ["late"]);
}

#[tokio::test]
async fn text_and_json_are_negotiated() {
    let bench = ConsoleBench::start().await;
    bench.print(["\u{1b}[31mred\u{1b}[0m \"quoted\"".to_owned()]);
    bench
        .until_logged("\u{1b}[31mred\u{1b}[0m \"quoted\"")
        .await;
    let bearer = format!("Bearer {}", bench.bench.key);
    let path = format!("{LOGS}/survival/latest?lines=1");
    let ask = async |path: &str, accept: &str| {
        let headers = [("authorization", &*bearer), ("accept", accept)];
        bench.bench.site().get_with(path, &headers).await
    };
    let text = ask(&path, "text/plain").await;
    assert_eq!(
        text.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    assert_eq!(text.text(), "\u{1b}[31mred\u{1b}[0m \"quoted\"\n");
    let stripped = ask(&format!("{path}&strip=ansi"), "text/plain").await;
    assert_eq!(stripped.text(), "red \"quoted\"\n");
    assert_eq!(bench.texts("?lines=1&strip=ansi").await, ["red \"quoted\""]);
    for accept in [
        "application/json",
        "*/*",
        "text/plain;q=0.5, application/json",
    ] {
        let json = ask(&path, accept).await;
        assert_eq!(
            json.header("content-type"),
            Some("application/json"),
            "{accept}"
        );
    }
    let refused = ask(&path, "image/png").await;
    assert_refused(&refused, 406, "not_acceptable");
}

#[tokio::test]
async fn long_answers_are_compressed_and_limited() {
    let bench = ConsoleBench::start().await;
    let filler = "x".repeat(3000);
    bench.print((1..=600).map(|number| format!("{number} {filler}")));
    bench.print(["the end".to_owned()]);
    bench.until_logged("the end").await;
    let bearer = format!("Bearer {}", bench.bench.key);
    let headers = [("authorization", &*bearer), ("accept-encoding", "gzip")];
    let path = format!("{LOGS}/survival/latest?lines=5000");
    let answer = bench.bench.site().get_with(&path, &headers).await;
    assert_eq!(answer.header("content-encoding"), Some("gzip"));
    let mut json = String::new();
    GzDecoder::new(&*unchunked(&answer))
        .read_to_string(&mut json)
        .unwrap();
    assert!((900_000..1_100_000).contains(&json.len()), "{}", json.len());
    let log: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(log["truncated"], true);
    let lines = log["lines"].as_array().unwrap();
    assert_eq!(lines.last().unwrap()["text"], "the end");
}

/// Returns the content of a response, which may have been sent in chunks.
fn unchunked(answer: &Answer) -> Vec<u8> {
    if answer.header("transfer-encoding") != Some("chunked") {
        return answer.body.clone();
    }
    let mut content = Vec::new();
    let mut rest = &answer.body[..];
    loop {
        let end = rest.windows(2).position(|part| part == b"\r\n").unwrap();
        let size = std::str::from_utf8(&rest[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return content;
        }
        content.extend(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 4 + size..];
    }
}

#[tokio::test]
async fn streams_can_be_chosen() {
    let bench = ConsoleBench::start().await;
    bench.command(&json!({"command": "say hi"})).await;
    bench.until_logged("[Server] hi").await;
    assert_eq!(bench.texts("?stream=input").await, ["say hi"]);
    let console = bench.texts("?stream=console").await;
    assert_eq!(console, ["Loading", "Ready", "[Server] hi"]);
    let system = bench.texts("?stream=system").await;
    assert_eq!(
        system,
        ["The server is starting.", "The server is running."]
    );
}

#[tokio::test]
async fn the_log_stays_when_the_server_is_off() {
    let bench = ConsoleBench::stopped().await;
    let empty = bench.log("").await;
    assert_eq!(
        (&empty["lines"], &empty["lastSequence"]),
        (&json!([]), &json!(0))
    );
    bench.power("start").await;
    bench.power("stop").await;
    let texts = bench.texts("?stream=console").await;
    assert_eq!(texts, ["Loading", "Ready"]);
    assert_eq!(bench.log("").await["state"], "stopped");
    bench
        .bench
        .set("survival", "administrative = 'suspended'")
        .await;
    assert_eq!(bench.log("").await["state"], "suspended");
}

#[tokio::test]
async fn invalid_parameters_are_named() {
    let bench = ConsoleBench::start().await;
    for (query, parameter) in [
        ("lines=0", "lines"),
        ("lines=5001", "lines"),
        ("lines=-1", "lines"),
        ("lines=all", "lines"),
        ("since=yesterday", "since"),
        ("since=-1", "since"),
        ("since=2026-01-01", "since"),
        ("stream=stderr", "stream"),
        ("strip=html", "strip"),
    ] {
        let answer = bench
            .bench
            .get(&format!("{LOGS}/survival/latest?{query}"))
            .await;
        assert_refused(&answer, 400, "invalid_request");
        assert_eq!(answer.json()["parameter"], parameter, "{query}");
    }
    let key = bench.bench.key_for(&[Scope::GameConsoleRead]).await;
    let path = format!("{LOGS}/survival/latest");
    assert_refused(
        &bench.bench.get_by(&key, &path).await,
        403,
        "insufficient_scope",
    );
    let missing = bench.bench.get(&format!("{LOGS}/missing/latest")).await;
    assert_refused(&missing, 404, "not_found");
}
