//! What a request is checked for, in this order, and that machines of others cannot be told from none.

use innkeeper_hosting::model::Scope;
use innkeeper_rest::filter::Quota;

use super::assert_refused;
use super::bench::{ACTIONS, Bench, GAME, POWER, VPS};
use crate::support::Answer;

const CONSOLE: &str = "/v1/hosting/game/console";
const LOGS: &str = "/v1/hosting/game/logs";

/// Returns an error without the path of the request.
fn without_path(answer: &Answer, path: &str) -> String {
    let body = answer.text();
    assert!(body.contains(path), "{body}");
    body.replace(path, "PATH")
}

/// All routes about one machine or action: method, path before the id, path after it.
const ROUTES: [(&str, &str, &str); 14] = [
    ("GET", VPS, ""),
    ("POST", VPS, "/start"),
    ("POST", VPS, "/stop"),
    ("POST", VPS, "/reset"),
    ("GET", GAME, ""),
    ("POST", POWER, "/start"),
    ("POST", POWER, "/stop"),
    ("POST", POWER, "/restart"),
    ("POST", POWER, "/kill"),
    ("GET", CONSOLE, "/websocket"),
    ("POST", CONSOLE, "/command"),
    ("POST", CONSOLE, "/ticket"),
    ("GET", LOGS, "/latest"),
    ("GET", ACTIONS, ""),
];

/// Ids of machines of others, of none, and what no machine can have as its id.
const IDS: [&str; 14] = [
    "theirs", "missing", "-x", "%20", "a%2Fb", "%C3%A4", "%27--", "%00", "mine%00", "%zz", "%",
    "%ff", "%C3%28", "a%80",
];

/// Asks about an id, and returns what must not depend on it.
async fn ask(
    bench: &Bench,
    (method, prefix, end): (&str, &str, &str),
    id: &str,
    key: &str,
) -> (u16, String, Vec<String>) {
    let (path, bearer) = (format!("{prefix}/{id}{end}"), format!("Bearer {key}"));
    let headers = [
        ("authorization", &*bearer),
        ("x-request-id", "r-1"),
        ("content-type", "application/json"),
    ];
    let body = match end {
        "/command" => "{\"command\": \"list\"}",
        _ => "",
    };
    let answer = bench.site().send_body(method, &path, &headers, body).await;
    let mut fixed = vec!["content-type", "cache-control", "allow", "location"];
    // Long answers of this route are compressed, and an answer has the path of its request.
    if prefix != LOGS {
        fixed.push("vary");
    }
    let fixed = fixed.into_iter();
    let fixed = fixed.map(|name| format!("{name}: {:?}", answer.headers(name)));
    (answer.status, without_path(&answer, &path), fixed.collect())
}

#[tokio::test]
async fn foreign_missing_and_malformed_machines_cannot_be_told_apart() {
    let bench = Bench::start().await;
    let south = bench.control.customer("South").await;
    bench.vps_of(&south, "theirs").await;
    bench.game_of(&south, "theirs").await;
    bench.vps("mine").await;
    bench.game("mine").await;
    let limited = bench
        .control
        .key_with(&bench.customer, &[Scope::All], |new| {
            new.machines = vec!["game:mine".to_owned()];
        });
    let limited = limited.await.text.reveal().clone();
    let long = "a".repeat(900);
    for route in ROUTES {
        let (method, prefix, end) = route;
        let mut seen = Vec::new();
        for id in IDS.into_iter().chain([&*long]) {
            seen.push(ask(&bench, route, id, &bench.key).await);
        }
        if prefix == VPS {
            // A machine of the customer that the key may not use.
            seen.push(ask(&bench, route, "mine", &limited).await);
        }
        seen.dedup();
        assert_eq!(seen.len(), 1, "{method} {prefix}: {seen:#?}");
        assert_eq!(seen[0].0, 404);
        // Without a key none of them is looked at.
        for id in ["theirs", "missing", "%00", "%zz", "%ff"] {
            let path = format!("{prefix}/{id}{end}");
            let answer = bench.site().send(method, &path, &[]).await;
            assert_refused(&answer, 401, "unauthenticated");
        }
    }
}

#[tokio::test]
async fn checks_have_an_order() {
    let bench = Bench::start_with(|config| {
        config.limits.control = Quota::per_minute(1).with_burst(8);
    });
    let bench = bench.await;
    let reader = bench.key_for(&[Scope::VpsRead]).await;
    let send = async |method: &str, path: &str, key: Option<&str>| {
        let bearer = key.map(|key| format!("Bearer {key}"));
        let headers: Vec<(&str, &str)> = bearer
            .iter()
            .map(|bearer| ("authorization", bearer.as_str()))
            .collect();
        bench.site().send(method, path, &headers).await
    };
    let start = format!("{VPS}/nothing/start");
    // No route, also without a key.
    let nowhere = send("GET", "/v1/hosting/nowhere", None).await;
    assert_refused(&nowhere, 404, "not_found");
    // Another method, also without a key.
    let method = send("DELETE", &start, None).await;
    assert_refused(&method, 405, "method_not_allowed");
    assert_eq!(method.header("allow"), Some("POST"));
    assert_eq!(method.json()["message"], "method not allowed");
    // No key, and a key that is not one.
    let anonymous = send("POST", &start, None).await;
    assert_refused(&anonymous, 401, "unauthenticated");
    assert!(anonymous.header("www-authenticate").is_some());
    assert_refused(
        &send("POST", &start, Some("x")).await,
        401,
        "unauthenticated",
    );
    // A key without the scope, although the machine does not exist and the body is malformed.
    let scope = send("POST", &start, Some(&reader)).await;
    assert_refused(&scope, 403, "insufficient_scope");
    // The machine does not exist.
    assert_refused(
        &send("POST", &start, Some(&bench.key)).await,
        404,
        "not_found",
    );
    // The rate limit comes before everything.
    assert_eq!(send("GET", "/v1/hosting/nowhere", None).await.status, 404);
    assert_eq!(send("GET", "/v1/hosting/nowhere", None).await.status, 404);
    for (method, path, key) in [
        ("GET", "/v1/hosting/nowhere", None),
        ("DELETE", &*start, None),
        ("POST", &start, None),
        ("POST", &start, Some(&*bench.key)),
    ] {
        assert_refused(&send(method, path, key).await, 429, "rate_limited");
    }
}
