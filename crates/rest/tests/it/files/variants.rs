//! Precompressed files.

use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{App, Files};
use tempfile::TempDir;

use super::{client, directory, get};

const FILES: [(&str, &str); 5] = [
    ("a.js", "plain"),
    ("a.js.br", "brotli"),
    ("a.js.gz", "gzip"),
    ("b.js", "plain b"),
    ("b.js.gz", "gzip b"),
];

fn on_disk() -> (Client, TempDir) {
    let directory = directory(&FILES);
    (
        client(Files::directory(&directory).precompressed()),
        directory,
    )
}

fn embedded() -> Client {
    Client::new(App::new().files("/assets", Files::embedded(FILES))).unwrap()
}

async fn accepting(client: &Client, path: &str, accepted: &str) -> TestResponse {
    get(client, path, &[("accept-encoding", accepted)]).await
}

#[tokio::test]
async fn the_variant_that_the_client_wants_is_sent() {
    let (disk, _directory) = on_disk();
    for client in [&disk, &embedded()] {
        for (path, accepted, coding, text) in [
            ("/assets/a.js", "", None, "plain"),
            ("/assets/a.js", "gzip, br", Some("br"), "brotli"),
            ("/assets/a.js", "gzip", Some("gzip"), "gzip"),
            ("/assets/a.js", "br;q=0.1, gzip;q=0.9", Some("gzip"), "gzip"),
            ("/assets/a.js", "identity, br;q=0", None, "plain"),
            ("/assets/a.js", "zstd", None, "plain"),
            ("/assets/a.js", "*", Some("br"), "brotli"),
            ("/assets/b.js", "br, gzip", Some("gzip"), "gzip b"),
            ("/assets/b.js", "br", None, "plain b"),
        ] {
            let answer = accepting(client, path, accepted).await;
            assert_eq!(answer.status(), 200);
            assert_eq!(
                answer.header("content-encoding"),
                coding,
                "{path} {accepted}"
            );
            assert_eq!(answer.text(), text, "{path} {accepted}");
            assert_eq!(
                answer.header("content-type"),
                Some("text/javascript; charset=utf-8")
            );
            assert_eq!(answer.header("vary"), Some("accept-encoding"));
        }
    }
}

#[tokio::test]
async fn each_variant_has_a_tag_of_its_own() {
    let (disk, _directory) = on_disk();
    for client in [&disk, &embedded()] {
        let mut tags = Vec::new();
        for accepted in ["identity", "gzip", "br"] {
            let answer = accepting(client, "/assets/a.js", accepted).await;
            let tag = answer.header("etag").unwrap().to_owned();
            assert!(!tags.contains(&tag));
            let headers = [("accept-encoding", accepted), ("if-none-match", &tag)];
            let known = get(client, "/assets/a.js", &headers).await;
            assert_eq!(
                (known.status(), known.header("etag")),
                (304, Some(tag.as_str()))
            );
            assert_eq!(known.header("vary"), Some("accept-encoding"));
            assert_eq!(known.header("content-encoding"), None);
            tags.push(tag);
        }
    }
}

#[tokio::test]
async fn parts_of_a_variant_are_those_of_its_bytes() {
    let (disk, _directory) = on_disk();
    for client in [&disk, &embedded()] {
        let headers = [("accept-encoding", "br"), ("range", "bytes=2-3")];
        let part = get(client, "/assets/a.js", &headers).await;
        assert_eq!((part.status(), part.text().as_str()), (206, "ot"));
        assert_eq!(part.header("content-encoding"), Some("br"));
        assert_eq!(part.header("content-range"), Some("bytes 2-3/6"));
    }
}

#[tokio::test]
async fn variants_of_a_directory_are_sent_only_if_asked_for() {
    let directory = directory(&FILES);
    let client = client(directory.path());
    let answer = accepting(&client, "/assets/a.js", "br").await;
    assert_eq!(
        (answer.text().as_str(), answer.header("vary")),
        ("plain", None)
    );
    let answer = accepting(&client, "/assets/a.js.gz", "").await;
    assert_eq!(answer.header("content-type"), Some("application/gzip"));
    assert_eq!(answer.header("content-encoding"), None);
}
