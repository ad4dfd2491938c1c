//! Files embedded in the program.

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, ETag, Files, Method};

use super::{client, get};

fn files() -> Client {
    client(Files::embedded([
        ("index.html", "top"),
        ("/docs/index.html", "docs"),
        ("docs/deep/page.html", "deep"),
        ("a.txt", "0123456789"),
    ]))
}

#[tokio::test]
async fn a_catch_all_is_sent_for_every_path_that_is_not_a_file() {
    let files = Files::embedded([("article.html", "article"), ("a.txt", "a")]);
    let client = client(files.index(None).catch_all("/article.html"));
    for path in ["/assets/first", "/assets/deep/v1.2", "/assets/b.txt"] {
        let answer = get(&client, path, &[]).await;
        assert_eq!(answer.status(), 200, "{path}");
        assert_eq!(answer.text(), "article", "{path}");
        assert_eq!(
            answer.header("content-type"),
            Some("text/html; charset=utf-8")
        );
    }
    assert_eq!(get(&client, "/assets/a.txt", &[]).await.text(), "a");
    let hidden = get(&client, "/assets/.hidden/x", &[]).await;
    assert_eq!(hidden.status(), 404);
}

#[tokio::test]
async fn embedded_files_are_sent_like_others() {
    let client = files();
    for (path, text) in [
        ("/assets/", "top"),
        ("/assets/docs/", "docs"),
        ("/assets/docs/deep/page.html", "deep"),
        ("/assets/a.txt", "0123456789"),
    ] {
        let answer = get(&client, path, &[]).await;
        assert_eq!(
            (answer.status(), answer.text().as_str()),
            (200, text),
            "{path}"
        );
        assert_eq!(answer.header("etag"), Some(ETag::of(text).as_str()));
        assert_eq!(answer.header("last-modified"), None);
        assert_eq!(answer.header("vary"), None);
    }
    for (path, status) in [
        ("/assets/docs", 301),
        ("/assets", 301),
        ("/assets/docs/deep", 404),
        ("/assets/docs/deep/", 404),
        ("/assets/a.txt/", 404),
        ("/assets/../a.txt", 404),
        ("/assets/docs%2findex.html", 404),
        ("/assets/none", 404),
    ] {
        assert_eq!(get(&client, path, &[]).await.status(), status, "{path}");
    }
}

#[tokio::test]
async fn embedded_files_have_conditions_and_parts() {
    let client = files();
    let tag = ETag::of("0123456789");
    let known = get(&client, "/assets/a.txt", &[("if-none-match", tag.as_str())]).await;
    assert_eq!(known.status(), 304);
    let headers = [("range", "bytes=2-4"), ("if-range", tag.as_str())];
    let part = get(&client, "/assets/a.txt", &headers).await;
    assert_eq!((part.status(), part.text().as_str()), (206, "234"));
    let head = client.request(Method::HEAD, "/assets/a.txt").send().await;
    assert_eq!(head.header("content-length"), Some("10"));
    assert_eq!(client.post("/assets/a.txt").send().await.status(), 405);
}

#[test]
fn paths_that_are_none_are_said_at_the_start() {
    let files = Files::embedded([("a/../b", ""), ("", ""), ("c", "1"), ("/c", "2")]);
    let error = App::new().files("/", files).build().unwrap_err();
    assert_eq!(
        error.problems(),
        [
            "`a/../b` is not a path for an embedded file",
            "`` is not a path for an embedded file",
            "`/c` is embedded twice",
        ]
    );
}
