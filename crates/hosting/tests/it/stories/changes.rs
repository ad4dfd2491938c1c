//! Files that are created, changed and removed while the server runs.

use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use innkeeper_hosting::content::{ContentSource, ContentStore, ReloadScope};

use crate::support::{Site, article, eventually};

async fn watched(files: &[(&str, &str)]) -> Site {
    Site::start(files, |config| config.content.watch = true).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_article_appears_without_a_restart() {
    let site = watched(&[("blog/a.md", &article("A", "2026-01-01", ""))]).await;
    assert_eq!(site.paths("/v1/blog/list").await, ["/blog/a"]);
    site.write("blog/deep/er/b.md", &article("B", "2026-01-02", ""));
    eventually("the new one", async || {
        site.paths("/v1/blog/list").await.len() == 2
    })
    .await;
    site.write("blog/deep/er/b.md", &article("Bee", "2026-01-02", ""));
    let target = "/v1/blog/article?path=/blog/deep/er/b";
    eventually("the change", async || {
        site.get(target).await.json()["title"] == "Bee"
    })
    .await;
    std::fs::rename(
        site.folder.path().join("blog/deep"),
        site.folder.path().join("blog/moved"),
    )
    .unwrap();
    eventually("the move", async || {
        site.paths("/v1/blog/list").await == ["/blog/moved/er/b", "/blog/a"]
    })
    .await;
    std::fs::remove_file(site.folder.path().join("blog/a.md")).unwrap();
    eventually("the deletion", async || {
        site.paths("/v1/blog/list").await.len() == 1
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_request_after_a_change_sees_it() {
    let site = watched(&[("blog/a.md", &article("A", "2026-01-01", ""))]).await;
    let folder = site.folder.path().to_owned();
    for round in 0..20 {
        let name = format!("blog/new-{round}/b.md");
        let target = format!("/v1/blog/article?path=/blog/new-{round}/b");
        site.get(&target).await.refused(404, "article not found");
        site.write(&name, &article("Bee", "2026-01-02", ""));
        assert_eq!(site.get(&target).await.json()["title"], "Bee", "{round}");
        // As long as before, within the same tick of the clock of the file system.
        site.write(&name, &article("Cow", "2026-01-02", ""));
        assert_eq!(site.get(&target).await.json()["title"], "Cow", "{round}");
        std::fs::rename(folder.join(&name), folder.join("blog/c.md")).unwrap();
        let expected = ["/blog/c", "/blog/a"];
        assert_eq!(site.paths("/v1/blog/list").await, expected, "{round}");
        std::fs::remove_file(folder.join("blog/c.md")).unwrap();
        assert_eq!(site.paths("/v1/blog/list").await, ["/blog/a"], "{round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_during_a_change_wait_for_it_together() {
    let site = watched(&[("blog/a.md", &article("A", "2026-01-01", ""))]).await;
    for round in 1..=5 {
        let target = format!("/v1/blog/article?path=/blog/{round}");
        site.write(&format!("blog/{round}.md"), &article("B", "2026-01-02", ""));
        let requests = (0..20).map(|_| site.get(&target));
        for answer in futures_util::future::join_all(requests).await {
            assert_eq!(answer.status, 200, "{round}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_exchanged_by_a_link_is_followed() {
    let place = tempfile::tempdir().unwrap();
    for (release, title) in [("one", "One"), ("two", "Two")] {
        let blog = place.path().join(release).join("blog");
        std::fs::create_dir_all(&blog).unwrap();
        std::fs::write(blog.join("a.md"), article(title, "2026-01-01", "")).unwrap();
    }
    let current = place.path().join("current");
    symlink("one", &current).unwrap();
    let site = Site::start(&[], |config| {
        config.content.watch = true;
        config.content.dir = Some(current.clone());
    })
    .await;
    let target = "/v1/blog/article?path=/blog/a";
    assert_eq!(site.get(target).await.json()["title"], "One");
    std::fs::remove_file(&current).unwrap();
    symlink("two", &current).unwrap();
    eventually("the other folder", async || {
        site.get(target).await.json()["title"] == "Two"
    })
    .await;
}

#[tokio::test]
async fn only_what_has_changed_is_read_and_only_what_is_new_is_rendered() {
    let folder = tempfile::tempdir().unwrap();
    let blog = folder.path().join("blog");
    std::fs::create_dir(&blog).unwrap();
    for number in 0..40 {
        let text = article(
            &format!("Title {number}"),
            "2026-01-01",
            &format!("Text {number}"),
        );
        std::fs::write(blog.join(format!("{number}.md")), text).unwrap();
    }
    let source = ContentSource::Folder(folder.path().to_owned());
    let content = ContentStore::open(source.clone(), None).unwrap();
    let nothing = ReloadScope::Changed(std::collections::HashSet::default());
    assert_eq!(content.reload(&nothing).unwrap().read, 0);
    std::fs::write(
        blog.join("7.md"),
        article("Other title", "2026-01-01", "Text 7"),
    )
    .unwrap();
    let report = content.reload(&nothing).unwrap();
    assert_eq!(
        (report.read, report.rendered),
        (1, 0),
        "the text is the same"
    );
    std::fs::write(
        blog.join("7.md"),
        article("Other title", "2026-01-01", "Other text"),
    )
    .unwrap();
    let report = content.reload(&nothing).unwrap();
    assert_eq!((report.articles, report.read, report.rendered), (40, 1, 1));

    let next = ContentStore::open(source, None).unwrap();
    let report = next.reload(&ReloadScope::All).unwrap();
    assert_eq!(
        (report.read, report.rendered),
        (40, 0),
        "the cache has them all"
    );
    assert_eq!(next.index().len(), 40);
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_see_one_version_or_the_other_and_never_wait() {
    let site = Site::with(&[("blog/a.md", &article("One", "2026-01-01", "One"))]).await;
    let is_written = AtomicBool::new(false);
    let reading = async {
        loop {
            let is_last = is_written.load(Ordering::Relaxed);
            let article = site.get("/v1/blog/article?path=/blog/a").await.json();
            assert_eq!(article["title"], article["body"]);
            if is_last {
                return article["title"].clone();
            }
        }
    };
    let writing = async {
        let content = site.hosting.content();
        for number in 0..20 {
            let title = format!("Number {number}");
            site.write("blog/a.md", &article(&title, "2026-01-01", &title));
            let content = std::sync::Arc::clone(content);
            tokio::task::spawn_blocking(move || content.reload(&ReloadScope::All))
                .await
                .unwrap()
                .unwrap();
        }
        is_written.store(true, Ordering::Relaxed);
    };
    let (last, ()) = tokio::join!(reading, writing);
    assert_eq!(last, "Number 19");
}
