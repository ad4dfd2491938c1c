//! Addresses that do not exist: a page for browsers, the usual error for programs.

use crate::support::Site;

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

#[tokio::test]
async fn a_browser_gets_a_page_that_names_the_path_and_links_pages() {
    let site = Site::demo().await;
    for (path, shown) in [
        ("/v1/%3Cb%3Enowhere&", "/v1/%3Cb%3Enowhere&amp;"),
        ("/nowhere'", "/nowhere&#39;"),
        ("/v1/assets/images/none.png", "/v1/assets/images/none.png"),
        ("/v1/docs/nothing", "/v1/docs/nothing"),
    ] {
        let answer = site.get_with(path, &[("accept", BROWSER)]).await;
        assert_eq!(answer.status, 404, "{path}");
        let kind = Some("text/html; charset=utf-8");
        assert_eq!(answer.header("content-type"), kind, "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        assert!(answer.headers("vary").contains(&"accept"), "{path}");
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"));
        let page = answer.text();
        assert!(page.contains(&format!("<code>{shown}</code>")), "{page}");
        for link in ["/v1/docs", "/v1/status.html"] {
            assert!(page.contains(&format!("href=\"{link}\"")), "{page}");
            assert_eq!(site.get(link).await.status, 200, "{link}");
        }
    }
    let root = site.get_with("/", &[("accept", BROWSER)]).await;
    assert_eq!(root.status, 404);
    assert!(root.text().contains("<h1>Innkeeper hosting</h1>"));
}

#[tokio::test]
async fn programs_get_the_same_bytes_as_ever() {
    let site = Site::demo().await;
    for path in ["/", "/nowhere", "/v1/nowhere", "/v1/docs/nothing"] {
        site.get(path).await.refused(404, "not found");
        for accept in ["*/*", "text/plain", "text/html;q=0.1, */*", ""] {
            let answer = site.get_with(path, &[("accept", accept)]).await;
            answer.refused(404, "not found");
        }
        let answer = site.send("POST", path, &[("accept", BROWSER)]).await;
        answer.refused(404, "not found");
    }
    // Errors of resources are no missing pages.
    let browser = [("accept", BROWSER)];
    let article = site.get_with("/v1/kb/article?path=/x", &browser).await;
    article.refused(404, "article not found");
    let widget = "/v1/heo-status/0.9.0/heo-status.js";
    let widget = site.get_with(widget, &browser).await;
    assert_eq!(widget.text(), "/* not found */\n");
    let control = site.get_with("/v1/hosting/nowhere", &browser).await;
    assert_eq!(
        control.header("content-type"),
        Some("application/problem+json")
    );
}
