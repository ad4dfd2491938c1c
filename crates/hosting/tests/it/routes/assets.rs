//! `GET /v1/assets/…`.

use std::os::unix::fs::symlink;

use crate::support::Site;

async fn site() -> Site {
    Site::with(&[
        ("images/covers/a.svg", "<svg onload=\"alert(1)\"/>"),
        ("blog/b.PNG", "png"),
        ("images/ü x.gif", "gif"),
        ("kb/c.md", "---\ntitle: C\n---\n"),
        ("plans.toml", ""),
        ("images/.hidden.png", "x"),
    ])
    .await
}

#[tokio::test]
async fn images_of_the_folder_are_served_as_they_are() {
    let site = site().await;
    for (path, media_type, body) in [
        (
            "images/covers/a.svg",
            "image/svg+xml",
            "<svg onload=\"alert(1)\"/>",
        ),
        ("blog/b.PNG", "image/png", "png"),
        ("images/%C3%BC%20x.gif", "image/gif", "gif"),
    ] {
        let answer = site.get(&format!("/v1/assets/{path}")).await;
        assert_eq!(
            (answer.status, answer.text().as_str()),
            (200, body),
            "{path}"
        );
        assert_eq!(answer.header("content-type"), Some(media_type));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert!(
            answer
                .header("content-security-policy")
                .unwrap()
                .contains("sandbox")
        );
        let tag = answer.header("etag").unwrap();
        let same = site
            .get_with(&format!("/v1/assets/{path}"), &[("if-none-match", tag)])
            .await;
        assert_eq!((same.status, same.body.len()), (304, 0));
    }
    let picture = site
        .get_with("/v1/assets/blog/b.PNG", &[("accept", "image/webp")])
        .await;
    assert_eq!(picture.status, 200);
    let part = site
        .get_with("/v1/assets/blog/b.PNG", &[("range", "bytes=1-")])
        .await;
    assert_eq!((part.status, part.text().as_str()), (206, "ng"));
    let beyond = site
        .get_with("/v1/assets/blog/b.PNG", &[("range", "bytes=9-")])
        .await;
    assert_eq!(
        (beyond.status, beyond.header("content-range")),
        (416, Some("bytes */3"))
    );
}

#[tokio::test]
async fn nothing_else_is_served_whatever_the_path_says() {
    let site = site().await;
    for path in [
        "",
        "images",
        "images/",
        "kb/c.md",
        "plans.toml",
        "images/.hidden.png",
        "../Cargo.toml",
        "images/../plans.toml",
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e/%2e%2e/etc/passwd",
        "/etc/passwd",
        "images%5ccovers%5ca.svg",
        "images/covers/a.svg%00.png",
        "%00",
        "%ff",
        "%zz",
        "images//covers/a.svg",
    ] {
        let answer = site.get(&format!("/v1/assets/{path}")).await;
        assert!(
            matches!(answer.status, 400 | 404),
            "{path}: {}",
            answer.status
        );
    }
}

#[tokio::test]
async fn an_image_that_becomes_a_link_out_of_the_folder_is_gone() {
    let site = site().await;
    let outside = tempfile::NamedTempFile::new().unwrap();
    let path = site.folder.path().join("blog/b.PNG");
    std::fs::remove_file(&path).unwrap();
    symlink(outside.path(), &path).unwrap();
    assert_eq!(site.get("/v1/assets/blog/b.PNG").await.status, 404);
    site.reload();
    assert_eq!(
        site.problems(),
        ["blog/b.PNG: a symbolic link that leads out of the content folder"]
    );
    assert_eq!(site.get("/v1/assets/blog/b.PNG").await.status, 404);
}

/// A file of eight gigabytes that takes no room on the disk cannot be read whole for one byte of it.
#[tokio::test]
async fn a_part_of_a_large_image_is_read_alone() {
    let site = site().await;
    let path = site.folder.path().join("images/large.png");
    let file = std::fs::File::create(path).unwrap();
    file.set_len(8 << 30).unwrap();
    site.reload();
    let part = site
        .get_with("/v1/assets/images/large.png", &[("range", "bytes=7-8")])
        .await;
    assert_eq!((part.status, part.body.as_slice()), (206, &[0, 0][..]));
    assert_eq!(part.header("content-range"), Some("bytes 7-8/8589934592"));
    let tag = part.header("etag").unwrap();
    let same = site
        .get_with("/v1/assets/images/large.png", &[("if-none-match", tag)])
        .await;
    assert_eq!((same.status, same.body.len()), (304, 0));

    file.set_len(7).unwrap();
    let changed = site
        .get_with("/v1/assets/images/large.png", &[("if-none-match", tag)])
        .await;
    assert_eq!((changed.status, changed.body.len()), (200, 7));
    assert_ne!(changed.header("etag"), Some(tag));
}
