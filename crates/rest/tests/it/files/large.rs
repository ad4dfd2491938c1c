//! Large files, sent in chunks.

use std::fs::OpenOptions;
use std::io::Write as _;

use innkeeper_rest::App;
use tempfile::TempDir;

use super::{client, get};
use crate::server::wire::Running;

const SIZE: usize = 1_000_003;

fn content() -> Vec<u8> {
    (0..=250).cycle().take(SIZE).collect()
}

fn directory() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("film.mp4"), content()).unwrap();
    directory
}

#[tokio::test]
async fn a_large_file_arrives_whole_and_in_parts() {
    let directory = directory();
    let client = client(directory.path());
    let content = content();
    let whole = get(&client, "/assets/film.mp4", &[]).await;
    assert_eq!(whole.header("content-type"), Some("video/mp4"));
    assert!(whole.bytes()[..] == content[..]);
    for (asked, start, end) in [
        ("bytes=0-", 0, SIZE),
        ("bytes=1-200000", 1, 200_001),
        ("bytes=-300000", SIZE - 300_000, SIZE),
        ("bytes=999999-", 999_999, SIZE),
    ] {
        let part = get(&client, "/assets/film.mp4", &[("range", asked)]).await;
        assert_eq!(part.status(), 206);
        assert!(part.bytes()[..] == content[start..end], "{asked}");
    }
    let several = get(
        &client,
        "/assets/film.mp4",
        &[("range", "bytes=900000-,0-199999")],
    )
    .await;
    let bytes = several.bytes();
    let find = |wanted: &[u8]| bytes.windows(wanted.len()).position(|part| part == wanted);
    let first = find(&content[900_000..]).unwrap();
    let second = find(&content[..200_000]).unwrap();
    assert!(first < second);
    let nothing = get(&client, "/assets/film.mp4", &[("range", "bytes=2000000-")]).await;
    assert_eq!(nothing.header("content-range"), Some("bytes */1000003"));
}

#[tokio::test]
async fn a_large_file_goes_over_the_wire_with_its_length() {
    let directory = directory();
    let server = Running::start(App::new().files("/", directory.path()));
    let mut wire = server.connect().await;
    for _ in 0..2 {
        let answer = wire.get("/film.mp4").await;
        assert_eq!(answer.header("content-length"), Some("1000003"));
        assert!(answer.body == content());
    }
    server.stopped().await;
}

#[tokio::test]
async fn a_file_that_becomes_shorter_ends_the_connection() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log.txt");
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .unwrap();
    file.write_all(&vec![b'x'; 64 * 1024 * 1024]).unwrap();
    let server = Running::start(App::new().files("/", directory.path()));
    let mut wire = server.connect().await;
    wire.send("GET /log.txt HTTP/1.1\r\nHost: test\r\n\r\n")
        .await;
    let answer = wire.answer_head().await;
    assert_eq!(answer.header("content-length"), Some("67108864"));
    // The unsent rest is larger than the socket buffers.
    file.set_len(0).unwrap();
    assert!(wire.ended().await < 67_108_864);
    server.stopped().await;
}
