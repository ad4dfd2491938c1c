//! `?q=` of the lists.

use crate::support::{Site, article};

async fn site() -> Site {
    Site::with(&[
        ("kb/title.md", &article("Moving a wombat", "2026-01-01", "Nothing else.")),
        ("kb/summary.md", "---\ntitle: Animals\ndescription: All about the wombat\ndate: 2026-01-02\n---\nText.\n"),
        ("kb/text.md", &article("Feeding", "2026-01-03", "What a *wombat* eats: `grass`.")),
        ("kb/none.md", &article("Parrots", "2026-01-04", "They fly.")),
        ("kb/draft.md", "---\ntitle: Secret wombat\ndraft: true\n---\n"),
        ("blog/wombat.md", &article("Wombat news", "2026-01-05", "")),
    ])
    .await
}

#[tokio::test]
async fn words_are_found_in_title_description_and_text_in_this_order() {
    let site = site().await;
    let found = site.paths("/v1/kb/list?q=wombat").await;
    assert_eq!(found, ["/kb/title", "/kb/summary", "/kb/text"]);
    assert_eq!(
        site.paths("/v1/kb/list?q=WOMBATS+grass").await,
        ["/kb/text"]
    );
    assert_eq!(site.paths("/v1/blog/list?q=wombat").await, ["/blog/wombat"]);
    assert_eq!(site.paths("/v1/kb/list?q=unicorn").await, [""; 0]);
}

#[tokio::test]
async fn results_have_the_shape_of_a_list_and_can_be_sorted_filtered_and_paged() {
    let site = site().await;
    let list = site.get("/v1/kb/list?q=wombat").await.json();
    assert_eq!(list["total"], 3);
    for item in list["items"].as_array().unwrap() {
        assert_eq!(item.as_object().unwrap().len(), 8);
        assert!(
            item.as_object()
                .unwrap()
                .values()
                .all(serde_json::Value::is_string)
        );
    }
    let by_date = site.paths("/v1/kb/list?q=wombat&sort=-date").await;
    assert_eq!(by_date, ["/kb/text", "/kb/summary", "/kb/title"]);
    let first = site.get("/v1/kb/list?q=wombat&limit=2").await.json();
    let cursor = first["nextCursor"].as_str().unwrap();
    let rest = format!("/v1/kb/list?q=wombat&limit=2&cursor={cursor}");
    assert_eq!(site.paths(&rest).await, ["/kb/text"]);
}

#[tokio::test]
async fn no_words_are_too_strange() {
    let site = site().await;
    for q in [
        "%22",
        "title:",
        "a+AND+OR+NOT",
        "(((((",
        "*",
        "~",
        "%5Ba+TO+b%5D",
        "-",
        "%01",
        "%F0%9F%90%A6",
        "+++",
    ] {
        let answer = site.get(&format!("/v1/kb/list?q={q}")).await;
        assert_eq!(answer.status, 200, "{q}: {}", answer.text());
    }
}

#[tokio::test]
async fn the_index_follows_the_files() {
    let site = site().await;
    site.write(
        "kb/none.md",
        &article("Parrots", "2026-01-04", "They meet a wombat."),
    );
    std::fs::remove_file(site.folder.path().join("kb/text.md")).unwrap();
    site.reload();
    let mut found = site.paths("/v1/kb/list?q=wombat").await;
    found.sort();
    assert_eq!(found, ["/kb/none", "/kb/summary", "/kb/title"]);
    assert_eq!(site.paths("/v1/kb/list?q=fly").await, [""; 0]);
}
