//! Markdown by hostile or careless authors.

use std::time::{Duration, Instant};

use crate::support::{Site, article};

#[tokio::test]
async fn hostile_articles_are_harmless_or_reported_and_the_others_are_shown() {
    let start = Instant::now();
    let script =
        "<script>alert(1)</script>\n\n[x](javascript:alert(1)) <img src=x onerror=alert(1)>";
    let row = |cell: &str| format!("{}\n", cell.repeat(250));
    let table = format!("{}{}{}", row("|a"), row("|-"), row("|b").repeat(250));
    let file = |day: u8, text: &str| article("Title", &format!("2026-01-0{day}"), text);
    let site = Site::with(&[
        ("blog/good.md", &file(1, "")),
        ("blog/script.md", &file(2, script)),
        ("blog/quotes.md", &file(3, &"> ".repeat(50_000))),
        ("blog/brackets.md", &file(4, &"[".repeat(50_000))),
        ("blog/emphasis.md", &file(5, &"*a **b ".repeat(20_000))),
        ("blog/tags.md", &file(6, &"<div>".repeat(50_000))),
        ("blog/table.md", &file(7, &table)),
    ])
    .await;
    assert!(start.elapsed() < Duration::from_mins(1));
    let problems = site.problems();
    assert_eq!(
        problems,
        [
            "blog/quotes.md:5: nested deeper than 100 levels",
            "blog/table.md:86: more than 20000 table cells",
            "blog/tags.md:5: too much raw HTML: 50000 tags",
        ]
    );
    let html = site.get("/v1/blog/article?path=/blog/script").await.json()["html"].to_string();
    for forbidden in ["script", "javascript", "onerror"] {
        assert!(!html.contains(forbidden), "{html}");
    }
    let shown = site.paths("/v1/blog/list").await;
    assert_eq!(
        shown,
        [
            "/blog/emphasis",
            "/blog/brackets",
            "/blog/script",
            "/blog/good"
        ]
    );
}
