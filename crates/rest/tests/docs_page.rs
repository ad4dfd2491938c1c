//! The documentation page. A separate test binary, so that the feature does not recompile all other tests.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail like the test"
)]

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, OpenApi};

fn client() -> Client {
    let app = App::new()
        .openapi("/openapi.json", OpenApi::new("Rooms", "1"))
        .docs_page("/docs", "/openapi.json?a=1&b=\"2\"");
    Client::new(app).unwrap()
}

#[tokio::test]
async fn the_page_and_its_files_are_served_under_a_strict_policy() {
    let client = client();
    for (path, content_type) in [
        ("/docs", "text/html; charset=utf-8"),
        ("/docs/", "text/html; charset=utf-8"),
        ("/docs/page.js", "text/javascript; charset=utf-8"),
        (
            "/docs/swagger-ui-bundle.js",
            "text/javascript; charset=utf-8",
        ),
        ("/docs/swagger-ui.css", "text/css; charset=utf-8"),
    ] {
        let response = client.get(path).send().await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(
            response.header("content-type"),
            Some(content_type),
            "{path}"
        );
        let policy = response.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"));
        assert!(!policy.contains("unsafe"), "{policy}");
    }
    assert_eq!(client.get("/docs/else").send().await.status(), 404);
    assert_eq!(client.post("/docs").send().await.status(), 405);
}

#[tokio::test]
async fn the_page_loads_only_what_is_served_with_it() {
    let page = client().get("/docs").send().await.text();
    assert!(
        !page.contains("http://") && !page.contains("https://"),
        "{page}"
    );
    // The policy forbids inline styles and scripts.
    assert!(
        !page.contains("<style") && !page.contains("style="),
        "{page}"
    );
    assert!(!page.contains("<script>"), "{page}");
    assert!(
        page.contains(r#"data-document="/openapi.json?a=1&amp;b=&quot;2&quot;""#),
        "{page}"
    );
}
