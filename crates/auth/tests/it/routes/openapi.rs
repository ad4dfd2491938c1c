//! `GET /openapi.json` and `GET /docs`.

use innkeeper_auth::Auth;
use innkeeper_rest::Method;
use serde_json::Value;

use crate::support::idp::Idp;
use crate::support::profile::gotrue;
use crate::support::{Answer, TestApp, bearer};

#[tokio::test]
async fn std_serves_the_document_and_gotrue_has_no_such_path() {
    let app = TestApp::start().await;
    let document = app.get("/openapi.json").await.ok();
    assert_eq!(document, Auth::openapi().unwrap());
    assert_eq!(document["openapi"], "3.1.0");
    let app = TestApp::with(gotrue).await;
    app.get("/openapi.json").await.failed(404);
}

#[tokio::test]
async fn every_operation_tells_its_answers_and_every_reference_leads_somewhere() {
    let document = Auth::openapi().unwrap();
    let mut references = Vec::new();
    collect(&document, &mut references);
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let responses = operation["responses"].as_object().unwrap();
            let has = |first: char| responses.keys().any(|status| status.starts_with(first));
            // Sign-in with a provider only ever redirects.
            let redirects = ["/authorize", "/callback"].contains(&path.as_str());
            assert!(has(if redirects { '3' } else { '2' }), "{method} {path}");
            assert!(has('5') || path == "/health", "{method} {path}");
            assert!(!responses.contains_key("default"), "{method} {path}");
            assert!(operation["summary"].is_string(), "{method} {path}");
            let prefixes = ["/admin/", "/user", "/factors", "/passkeys"];
            let secured = prefixes.iter().any(|prefix| path.starts_with(prefix))
                && !path.starts_with("/passkeys/authentication");
            assert_eq!(
                operation["security"].is_array(),
                secured || needs_token(path)
            );
            // Linking by an id token needs a user; no other grant does.
            let refuses = secured || needs_token(path) || path == "/token";
            assert_eq!(responses.contains_key("401"), refuses, "{method} {path}");
        }
    }
}

fn needs_token(path: &str) -> bool {
    ["/invite", "/logout", "/reauthenticate"].contains(&path)
}

fn collect<'v>(value: &'v Value, references: &mut Vec<&'v str>) {
    match value {
        Value::Array(elements) => {
            for element in elements {
                collect(element, references);
            }
        }
        Value::Object(members) => {
            references.extend(members.get("$ref").and_then(Value::as_str));
            for member in members.values() {
                collect(member, references);
            }
        }
        _ => {}
    }
}

/// Sends the example of an operation's body, with a service token and an id that does not exist.
async fn send_example(app: &TestApp, method: &str, path: &str, body: &Value) -> Answer {
    let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
    let id = "00000000-0000-4000-8000-000000000000";
    let target = path.replace("{user_id}", id);
    let target = target.replace("{identifier}", "custom:inn");
    let token = bearer(&app.service_key());
    app.send(method, &target, &[(token.0, &token.1)], Some(body))
        .await
}

#[tokio::test]
async fn the_server_understands_every_example_of_the_document() {
    // The addresses of the custom provider must exist.
    let app = Idp::start().await.app(|_| {}).await;
    let document = Auth::openapi().unwrap();
    let mut sent = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let body = &operation["requestBody"]["content"]["application/json"];
            let grants = body["examples"].as_object().into_iter().flatten();
            let grants = grants.map(|(grant, example)| {
                let target = format!("{path}?grant_type={grant}");
                (target, &example["value"])
            });
            let example = body.get("example").map(|example| (path.clone(), example));
            for (target, example) in grants.chain(example) {
                sent += 1;
                let answer = send_example(&app, method, &target, example).await;
                let code = answer.header("x-sb-error-code").unwrap_or_default();
                let is_understood = !["bad_json", "validation_failed"].contains(&code);
                assert!(is_understood, "{method} {target}: {}", answer.text);
            }
        }
    }
    assert!(sent > 15, "{sent}");
}

#[tokio::test]
async fn people_read_the_document_on_a_page_and_gotrue_has_none() {
    let app = TestApp::start().await;
    for (path, content_type) in [
        ("/docs", "text/html; charset=utf-8"),
        ("/docs/docs.js", "text/javascript; charset=utf-8"),
        ("/docs/docs.css", "text/css; charset=utf-8"),
    ] {
        let answer = app.get(path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("content-type"), Some(content_type), "{path}");
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; "));
        assert!(!policy.contains("unsafe"), "{policy}");
    }
    let page = app.get("/docs").await;
    assert!(page.text.contains("data-document=\"/openapi.json\""));
    let app = TestApp::with(gotrue).await;
    app.get("/docs").await.failed(404);
}
