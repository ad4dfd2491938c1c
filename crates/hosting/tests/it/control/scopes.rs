//! The scopes of keys, on every route that declares one.

use innkeeper_hosting::model::Scope;
use serde_json::Value;

use super::{Control, assert_refused};

/// Returns the method, path and scopes of every control endpoint.
fn endpoints() -> Vec<(String, String, Vec<Scope>)> {
    let document = innkeeper_hosting::openapi().unwrap();
    let mut endpoints = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        if !path.starts_with("/v1/hosting/") {
            continue;
        }
        // A machine that does not exist: scopes are looked at before it.
        let path = path.replace("{id}", "none").replace("{server_id}", "none");
        assert!(!path.contains('{'), "{path}");
        for (method, operation) in methods.as_object().unwrap() {
            let scopes = operation["security"][0]["bearer"].as_array().unwrap();
            let scopes = scopes.iter().filter_map(Value::as_str);
            let scopes = scopes.map(|word| Scope::parse(word).unwrap());
            endpoints.push((method.to_uppercase(), path.clone(), scopes.collect()));
        }
    }
    endpoints
}

#[tokio::test]
async fn every_endpoint_needs_a_key() {
    let control = Control::start().await;
    let endpoints = endpoints();
    assert!(endpoints.len() > 10, "{endpoints:?}");
    for (method, path, _) in endpoints {
        let answer = control.site.send(&method, &path, &[]).await;
        assert_refused(&answer, 401, "unauthenticated");
        let challenge = answer.header("www-authenticate");
        assert!(
            challenge.is_some_and(|text| text.contains("Bearer")),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_key_needs_the_scope_of_the_endpoint_and_no_other() {
    let control = Control::start().await;
    let north = control.customer("North").await;
    for (method, path, scopes) in endpoints() {
        let Some(&scope) = scopes.first() else {
            continue;
        };
        let others = Scope::ALL.iter().copied();
        let others: Vec<Scope> = others
            .filter(|other| *other != scope && *other != Scope::All)
            .collect();
        let lacking = control.key(&north, &others).await;
        let header = [("x-api-key", lacking.text.reveal().as_str())];
        let answer = control.site.send(&method, &path, &header).await;
        assert_refused(&answer, 403, "insufficient_scope");
        let detail = format!("the API key does not have the scope `{scope}`");
        assert_eq!(answer.json()["detail"], detail.as_str());
        for enough in [scope, Scope::All] {
            let having = control.key(&north, &[enough]).await;
            let header = [("x-api-key", having.text.reveal().as_str())];
            let answer = control.site.send(&method, &path, &header).await;
            assert!(
                ![401, 403].contains(&answer.status),
                "{path}: {}",
                answer.text()
            );
        }
    }
}

#[tokio::test]
async fn a_key_that_lacks_a_scope_is_in_the_audit_log() {
    let control = Control::start().await;
    let north = control.customer("North").await;
    let key = control.key(&north, &[Scope::VpsRead]).await;
    let header = [
        ("x-api-key", key.text.reveal().as_str()),
        ("x-request-id", "r-7"),
        ("x-forwarded-for", "192.0.2.7"),
    ];
    let path = "/v1/hosting/game/power/none/start";
    let answer = control.site.send("POST", path, &header).await;
    assert_refused(&answer, 403, "insufficient_scope");
    let sql = control.sql().await;
    let select = "select event, actor, customer_id, address, request_id, outcome, \
                  details ->> 'method', details ->> 'path' \
                  from audit_log where actor <> 'operator'";
    let row = sql.query_one(select, &[]).await.unwrap();
    let row: Vec<String> = (0..8).map(|column| row.get(column)).collect();
    let id = key.key.key.id.as_str();
    let expected = [
        "key.refuse",
        id,
        &north.id,
        "192.0.2.7",
        "r-7",
        "insufficient_scope",
        "POST",
        path,
    ];
    assert_eq!(row, expected);
}
