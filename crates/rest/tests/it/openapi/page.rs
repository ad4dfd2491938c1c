//! `App::docs_page`, as far as it can be seen without a browser. The tests of the binary open it in one.

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, OpenApi};

const FILES: [(&str, &str); 4] = [
    ("/docs", "text/html; charset=utf-8"),
    ("/docs/", "text/html; charset=utf-8"),
    ("/docs/docs.js", "text/javascript; charset=utf-8"),
    ("/docs/docs.css", "text/css; charset=utf-8"),
];

fn client() -> Client {
    let app = App::new()
        .openapi("/openapi.json", OpenApi::new("Rooms", "1"))
        .docs_page("/docs", "/openapi.json?a=1&b=\"2\"<script>");
    Client::new(app).unwrap()
}

#[tokio::test]
async fn the_page_and_its_files_are_served_under_a_strict_policy() {
    let client = client();
    for (path, content_type) in FILES {
        let response = client.get(path).send().await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(
            response.header("content-type"),
            Some(content_type),
            "{path}"
        );
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(response.header("cache-control"), Some("no-cache"));
        assert_eq!(
            response.header("content-security-policy"),
            Some(
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; \
                 connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            )
        );
    }
    assert_eq!(client.get("/docs/else").send().await.status(), 404);
    assert_eq!(client.get("/docs/docs.js/").send().await.status(), 404);
    let refused = client.post("/docs").send().await;
    assert_eq!(refused.status(), 405);
    assert_eq!(refused.header("allow"), Some("GET, HEAD, OPTIONS"));
}

#[tokio::test]
async fn a_browser_that_has_a_file_is_told_so() {
    let client = client();
    for (path, _) in FILES {
        let response = client
            .get(path)
            .header("accept-encoding", "br")
            .send()
            .await;
        assert_eq!(response.header("content-encoding"), Some("br"), "{path}");
        let tag = response.header("etag").unwrap().to_owned();
        let again = client.get(path).header("accept-encoding", "br");
        let again = again.header("if-none-match", &tag).send().await;
        assert_eq!(again.status(), 304, "{path}");
        assert!(again.header("content-security-policy").is_some(), "{path}");
    }
}

#[tokio::test]
async fn the_page_names_the_document_and_nothing_of_other_servers() {
    let client = client();
    let page = client.get("/docs").send().await.text();
    let document = "\"/openapi.json?a=1&amp;b=&quot;2&quot;&lt;script>\"";
    assert!(
        page.contains(&format!("data-document={document}")),
        "{page}"
    );
    // The policy forbids inline styles and scripts.
    for forbidden in [
        "<style", "style=", "<script>", "http://", "https://", "{base}",
    ] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    let styles = client.get("/docs/docs.css").send().await.text();
    assert!(!styles.contains("url(") && !styles.contains("@import"));
}

#[tokio::test]
async fn the_script_never_makes_markup_of_text() {
    let script = client().get("/docs/docs.js").send().await.text();
    for forbidden in [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "DOMParser",
        "createContextualFragment",
        "eval(",
        "new Function",
        "import(",
        "setAttribute(\"style\"",
        "localStorage",
        "sessionStorage",
        "document.cookie",
    ] {
        assert!(!script.contains(forbidden), "{forbidden}");
    }
}
