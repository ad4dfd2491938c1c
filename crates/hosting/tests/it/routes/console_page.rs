//! `GET /v1/console`: the page with which a customer uses a console in a browser.

use crate::support::Site;

const PAGE: &str = "/v1/console";

#[tokio::test]
async fn the_page_allows_inline_styles_and_nothing_else_that_the_others_refuse() {
    let site = Site::demo().await;
    let page = site.get(PAGE).await;
    assert_eq!(page.status, 200);
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert_eq!(page.header("referrer-policy"), Some("same-origin"));
    assert_eq!(page.header("x-frame-options"), Some("DENY"));
    assert_eq!(
        page.header("content-security-policy"),
        Some(
            "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; \
             img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        )
    );
    let text = page.text();
    assert!(!text.contains('@'), "{text}");
    for forbidden in ["<script>", "onclick", "style=", "http://", "https://"] {
        assert!(!text.contains(forbidden), "{forbidden}");
    }
    let docs = site.get("/v1/docs").await;
    let policy = docs.header("content-security-policy").unwrap();
    assert!(!policy.contains("unsafe-inline"), "{policy}");
}

#[tokio::test]
async fn every_file_of_the_page_is_served_by_us() {
    let site = Site::demo().await;
    let page = site.get(PAGE).await.text();
    let files = page.split('"').filter(|text| text.starts_with("console/"));
    let mut files: Vec<&str> = files.filter(|file| file.contains('.')).collect();
    files.push("console/view.js");
    if page.contains("data-terminal=\"xterm\"") {
        files.extend(["console/xterm.js", "console/xterm.css"]);
    }
    assert!(files.len() >= 3, "{files:?}");
    for file in files {
        let answer = site.get(&format!("/v1/{file}")).await;
        assert_eq!(answer.status, 200, "{file}");
        let kind = match file.rsplit_once('.') {
            Some((_, "js")) => "text/javascript",
            _ => "text/css",
        };
        let expected = format!("{kind}; charset=utf-8");
        assert_eq!(answer.header("content-type"), Some(&*expected), "{file}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        // A new release has new files, so a browser asks each time.
        assert_eq!(answer.header("cache-control"), Some("no-cache"));
        let tag = answer.header("etag").unwrap();
        let again = site
            .get_with(&format!("/v1/{file}"), &[("if-none-match", tag)])
            .await;
        assert_eq!(again.status, 304);
    }
    site.get("/v1/console/console.html")
        .await
        .refused(404, "not found");
    // Its errors are text, and are documented as that.
    let document = site.get("/v1/openapi.json").await.json();
    let file = &document["paths"]["/v1/console/{file}"]["get"];
    let refused = &file["responses"]["404"]["content"]["text/plain"];
    assert!(refused.is_object(), "{file}");
}

#[tokio::test]
async fn a_browser_without_script_gets_a_form() {
    let site = Site::demo().await;
    let page = site.get(PAGE).await.text();
    let (_, rest) = page.split_once("<noscript>").unwrap();
    let (plain, _) = rest.split_once("</noscript>").unwrap();
    assert!(plain.contains("JavaScript is turned off"), "{plain}");
    for part in [
        "<form class=\"entry\" method=\"post\" action=\"console\"",
        " name=\"server\"",
        " name=\"credential\" type=\"password\"",
    ] {
        assert!(plain.contains(part), "{part} in {plain}");
    }
}

#[tokio::test]
async fn a_form_without_a_database_is_refused_with_a_page() {
    let site = Site::demo().await;
    let form = [("content-type", "application/x-www-form-urlencoded")];
    for (headers, body, status) in [
        (&form[..], "server=survival&credential=x", 503),
        (&form, "server=survival", 422),
        (&form, "server=survival&credential=x&action=explode", 422),
        (&form, "server=%zz&credential=x", 400),
        (&[("content-type", "application/json")], "{}", 415),
    ] {
        let refused = site.send_body("POST", PAGE, headers, body).await;
        assert_eq!(refused.status, status, "{body}: {}", refused.text());
        let kind = refused.header("content-type");
        assert_eq!(kind, Some("text/html; charset=utf-8"), "{body}");
        assert_eq!(refused.header("cache-control"), Some("no-store"));
        assert!(refused.text().contains("name=\"credential\""), "{body}");
    }
    let body = format!("server={}", "x".repeat(20_000));
    assert_eq!(site.send_body("POST", PAGE, &form, &body).await.status, 413);
}
