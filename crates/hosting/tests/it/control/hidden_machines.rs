//! What a request is checked for, in this order, and that machines of others cannot be told from none.

use innkeeper_hosting::model::Scope;
use innkeeper_rest::filter::Quota;

use super::assert_refused;
use super::bench::{Bench, GAME, POWER, VPS};
use crate::support::Answer;

/// Returns an error without the path of the request.
fn without_path(answer: &Answer, path: &str) -> String {
    let body = answer.text();
    assert!(body.contains(path), "{body}");
    body.replace(path, "PATH")
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
    let bearer = |key: &str| format!("Bearer {key}");
    let long = "a".repeat(900);
    for (method, prefix, end) in [
        ("GET", VPS, ""),
        ("POST", VPS, "/start"),
        ("POST", VPS, "/stop"),
        ("POST", VPS, "/reset"),
        ("GET", GAME, ""),
        ("POST", POWER, "/start"),
        ("POST", POWER, "/stop"),
        ("POST", POWER, "/restart"),
        ("POST", POWER, "/kill"),
    ] {
        let mut seen: Vec<(u16, String, Vec<String>)> = Vec::new();
        let ids = [
            "theirs", "missing", "-x", "%20", "a%2Fb", "%C3%A4", "%27--", &long,
        ];
        let ids = ids.iter().map(|id| (*id, &bench.key));
        let mut ids: Vec<(&str, &String)> = ids.collect();
        if prefix == VPS {
            // A machine of the customer that the key may not use.
            ids.push(("mine", &limited));
        }
        for (id, key) in ids {
            let path = format!("{prefix}/{id}{end}");
            let (bearer, request_id) = (bearer(key), ("x-request-id", "r-1"));
            let headers = [("authorization", &*bearer), request_id];
            let answer = bench.site().send(method, &path, &headers).await;
            let fixed = ["content-type", "cache-control", "allow", "location", "vary"];
            let fixed = fixed.map(|name| format!("{name}: {:?}", answer.headers(name)));
            seen.push((answer.status, without_path(&answer, &path), fixed.to_vec()));
        }
        seen.dedup();
        assert_eq!(seen.len(), 1, "{method} {prefix}: {seen:#?}");
        assert_eq!(seen[0].0, 404);
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
