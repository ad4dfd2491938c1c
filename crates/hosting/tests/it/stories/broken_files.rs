//! Invalid files are reported, and the site stays up.

use crate::support::{Site, article};

#[tokio::test]
async fn a_broken_file_is_reported_with_its_line_and_keeps_its_last_good_version() {
    let site = Site::with(&[("blog/a.md", &article("Good", "2026-01-01", "Text"))]).await;
    for (broken, problem) in [
        (
            "---\ntitle: Bad\ndate: someday\n---\n",
            "blog/a.md:3: `date`: expected a day such as 2026-11-15, found `someday`",
        ),
        ("---\ntitle: Bad\n---\n", "blog/a.md:1: `date` is missing"),
        (
            "no front matter",
            "blog/a.md:1: no front matter: the first line is neither `---` nor `+++`",
        ),
        ("---\ntitle: [\n---\n", "blog/a.md:2: front matter:"),
    ] {
        site.write("blog/a.md", broken);
        site.reload();
        let problems = site.problems();
        assert!(
            problems.len() == 1 && problems[0].starts_with(problem),
            "{problems:?}"
        );
        let article = site.get("/v1/blog/article?path=/blog/a").await.json();
        assert_eq!(
            (&article["title"], &article["body"]),
            (&"Good".into(), &"Text".into())
        );
        assert_eq!(site.paths("/v1/blog/list?q=good").await, ["/blog/a"]);
    }
    site.write("blog/a.md", &article("Better", "2026-01-01", "Text"));
    site.reload();
    assert_eq!(site.problems(), [""; 0]);
    assert_eq!(
        site.get("/v1/blog/article?path=/blog/a").await.json()["title"],
        "Better"
    );
}

#[tokio::test]
async fn a_broken_file_keeps_its_last_good_version_over_a_restart() {
    let good = article("Good", "2026-01-01", "Wombats");
    let plans = include_str!("../../../content/plans.toml");
    let site = Site::with(&[("blog/a.md", &good), ("plans.toml", plans)]).await;
    site.write("blog/a.md", "---\ntitle: [\n---\n");
    site.write("plans.toml", "[[plans]]\n");
    site.reload();
    let before = site.get("/v1/blog/article?path=/blog/a").await.json();
    assert_eq!(before["title"], "Good");
    let before_plans = site.get("/v1/plans").await.json();

    let next = site.restarted().await;
    assert_eq!(next.problems(), site.problems());
    assert_eq!(
        next.get("/v1/blog/article?path=/blog/a").await.json(),
        before
    );
    assert_eq!(next.paths("/v1/blog/list?q=wombats").await, ["/blog/a"]);
    let plans = next.get("/v1/plans").await.json();
    assert_eq!(plans["plans"], before_plans["plans"]);

    // A removed file is not shown any more, and its last valid version is forgotten.
    std::fs::remove_file(next.folder_path().join("blog/a.md")).unwrap();
    next.reload();
    assert_eq!(next.paths("/v1/blog/list").await, [""; 0]);
    site.write("blog/a.md", "---\ntitle: [\n---\n");
    next.reload();
    assert_eq!(next.paths("/v1/blog/list").await, [""; 0]);
}

#[tokio::test]
async fn a_start_with_broken_files_shows_the_others() {
    let site = Site::with(&[
        ("blog/bad.md", "---\ntitle: Bad\n"),
        ("blog/good.md", &article("Good", "2026-01-01", "")),
        (
            "kb/large.md",
            &format!("---\ntitle: Large\n---\n{}", "a".repeat(5_000_000)),
        ),
        ("plans.toml", "[[plans]]\n"),
    ])
    .await;
    assert_eq!(
        site.problems(),
        [
            "blog/bad.md:1: front matter without end: no line is `---`",
            "kb/large.md:1: larger than 512 KiB",
            "plans.toml:1: plans 1: `category` is missing",
            "plans.toml:1: plans 1: `id` is missing",
            "plans.toml:1: plans 1: `name` is missing",
            "plans.toml:1: plans 1: `prices` is missing",
        ]
    );
    assert_eq!(site.paths("/v1/blog/list").await, ["/blog/good"]);
}

#[tokio::test]
async fn a_file_that_is_not_utf_8_names_the_line() {
    let site = Site::with(&[]).await;
    std::fs::create_dir(site.folder.path().join("kb")).unwrap();
    std::fs::write(
        site.folder.path().join("kb/a.md"),
        b"---\ntitle: A\n---\nfine\n\xff\xfe\n",
    )
    .unwrap();
    site.reload();
    assert_eq!(site.problems(), ["kb/a.md:5: not UTF-8"]);
}

#[tokio::test]
async fn of_two_files_with_one_path_the_one_that_had_it_keeps_it() {
    let site = Site::with(&[("kb/b.md", "---\ntitle: B\npath: /kb/same\n---\n")]).await;
    site.write("kb/a.md", "---\ntitle: A\npath: /kb/same\n---\n");
    site.reload();
    assert_eq!(
        site.problems(),
        ["kb/a.md: the path /kb/same belongs to kb/b.md"]
    );
    assert_eq!(
        site.get("/v1/kb/article?path=/kb/same").await.json()["title"],
        "B"
    );
    assert_eq!(site.paths("/v1/kb/list").await, ["/kb/same"]);
}

