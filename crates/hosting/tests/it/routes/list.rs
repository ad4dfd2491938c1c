//! `GET /v1/blog/list` and `/v1/kb/list`.

use jiff::Timestamp;
use serde_json::json;

use crate::support::{Site, article};

/// Starts a server with seven blog articles; the category changes, two share a day.
async fn seven() -> Site {
    let file = |title: &str, date: &str, category: &str, author: &str| {
        format!(
            "---\ntitle: {title}\ndate: {date}\ncategory: {category}\nauthor: {author}\n---\nText\n"
        )
    };
    Site::with(&[
        ("blog/a.md", &file("Beta", "2026-01-01", "News", "Ada")),
        ("blog/b.md", &file("alpha", "2026-01-03", "Tips", "Bob")),
        ("blog/c.md", &file("Gamma", "2026-01-02", "News", "Bob")),
        ("blog/d.md", &file("Delta", "2026-01-02", "\"\"", "Ada")),
        ("blog/e.md", &file("Zeta", "2026-01-07", "Tips", "Ada")),
        ("blog/f.md", &file("Eta", "2026-01-06", "News", "Ada")),
        (
            "blog/2026/g.md",
            &file("Theta", "2026-01-05", "News", "Ada"),
        ),
        ("kb/h.md", "---\ntitle: In the knowledge base\n---\nText\n"),
    ])
    .await
}

#[tokio::test]
async fn a_list_holds_exactly_the_eight_fields_newest_first() {
    let site = Site::with(&[
        (
            "blog/full.md",
            "---\ntitle: Full\ndescription: All of it\ndate: 2026-02-03\nauthor: Ada\ncategory: News\n\
             readTime: 7 minutes\ncover: /images/a.png\n---\nText\n",
        ),
        ("blog/bare.md", "---\ntitle: Bare\ndate: 2026-02-04\n---\n"),
        ("images/a.png", "png"),
    ])
    .await;
    let answer = site.get("/v1/blog/list").await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(
        answer.json(),
        json!({
            "items": [
                {
                    "title": "Bare", "description": "", "path": "/blog/bare", "category": "", "date": "2026-02-04",
                    "author": "", "readTime": "1 min read", "cover": "",
                },
                {
                    "title": "Full", "description": "All of it", "path": "/blog/full", "category": "News",
                    "date": "2026-02-03", "author": "Ada", "readTime": "7 minutes", "cover": "/images/a.png",
                },
            ],
            "categories": [{ "name": "News", "count": 1 }],
            "nextCursor": null,
            "total": 2,
        })
    );
}

#[tokio::test]
async fn the_knowledge_base_has_a_list_of_its_own() {
    let site = seven().await;
    let list = site.get("/v1/kb/list").await.json();
    assert_eq!(list["total"], 1);
    let file = site.folder.path().join("kb/h.md");
    let modified = std::fs::metadata(file).unwrap().modified().unwrap();
    let day = Timestamp::try_from(modified).unwrap().to_string()[..10].to_owned();
    assert_eq!(
        list["items"][0],
        json!({
            "title": "In the knowledge base", "description": "", "path": "/kb/h", "category": "", "date": day,
            "author": "", "readTime": "1 min read", "cover": "",
        })
    );
    assert_eq!(site.get("/v1/blog/list").await.json()["total"], 7);
}

#[tokio::test]
async fn lists_are_sorted_as_asked() {
    let site = seven().await;
    for (query, expected) in [
        ("", "e f 2026/g b c d a"),
        ("?sort=-date", "e f 2026/g b c d a"),
        ("?sort=date", "a d c b 2026/g f e"),
        ("?sort=title", "b a d f c 2026/g e"),
        ("?sort=-title", "e 2026/g c f d a b"),
    ] {
        let paths = site.paths(&format!("/v1/blog/list{query}")).await;
        let names: Vec<_> = paths
            .iter()
            .map(|path| path.trim_start_matches("/blog/"))
            .collect();
        assert_eq!(names.join(" "), expected, "{query}");
    }
}

#[tokio::test]
async fn lists_are_filtered_by_category_and_author() {
    let site = seven().await;
    let list = site
        .get("/v1/blog/list?category=news&author=ADA")
        .await
        .json();
    assert_eq!(list["total"], 3);
    assert_eq!(
        list["categories"],
        json!([{ "name": "News", "count": 4 }, { "name": "Tips", "count": 2 }]),
        "the categories of the whole blog, to choose from"
    );
    assert_eq!(
        site.get("/v1/blog/list?category=nothing").await.json()["items"],
        json!([])
    );
    assert_eq!(site.get("/v1/blog/list?category=").await.json()["total"], 7);
}

