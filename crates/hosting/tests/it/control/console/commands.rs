//! `POST …/console/{server_id}/command`.

use innkeeper_hosting::model::Scope;
use jiff::SignedDuration;
use serde_json::json;

use super::{CONSOLE, ConsoleBench};
use crate::control::assert_refused;
use crate::support::eventually;

#[tokio::test]
async fn a_command_is_typed() {
    let bench = ConsoleBench::start().await;
    let before = bench.log("").await["lastSequence"].as_u64().unwrap();
    let answer = bench.command(&json!({"command": "say hello"})).await;
    assert_eq!(answer.status, 202, "{}", answer.text());
    assert_eq!(
        answer.json(),
        json!({"accepted": 1, "sequence": before + 1, "output": []})
    );
    assert_eq!(bench.host.typed(bench.machine), ["say hello"]);
    bench.until_logged("[Server] hello").await;
    let after = bench.texts(&format!("?since={before}")).await;
    assert_eq!(after, ["say hello", "[Server] hello"]);
}

#[tokio::test]
async fn several_commands_are_typed_in_order() {
    let bench = ConsoleBench::start().await;
    let commands: Vec<String> = (0..10).map(|number| format!("say {number}")).collect();
    let answer = bench.command(&json!({"commands": commands})).await;
    assert_eq!(answer.status, 202, "{}", answer.text());
    assert_eq!(answer.json()["accepted"], 10);
    assert_eq!(bench.host.typed(bench.machine), commands);
    // Each of them counts.
    let refused = bench.command(&json!({"command": "say more"})).await;
    assert_refused(&refused, 429, "rate_limited");
    assert!(refused.header("retry-after").is_some());
}

#[tokio::test]
async fn output_is_captured_for_a_while() {
    let bench = ConsoleBench::start().await;
    let answer = bench
        .command(&json!({"command": "say hello", "captureMs": 500}))
        .await;
    assert_eq!(answer.status, 202, "{}", answer.text());
    let output = answer.json()["output"].clone();
    assert_eq!(output.as_array().unwrap().len(), 1, "{output}");
    assert_eq!(output[0]["text"], "[Server] hello");
    assert_eq!(output[0]["stream"], "console");
    let sequence = answer.json()["sequence"].as_u64().unwrap();
    assert_eq!(output[0]["seq"], sequence + 1);
}

#[tokio::test]
async fn what_cannot_be_typed_is_refused() {
    let bench = ConsoleBench::start().await;
    let long = "x".repeat(1025);
    for (body, pointer) in [
        (json!({"command": ""}), "/command"),
        (json!({"command": "  "}), "/command"),
        (json!({"command": long}), "/command"),
        (json!({"command": "a\nb"}), "/command"),
        (json!({"command": "a\rb"}), "/command"),
        (json!({"command": "\u{1b}[31m"}), "/command"),
        (json!({"command": "\u{0}"}), "/command"),
        (json!({"commands": []}), "/commands"),
        (json!({"commands": vec!["list"; 11]}), "/commands"),
        (json!({"commands": ["list", "a\nb"]}), "/commands/1"),
        (json!({"command": "list", "captureMs": 2001}), "/captureMs"),
        (json!({}), ""),
        (json!({"command": "list", "commands": ["list"]}), ""),
    ] {
        // Refused commands count too.
        bench
            .bench
            .site()
            .clock
            .advance(SignedDuration::from_secs(1));
        let answer = bench.command(&body).await;
        assert_refused(&answer, 422, "invalid_request");
        assert_eq!(answer.json()["errors"][0]["pointer"], pointer, "{body}");
    }
    for body in [
        json!({"command": 7}),
        json!({"command": "list", "more": true}),
        json!({"command": "list", "captureMs": -1}),
        json!([]),
        json!("list"),
    ] {
        bench
            .bench
            .site()
            .clock
            .advance(SignedDuration::from_secs(1));
        let answer = bench.command(&body).await;
        assert!(
            matches!(answer.status, 400 | 422),
            "{body}: {}",
            answer.text()
        );
        assert_eq!(answer.json()["code"], "invalid_request");
    }
    let path = format!("{CONSOLE}/survival/command");
    let empty = bench.bench.post(&path).await;
    assert!(matches!(empty.status, 400 | 422), "{}", empty.text());
    let text = [("content-type", "text/plain")];
    let answer = bench.bench.post_with(&path, &text, "list").await;
    assert_refused(&answer, 415, "unsupported_media_type");
    assert!(bench.host.typed(bench.machine).is_empty());
    // The longest command, and a tab.
    let longest = format!("say {}\t{}", "y".repeat(1000), "z".repeat(19));
    let answer = bench.command(&json!({"command": longest})).await;
    assert_eq!(answer.status, 202, "{}", answer.text());
}

#[tokio::test]
async fn a_server_that_is_off_reads_no_commands() {
    let bench = ConsoleBench::stopped().await;
    let answer = bench.command(&json!({"command": "list"})).await;
    assert_refused(&answer, 409, "server_not_running");
    assert_eq!(answer.json()["state"], "stopped");
    bench.power("start").await;
    assert_eq!(bench.command(&json!({"command": "list"})).await.status, 202);
    bench.power("stop").await;
    let answer = bench.command(&json!({"command": "list"})).await;
    assert_refused(&answer, 409, "server_not_running");
    bench
        .bench
        .set("survival", "administrative = 'suspended'")
        .await;
    let answer = bench.command(&json!({"command": "list"})).await;
    assert_refused(&answer, 403, "server_suspended");
}

#[tokio::test]
async fn typing_needs_its_scope_and_an_own_server() {
    let bench = ConsoleBench::start().await;
    let path = format!("{CONSOLE}/survival/command");
    let key = bench
        .bench
        .key_for(&[Scope::GameConsoleRead, Scope::GamePower])
        .await;
    let refused = bench.bench.post_by(&key, &path).await;
    assert_refused(&refused, 403, "insufficient_scope");
    let missing = format!("{CONSOLE}/missing/command");
    let missing = bench
        .bench
        .post_json(&missing, r#"{"command":"list"}"#)
        .await;
    assert_refused(&missing, 404, "not_found");
}

#[tokio::test]
async fn the_stop_command_means_that_the_server_should_be_off() {
    let bench = ConsoleBench::start().await;
    assert_eq!(bench.command(&json!({"command": "stop"})).await.status, 202);
    eventually("the server to be off", async || {
        let server = bench.bench.get("/v1/hosting/game/survival").await.json();
        server["state"] == "stopped" && server["stopReason"] == "requested"
    })
    .await;
    let server = bench.bench.get("/v1/hosting/game/survival").await.json();
    assert_eq!(server["desiredState"], "stopped");
}

#[tokio::test]
async fn commands_are_in_the_audit_log() {
    let bench = ConsoleBench::start().await;
    let answer = bench.command(&json!({"command": "say hello"})).await;
    let find =
        "select target, actor, details->>'sequence' from audit_log where event = 'console.command'";
    let row = bench.bench.sql.query_one(find, &[]).await.unwrap();
    assert_eq!(row.get::<_, String>(0), "survival");
    assert!(bench.bench.key.contains(row.get::<_, &str>(1)));
    assert_eq!(
        row.get::<_, String>(2),
        answer.json()["sequence"].to_string()
    );
}