#[tokio::test]
async fn aliases_that_are_taken_and_covers_that_are_missing_are_reported() {
    let site = Site::with(&[
        (
            "kb/a.md",
            "---\ntitle: A\naliases: [/kb/b, /old]\ncover: /images/none.png\n---\n",
        ),
        (
            "kb/b.md",
            "---\ntitle: B\naliases: [/old]\ncover: b.png\n---\n",
        ),
        ("kb/b.png", ""),
        (
            "kb/c.md",
            "---\ntitle: C\ncover: https://cdn.example/c.png\n---\n",
        ),
    ])
    .await;
    assert_eq!(
        site.problems(),
        [
            "kb/a.md: the alias /kb/b belongs to kb/b.md",
            "kb/a.md: the cover /images/none.png is not an image in the content folder",
            "kb/b.md: the alias /old belongs to kb/a.md",
        ]
    );
    assert_eq!(
        site.get("/v1/kb/article?path=/kb/a").await.json()["cover"],
        "/images/none.png"
    );
}

#[tokio::test]
async fn a_folder_that_goes_away_leaves_everything_as_it_was() {
    let site = Site::with(&[("blog/a.md", &article("A", "2026-01-01", ""))]).await;
    std::fs::remove_dir_all(site.folder.path()).unwrap();
    let all = innkeeper_hosting::content::ReloadScope::All;
    assert!(site.hosting.content().reload(&all).is_err());
    assert_eq!(site.paths("/v1/blog/list").await, ["/blog/a"]);
}

/// A link to itself cannot be opened, not even by root.
fn make_unreadable(path: &std::path::Path) {
    std::fs::rename(path, path.with_extension("away")).unwrap();
    std::os::unix::fs::symlink(path, path).unwrap();
}

fn make_readable(path: &std::path::Path) {
    std::fs::remove_file(path).unwrap();
    std::fs::rename(path.with_extension("away"), path).unwrap();
}

#[tokio::test]
async fn a_folder_that_cannot_be_read_keeps_its_articles() {
    let site = Site::with(&[
        ("kb/vps/a.md", "---\ntitle: Wombats\n---\n"),
        ("kb/vps/a.png", "png"),
        ("kb/vps2.md", "---\ntitle: Other\n---\n"),
        ("plans.toml", include_str!("../../../content/plans.toml")),
    ])
    .await;
    let content = async || {
        let health = site.get("/health?deep=1").await.json();
        health["parts"]["content"].as_str().unwrap().to_owned()
    };
    let plans = site.get("/v1/plans").await.json();
    assert_eq!(content().await, "ok");
    let (vps, table) = (
        site.folder_path().join("kb/vps"),
        site.folder_path().join("plans.toml"),
    );
    // Out of sight, so that only the names that cannot be read are left.
    std::fs::create_dir(site.folder_path().join("kb/.hidden")).unwrap();
    make_unreadable(&table);
    std::fs::rename(&vps, site.folder_path().join("kb/.hidden/vps")).unwrap();
    std::os::unix::fs::symlink(&vps, &vps).unwrap();
    std::fs::remove_file(site.folder_path().join("kb/vps2.md")).unwrap();
    site.reload();
    let problems = site.problems();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(
        problems[0].starts_with("kb/vps: cannot be read: "),
        "{problems:?}"
    );
    assert!(
        problems[1].starts_with("plans.toml: cannot be read: "),
        "{problems:?}"
    );
    assert_eq!(content().await, "faulty");
    // What was deleted is gone; what cannot be read is as it was.
    assert_eq!(site.paths("/v1/kb/list").await, ["/kb/vps/a"]);
    assert_eq!(site.paths("/v1/kb/list?q=wombats").await, ["/kb/vps/a"]);
    assert_eq!(site.get("/v1/plans").await.json(), plans);

    make_readable(&table);
    std::fs::remove_file(&vps).unwrap();
    std::fs::create_dir(&vps).unwrap();
    site.reload();
    assert_eq!(site.problems(), [""; 0]);
    assert_eq!(site.paths("/v1/kb/list").await, [""; 0]);
    assert_eq!(content().await, "ok");
}

#[tokio::test]
async fn names_that_are_not_fields_are_reported_and_covers_run_no_scripts() {
    let site = Site::with(&[
        ("kb/a.md", "---\ntitle: A\nDraft: true\n---\n"),
        (
            "kb/b.md",
            "---\ntitle: B\ncover: javascript:alert(1)\n---\n",
        ),
    ])
    .await;
    assert_eq!(
        site.problems(),
        [
            "kb/a.md:3: `Draft` is not a field; the field is `draft`",
            "kb/b.md:3: `cover`: expected a path, or a URL that starts with https:// or http://",
        ]
    );
    assert_eq!(site.paths("/v1/kb/list").await, ["/kb/a"]);
    // Also when the article is read again and has not changed.
    site.reload();
    assert_eq!(site.problems().len(), 2);
}
