//! `GET /v1/blog/feed.atom`, `/v1/blog/feed.json` and `/v1/sitemap.xml`.

use crate::support::{Site, article};

async fn site() -> Site {
    let files = [
        (
            "blog/new & bold.md",
            "---\ntitle: \"A <b> & \\u0007\"\ndate: 2026-05-02\nauthor: Ada\ncategory: News\ncover: /images/a.png\n---\n*Hi*\n",
        ),
        ("blog/old.md", &article("Old", "2026-05-01", "")),
        ("kb/c.md", "---\ntitle: C\nupdated: 2026-04-01\n---\n"),
        ("kb/draft.md", "---\ntitle: D\ndraft: true\n---\n"),
        ("images/a.png", ""),
    ];
    Site::start(&files, |config| {
        config.content.site.url = "https://inn.example/site/".parse().unwrap();
        "The Inn & Co".clone_into(&mut config.content.site.name);
    })
    .await
}

#[tokio::test]
async fn the_atom_feed_has_the_newest_articles_of_the_blog() {
    let site = site().await;
    let answer = site.get("/v1/blog/feed.atom").await;
    assert_eq!(
        answer.header("content-type"),
        Some("application/atom+xml; charset=utf-8")
    );
    let feed = answer.text();
    for part in [
        "<title>The Inn &amp; Co</title>",
        "<title>A &lt;b&gt; &amp; \u{fffd}</title>",
        "<id>https://inn.example/site/blog/new%20&amp;%20bold</id>",
        "<published>2026-05-02T00:00:00Z</published>",
        "<name>Ada</name>",
        "<category term=\"News\"/>",
        "<content type=\"html\">&lt;p&gt;&lt;em&gt;Hi&lt;/em&gt;&lt;/p&gt;",
    ] {
        assert!(feed.contains(part), "{part} in {feed}");
    }
    assert_eq!(feed.matches("<entry>").count(), 2);
    assert!(feed.find("&lt;b&gt;").unwrap() < feed.find("<title>Old").unwrap());
}

#[tokio::test]
async fn the_json_feed_says_the_same() {
    let site = site().await;
    let answer = site.get("/v1/blog/feed.json").await;
    assert_eq!(
        answer.header("content-type"),
        Some("application/feed+json; charset=utf-8")
    );
    let feed = answer.json();
    assert_eq!(feed["version"], "https://jsonfeed.org/version/1.1");
    assert_eq!(feed["items"].as_array().unwrap().len(), 2);
    let item = &feed["items"][0];
    assert_eq!(item["url"], "https://inn.example/site/blog/new%20&%20bold");
    assert_eq!(item["content_html"], "<p><em>Hi</em></p>\n");
    assert_eq!(item["image"], "https://inn.example/site/images/a.png");
}

#[tokio::test]
async fn the_site_map_has_every_visible_article() {
    let site = site().await;
    let answer = site.get("/v1/sitemap.xml").await;
    assert_eq!(
        answer.header("content-type"),
        Some("application/xml; charset=utf-8")
    );
    let map = answer.text();
    assert_eq!(map.matches("<url>").count(), 3);
    assert!(
        map.contains(
            "<loc>https://inn.example/site/kb/c</loc><lastmod>2026-04-01T00:00:00Z</lastmod>"
        ),
        "{map}"
    );
}

#[tokio::test]
async fn feeds_have_tags_and_are_sent_to_every_reader() {
    let site = site().await;
    for target in [
        "/v1/blog/feed.atom",
        "/v1/blog/feed.json",
        "/v1/sitemap.xml",
    ] {
        let answer = site
            .get_with(target, &[("accept", "application/rss+xml")])
            .await;
        assert_eq!(answer.status, 200, "{target}");
        let tag = answer.header("etag").unwrap();
        assert_eq!(
            site.get_with(target, &[("if-none-match", tag)])
                .await
                .status,
            304
        );
    }
}
