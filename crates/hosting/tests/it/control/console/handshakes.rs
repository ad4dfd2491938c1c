//! Who may open a socket, and what everybody else is told.

use innkeeper_hosting::model::Scope;

use super::{CONSOLE, ConsoleBench, READ_ONLY};
use crate::control::assert_refused;
use crate::support::eventually;

#[tokio::test]
async fn a_request_without_upgrade_is_told_to_upgrade() {
    let bench = ConsoleBench::start().await;
    let answer = bench
        .bench
        .get(&format!("{CONSOLE}/survival/websocket"))
        .await;
    assert_refused(&answer, 426, "upgrade_required");
    assert_eq!(answer.header("upgrade"), Some("websocket"));
}

#[tokio::test]
async fn a_socket_needs_a_key_and_its_scope() {
    let bench = ConsoleBench::start().await;
    let target = format!("{CONSOLE}/survival/websocket");
    let refused = bench.open_raw(&target, &[]).await.err().unwrap();
    assert_refused(&refused, 401, "unauthenticated");
    let key = bench
        .bench
        .key_for(&[Scope::GameLogs, Scope::GameConsoleWrite])
        .await;
    let refused = bench.open_with(&key, "", &[]).await.err().unwrap();
    assert_refused(&refused, 403, "insufficient_scope");
    let key = bench.bench.key_for(READ_ONLY).await;
    assert!(bench.open_with(&key, "", &[]).await.is_ok());
    // A key in the URL would be in logs.
    let target = format!("{target}?api_key={key}");
    let refused = bench.open_raw(&target, &[]).await.err().unwrap();
    assert_refused(&refused, 400, "invalid_request");
}

#[tokio::test]
async fn servers_of_others_and_missing_ones_look_the_same() {
    let bench = ConsoleBench::start().await;
    let other = bench.bench.control.customer("South").await;
    bench.bench.game_of(&other, "theirs").await;
    let bearer = format!("Bearer {}", bench.bench.key);
    let mut answers = Vec::new();
    for id in ["theirs", "missing", "..", "survival%20"] {
        let target = format!("{CONSOLE}/{id}/websocket");
        let headers = [("authorization", &*bearer), ("x-request-id", "same")];
        let refused = bench.open_raw(&target, &headers).await.err().unwrap();
        assert_refused(&refused, 404, "not_found");
        let mut body = refused.json();
        body["instance"] = "".into();
        answers.push(body);
    }
    assert!(
        answers.windows(2).all(|pair| pair[0] == pair[1]),
        "{answers:?}"
    );
}

#[tokio::test]
async fn the_replay_is_chosen_by_one_parameter() {
    let bench = ConsoleBench::start().await;
    let key = &bench.bench.key;
    for query in [
        "?tail=5001",
        "?tail=-1",
        "?tail=many",
        "?since=-1",
        "?since=2026-01-01T00:00:00Z",
        "?since=99999999999999999999",
        "?tail=1&since=1",
    ] {
        let refused = bench.open_with(key, query, &[]).await.err().unwrap();
        assert_refused(&refused, 400, "invalid_request");
    }
    for query in [
        "",
        "?tail=0",
        "?tail=5000",
        "?since=0",
        "?since=18446744073709551615",
    ] {
        assert!(bench.open_with(key, query, &[]).await.is_ok(), "{query}");
    }
}

#[tokio::test]
async fn a_malformed_handshake_is_refused() {
    let bench = ConsoleBench::start().await;
    let refused = bench
        .open_with(&bench.bench.key, "", &[("sec-websocket-protocol", "a b")])
        .await
        .err()
        .unwrap();
    assert_refused(&refused, 400, "invalid_request");
}

#[tokio::test]
async fn the_subprotocol_is_negotiated() {
    let bench = ConsoleBench::start().await;
    for (offered, chosen) in [
        (None, None),
        (Some("innkeeper.console.v1"), Some("innkeeper.console.v1")),
        (Some("wings.v1"), Some("wings.v1")),
        (
            Some("wings.v1, innkeeper.console.v1"),
            Some("innkeeper.console.v1"),
        ),
        (Some("chat.v1"), None),
    ] {
        let headers: Vec<_> = offered
            .iter()
            .map(|offered| ("sec-websocket-protocol", *offered))
            .collect();
        let socket = bench.open_with(&bench.bench.key, "", &headers).await;
        assert_eq!(
            socket.ok().unwrap().protocol.as_deref(),
            chosen,
            "{offered:?}"
        );
    }
}

#[tokio::test]
async fn clients_with_a_key_are_not_pages() {
    let bench = ConsoleBench::start().await;
    let origin = [("origin", "https://anywhere.example")];
    assert!(bench.open_with(&bench.bench.key, "", &origin).await.is_ok());
}

#[tokio::test]
async fn a_suspended_server_has_no_console() {
    let bench = ConsoleBench::stopped().await;
    bench
        .bench
        .set("survival", "administrative = 'suspended'")
        .await;
    let refused = bench
        .open_with(&bench.bench.key, "", &[])
        .await
        .err()
        .unwrap();
    assert_refused(&refused, 403, "server_suspended");
    assert_eq!(refused.json()["state"], "suspended");
}

#[tokio::test]
async fn a_key_has_five_sockets_on_a_server() {
    let bench = ConsoleBench::start().await;
    let mut sockets = Vec::new();
    for _ in 0..5 {
        sockets.push(bench.greeted("").await);
    }
    let refused = bench
        .open_with(&bench.bench.key, "", &[])
        .await
        .err()
        .unwrap();
    assert_refused(&refused, 429, "rate_limited");
    assert_eq!(refused.header("retry-after"), Some("10"));
    let other = bench.bench.key_for(READ_ONLY).await;
    assert!(bench.open_with(&other, "", &[]).await.is_ok());
    // A closed socket makes room.
    sockets.pop();
    eventually("room", async || {
        bench.open_with(&bench.bench.key, "", &[]).await.is_ok()
    })
    .await;
}
