//! `GET /openapi.json`.

use innkeeper_auth::Auth;
use serde_json::Value;

use crate::support::TestApp;
use crate::support::profile::gotrue;

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
            let secured = path.starts_with("/admin/") || path.starts_with("/user");
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
