//! The texts that lists and articles have in common.

use std::fs::File;
use std::time::SystemTime;

use jiff::Timestamp;
use jiff::civil::Date;

use crate::support::Site;

/// Returns a field of an article as the list and the article itself have it, which must be the same.
async fn field(site: &Site, path: &str, name: &str) -> String {
    let kind = path.split('/').nth(1).unwrap();
    let list = site.get(&format!("/v1/{kind}/list?limit=100")).await.json();
    let mut items = list["items"].as_array().unwrap().iter();
    let item = items.find(|item| item["path"] == path).unwrap();
    let article = site.get(&format!("/v1/{kind}/article?path={path}")).await;
    let article = article.json();
    assert_eq!(item[name], article[name], "{path}");
    item[name].as_str().unwrap().to_owned()
}

/// Sets the time at which a content file was modified.
fn modify(site: &Site, name: &str, at: &str) {
    let file = File::options()
        .write(true)
        .open(site.folder.path().join(name))
        .unwrap();
    let at: Timestamp = at.parse().unwrap();
    file.set_modified(SystemTime::from(at)).unwrap();
}

#[tokio::test]
async fn a_date_is_a_day_from_the_front_matter_or_else_from_the_file() {
    let article = |date: &str| format!("---\ntitle: A\n{date}---\nText\n");
    let site = Site::with(&[
        ("blog/day.md", &article("date: 2026-01-02\n")),
        ("blog/time.md", &article("date: 2026-01-02T23:59:59Z\n")),
        ("blog/local.md", &article("date: 2026-01-02 23:59\n")),
        (
            "blog/toml.md",
            "+++\ntitle = \"A\"\ndate = 2026-01-02\n+++\nText\n",
        ),
        ("kb/dated.md", &article("date: 2026-01-02\n")),
        ("kb/none.md", &article("")),
        ("kb/empty.md", &article("date:\n")),
        ("kb/updated.md", &article("updated: 2026-05-06\n")),
    ])
    .await;
    for name in ["kb/none.md", "kb/dated.md", "blog/day.md"] {
        modify(&site, name, "2025-12-31T23:59:59Z");
    }
    modify(&site, "kb/empty.md", "2026-01-01T00:00:00Z");
    modify(&site, "kb/updated.md", "2025-07-08T12:00:00Z");
    site.reload();
    for (path, date) in [
        ("/blog/day", "2026-01-02"),
        ("/blog/time", "2026-01-02"),
        ("/blog/local", "2026-01-02"),
        ("/blog/toml", "2026-01-02"),
        ("/kb/dated", "2026-01-02"),
        ("/kb/none", "2025-12-31"),
        ("/kb/empty", "2026-01-01"),
        ("/kb/updated", "2025-07-08"),
    ] {
        assert_eq!(field(&site, path, "date").await, date, "{path}");
    }
    // Lists are sorted by it.
    let paths = site.paths("/v1/kb/list").await;
    assert_eq!(paths, ["/kb/dated", "/kb/empty", "/kb/none", "/kb/updated"]);
    // No other form is accepted.
    for wrong in [
        "02.01.2026",
        "2026-1-2",
        "2026-02-30",
        "soon",
        "-000001-01-01",
    ] {
        site.write("kb/wrong.md", &article(&format!("date: \"{wrong}\"\n")));
        site.reload();
        let missing = site.get("/v1/kb/article?path=/kb/wrong").await;
        assert_eq!(missing.status, 404, "{wrong}");
    }
}

#[tokio::test]
async fn every_date_of_the_demo_content_is_a_day() {
    let site = Site::demo().await;
    for kind in ["blog", "kb"] {
        let list = site.get(&format!("/v1/{kind}/list?limit=100")).await.json();
        let items = list["items"].as_array().unwrap();
        assert!(!items.is_empty());
        for date in items.iter().map(|item| item["date"].as_str().unwrap()) {
            assert_eq!(date.parse::<Date>().unwrap().to_string(), date);
        }
    }
}

#[tokio::test]
async fn a_cover_is_a_path_on_the_site_however_it_is_written() {
    let article =
        |cover: &str| format!("---\ntitle: A\ndate: 2026-01-02\ncover: \"{cover}\"\n---\nText\n");
    let site = Site::with(&[
        ("blog/root.md", &article("/images/a.png")),
        ("blog/2026/beside.md", &article("b.png")),
        ("blog/2026/above.md", &article("../../images/a.png?v=2")),
        ("blog/none.md", &article("")),
        ("blog/elsewhere.md", &article("https://cdn.example/a.png")),
        ("kb/vps/beside.md", &article("./c.png")),
        ("images/a.png", "png"),
        ("blog/2026/b.png", "png"),
        ("kb/vps/c.png", "png"),
    ])
    .await;
    assert_eq!(site.problems(), Vec::<String>::new());
    for (path, cover) in [
        ("/blog/root", "/images/a.png"),
        ("/blog/2026/beside", "/blog/2026/b.png"),
        ("/blog/2026/above", "/images/a.png?v=2"),
        ("/blog/none", ""),
        // An image that another site has is the only cover that is not a path.
        ("/blog/elsewhere", "https://cdn.example/a.png"),
        ("/kb/vps/beside", "/kb/vps/c.png"),
    ] {
        assert_eq!(field(&site, path, "cover").await, cover, "{path}");
        if cover.starts_with('/') {
            let image = site.get(&format!("/v1/assets{cover}")).await;
            assert_eq!((image.status, image.text()), (200, "png".to_owned()));
        }
    }
}

#[tokio::test]
async fn the_eight_texts_of_a_list_are_those_of_the_article() {
    let site = Site::demo().await;
    for kind in ["blog", "kb"] {
        let list = site.get(&format!("/v1/{kind}/list?limit=100")).await.json();
        for item in list["items"].as_array().unwrap() {
            let path = item["path"].as_str().unwrap();
            let article = site.get(&format!("/v1/{kind}/article?path={path}")).await;
            let article = article.json();
            let item = item.as_object().unwrap();
            assert_eq!(item.len(), 8, "{path}");
            for (name, text) in item {
                assert!(text.is_string(), "{path} {name}");
                assert_eq!(&article[name], text, "{path} {name}");
            }
            for name in ["body", "html"] {
                assert!(article[name].is_string(), "{path} {name}");
                assert!(!item.contains_key(name), "{path} {name}");
            }
        }
    }
}
