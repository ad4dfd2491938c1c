//! Addresses that do not exist: a page for browsers, the usual error for programs.

use innkeeper_rest::Method;

use crate::support::profile::gotrue;
use crate::support::{Answer, TestApp};

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8";

async fn open(app: &TestApp, method: Method, path: &str, accept: &str) -> Answer {
    app.send(method, path, &[("accept", accept)], None).await
}

#[tokio::test]
async fn a_browser_gets_a_page_that_names_the_path_and_links_the_documentation() {
    let app = TestApp::start().await;
    let answer = open(&app, Method::GET, "/%3Cb%3E/it's\"here", BROWSER).await;
    assert_eq!(answer.status, 404);
    assert_eq!(
        answer.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"));
    assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"));
    let page = &answer.text;
    assert!(page.contains("<h1>Page not found</h1>"), "{page}");
    assert!(
        page.contains("<code>/%3Cb%3E/it&#39;s&quot;here</code>"),
        "{page}"
    );
    assert!(
        page.contains("<a href=\"/docs\">API documentation</a>"),
        "{page}"
    );

    let root = open(&app, Method::GET, "/", BROWSER).await;
    assert_eq!(root.status, 404);
    assert!(
        root.text.contains("<h1>Innkeeper auth</h1>"),
        "{}",
        root.text
    );
}

#[tokio::test]
async fn programs_get_the_same_bytes_as_ever() {
    let app = TestApp::start().await;
    let expected = r#"{"code":404,"error_code":"not_found","msg":"not found"}"#;
    for (method, path, accept) in [
        (Method::GET, "/", "*/*"),
        (Method::GET, "/nowhere", "*/*"),
        (Method::GET, "/nowhere", "application/json"),
        (Method::GET, "/nowhere", "application/json, text/html"),
        (Method::POST, "/nowhere", BROWSER),
    ] {
        let answer = open(&app, method.clone(), path, accept).await;
        assert_eq!(answer.text, expected, "{method} {path} {accept}");
        assert_eq!(answer.header("content-type"), Some("application/json"));
    }
    assert_eq!(app.get("/nowhere").await.text, expected);
    // Routes exist, whoever asks.
    let refused = open(&app, Method::GET, "/user", BROWSER).await;
    refused.refused(401, "no_authorization");
    let health = open(&app, Method::GET, "/health", BROWSER).await.ok();
    assert_eq!(health["name"], "GoTrue");
}

#[tokio::test]
async fn gotrue_looks_the_same_to_browsers() {
    let app = TestApp::with(gotrue).await;
    let answer = open(&app, Method::GET, "/nowhere", BROWSER).await;
    assert_eq!(
        (answer.status, answer.text.as_str()),
        (404, "404 page not found\n")
    );
}
