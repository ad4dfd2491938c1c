//! Drafts, and articles with a date in the future.

use jiff::SignedDuration;

use crate::support::{Site, article};

#[tokio::test]
async fn an_article_opens_on_its_day_without_anybody_doing_anything() {
    let site = Site::with(&[("blog/now.md", &article("Open now", "2026-01-01", ""))]).await;
    site.write("blog/soon.md", &article("Open soon", &site.day(2), ""));
    site.write(
        "blog/draft.md",
        "---\ntitle: Draft\ndate: 2026-01-01\ndraft: true\naliases: [/old]\n---\n",
    );
    site.reload();
    assert_eq!(site.problems(), [""; 0]);
    let soon = "/v1/blog/article?path=/blog/soon";
    assert_eq!(site.paths("/v1/blog/list").await, ["/blog/now"]);
    site.get(soon).await.refused(404, "article not found");
    assert_eq!(site.paths("/v1/blog/list?q=soon").await, [""; 0]);
    let feed = site.get("/v1/blog/feed.atom").await.text();
    assert!(!feed.contains("soon") && !feed.contains("Draft"));

    site.clock.advance(SignedDuration::from_hours(72));
    assert_eq!(
        site.paths("/v1/blog/list").await,
        ["/blog/soon", "/blog/now"]
    );
    assert_eq!(site.get(soon).await.json()["title"], "Open soon");
    assert_eq!(site.paths("/v1/blog/list?q=soon").await, ["/blog/soon"]);
    assert!(site.get("/v1/blog/feed.atom").await.text().contains("soon"));
    assert!(
        site.get("/v1/sitemap.xml")
            .await
            .text()
            .contains("/blog/soon")
    );
    let related = site.get("/v1/blog/article?path=/blog/now").await.json();
    assert_eq!(related["related"][0]["path"], "/blog/soon");

    site.get("/v1/blog/article?path=/blog/draft")
        .await
        .refused(404, "article not found");
    site.get("/v1/blog/article?path=/old")
        .await
        .refused(404, "article not found");
}

#[tokio::test]
async fn a_clock_that_goes_back_closes_what_it_opened() {
    let site = Site::with(&[]).await;
    site.write("blog/today.md", &article("Today", &site.day(-1), ""));
    site.reload();
    assert_eq!(site.paths("/v1/blog/list").await, ["/blog/today"]);
    site.clock.advance(SignedDuration::from_hours(-24 * 365));
    assert_eq!(site.paths("/v1/blog/list").await, [""; 0]);
    assert_eq!(site.get("/health").await.json()["uptimeSeconds"], 0);
    site.clock.advance(SignedDuration::from_hours(24 * 365));
    assert_eq!(site.paths("/v1/blog/list").await, ["/blog/today"]);
}

#[tokio::test]
async fn a_time_of_the_day_is_kept_to_the_second() {
    let site = Site::with(&[]).await;
    let at = site.clock.now() + SignedDuration::from_secs(100);
    site.write("blog/a.md", &article("A", &at.to_string(), ""));
    site.reload();
    assert_eq!(site.paths("/v1/blog/list").await, [""; 0]);
    site.clock.advance(SignedDuration::from_secs(101));
    let list = site.get("/v1/blog/list").await.json();
    assert_eq!(list["items"][0]["date"], at.to_string()[..10]);
}