#[tokio::test]
async fn pages_follow_each_other_without_gap_or_repeat() {
    let site = seven().await;
    for sort in ["-date", "date", "title", "-title"] {
        let whole = site.paths(&format!("/v1/blog/list?sort={sort}")).await;
        for limit in 1..=7 {
            let mut seen = Vec::new();
            let mut cursor = String::new();
            loop {
                let target = format!("/v1/blog/list?sort={sort}&limit={limit}{cursor}");
                let page = site.get(&target).await.json();
                assert_eq!(page["total"], 7);
                let items = page["items"].as_array().unwrap();
                seen.extend(
                    items
                        .iter()
                        .map(|item| item["path"].as_str().unwrap().to_owned()),
                );
                match page["nextCursor"].as_str() {
                    Some(next) => cursor = format!("&cursor={next}"),
                    None => break,
                }
            }
            assert_eq!(seen, whole, "{sort} {limit}");
        }
    }
}

#[tokio::test]
async fn a_cursor_holds_when_articles_come_and_go() {
    let site = seven().await;
    let first = site.get("/v1/blog/list?limit=3").await.json();
    let cursor = first["nextCursor"].as_str().unwrap();
    site.write("blog/new.md", &article("New", "2026-01-09", ""));
    std::fs::remove_file(site.folder.path().join("blog/2026/g.md")).unwrap();
    site.reload();
    let next = format!("/v1/blog/list?limit=3&cursor={cursor}");
    assert_eq!(site.paths(&next).await, ["/blog/b", "/blog/c", "/blog/d"]);
}

#[tokio::test]
async fn what_cannot_be_meant_is_refused_in_one_line() {
    let site = seven().await;
    let page = site.get("/v1/blog/list?limit=2").await.json();
    let cursor = page["nextCursor"].as_str().unwrap().to_owned();
    let other = "cursor: belongs to another list; keep the other parameters as they were";
    for (query, line) in [
        ("limit=0", "limit: expected a number from 1 to 100"),
        ("limit=101", "limit: expected a number from 1 to 100"),
        ("limit=-1", "limit: expected a number from 1 to 100"),
        (
            "limit=99999999999999999999",
            "limit: expected a number from 1 to 100",
        ),
        ("limit=ten", "limit: expected a number from 1 to 100"),
        (
            "sort=price",
            "sort: expected one of -date, date, title, -title, relevance",
        ),
        ("sort=relevance", "sort: relevance requires q"),
        ("cursor=nonsense!", "cursor: not a cursor of this API"),
        ("cursor=bm9uc2Vuc2U", "cursor: not a cursor of this API"),
        ("cursor=", "cursor: not a cursor of this API"),
        (
            &format!("cursor={}", "a".repeat(9000)),
            "cursor: not a cursor of this API",
        ),
        (&format!("sort=title&cursor={cursor}"), other),
        (&format!("category=News&cursor={cursor}"), other),
        (
            &format!("q={}", "a".repeat(201)),
            "q: longer than 200 characters",
        ),
    ] {
        site.get(&format!("/v1/blog/list?{query}"))
            .await
            .refused(400, line);
    }
    let kb = site.get(&format!("/v1/kb/list?cursor={cursor}")).await;
    kb.refused(400, other);
    for query in ["limit=1&limit=2", "q=%ff", "q=%zz", "q=%00"] {
        let answer = site.get(&format!("/v1/blog/list?{query}")).await;
        assert_eq!(answer.status, 400, "{query} {answer:?}");
    }
}

#[tokio::test]
async fn a_list_that_has_not_changed_is_not_sent_again() {
    let site = seven().await;
    let first = site.get("/v1/blog/list").await;
    let tag = first.header("etag").unwrap();
    assert!(tag.starts_with('"'), "{tag}");
    assert!(
        first
            .header("cache-control")
            .unwrap()
            .contains("max-age=60")
    );
    let same = site
        .get_with("/v1/blog/list", &[("if-none-match", tag)])
        .await;
    assert_eq!((same.status, same.body.len()), (304, 0));
    assert_eq!(same.header("etag"), Some(tag));
    site.write("blog/new.md", &article("New", "2026-01-09", ""));
    site.reload();
    let changed = site
        .get_with("/v1/blog/list", &[("if-none-match", tag)])
        .await;
    assert_eq!(changed.status, 200);
}
