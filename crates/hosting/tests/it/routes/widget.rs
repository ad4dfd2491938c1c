//! `GET /v1/heo-status.js`: the script that shows the status in other sites' pages.

use innkeeper_rest::filter::Quota;

use crate::support::Site;

const MOVING: &str = "/v1/heo-status.js";
const VERSIONED: &str = "/v1/heo-status/1.1.0/heo-status.js";

/// The `ETag` of this version's script. Pages may pin its hash, so a changed script needs a new version.
const HASH_OF_1_1_0: &str = "\"cxZ-0dyHUzDgWJmxLo0U\"";

#[tokio::test]
async fn the_script_has_a_moving_and_a_fixed_address() {
    let site = Site::demo().await;
    let moving = site.get(MOVING).await;
    let fixed = site.get(VERSIONED).await;
    assert_eq!((moving.status, fixed.status), (200, 200));
    assert_eq!(moving.body, fixed.body);
    let cache = moving.header("cache-control").unwrap();
    assert!(cache.starts_with("public, max-age=300"), "{cache}");
    let cache = fixed.header("cache-control").unwrap();
    assert_eq!(cache, "public, max-age=31536000, immutable");
    for answer in [&moving, &fixed] {
        let kind = Some("application/javascript; charset=utf-8");
        assert_eq!(answer.header("content-type"), kind);
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(
            answer.header("cross-origin-resource-policy"),
            Some("cross-origin")
        );
    }
    let tag = moving.header("etag").unwrap();
    let again = site.get_with(MOVING, &[("if-none-match", tag)]).await;
    assert_eq!(again.status, 304);
    let unknown = site.get("/v1/heo-status/0.9.0/heo-status.js").await;
    assert_eq!(unknown.status, 404);
    assert_eq!(unknown.text(), "/* not found */\n");
}

#[tokio::test]
async fn another_script_is_another_version() {
    let site = Site::demo().await;
    let tag = site.get(VERSIONED).await.header("etag").unwrap().to_owned();
    assert_eq!(
        tag, HASH_OF_1_1_0,
        "a changed script needs a new version in src/api/widget.rs"
    );
}

#[tokio::test]
async fn the_script_is_small_and_keeps_to_strict_policies() {
    let site = Site::demo().await;
    let compressed = site.get_with(MOVING, &[("accept-encoding", "gzip")]).await;
    assert_eq!(compressed.header("content-encoding"), Some("gzip"));
    assert!(
        compressed.body.len() < 6 * 1024,
        "{}",
        compressed.body.len()
    );
    let script = site.get(MOVING).await.text();
    for forbidden in [
        "eval(",
        "new Function",
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "document.cookie",
        "localStorage",
        "createElement(\"style\")",
        "setAttribute(\"style\"",
        "setAttribute(\"on",
        ".onclick",
        "import(",
        "console.",
    ] {
        assert!(!script.contains(forbidden), "{forbidden}");
    }
    for needed in [
        "attachShadow",
        "adoptedStyleSheets",
        "aria-live",
        "prefers-color-scheme",
    ] {
        assert!(script.contains(needed), "{needed}");
    }
}

#[tokio::test]
async fn a_refusal_is_a_script_that_does_nothing() {
    let site = Site::start(&[], |config| {
        config.content.dir = None;
        config.limits.widget = Quota::per_minute(1);
    });
    let site = site.await;
    assert_eq!(site.get(MOVING).await.status, 200);
    let refused = site.get(MOVING).await;
    assert_eq!(refused.status, 429);
    let kind = Some("application/javascript; charset=utf-8");
    assert_eq!(refused.header("content-type"), kind);
    let text = refused.text();
    assert!(
        text.starts_with("/* too many requests") && text.ends_with("*/\n"),
        "{text}"
    );
    assert!(refused.header("retry-after").is_some());
}
