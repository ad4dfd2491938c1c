//! Files of a directory.

use std::fs::{self, File};
use std::time::{Duration, UNIX_EPOCH};

use innkeeper_rest::{App, Files, Method, RestApi, resource, testing::Client};
use serde_json::Value;

use super::{client, directory, get, write};

#[tokio::test]
async fn a_file_is_sent_with_type_tag_and_date() {
    let directory = directory(&[("css/inn.css", "h1 { color: brown }")]);
    let file = File::open(directory.path().join("css/inn.css")).unwrap();
    file.set_modified(UNIX_EPOCH + Duration::from_millis(784_111_777_500))
        .unwrap();
    let client = client(directory.path());

    let answer = get(&client, "/assets/css/inn.css", &[]).await;
    assert_eq!(
        (answer.status(), answer.text().as_str()),
        (200, "h1 { color: brown }")
    );
    for (name, value) in [
        ("content-type", "text/css; charset=utf-8"),
        ("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("accept-ranges", "bytes"),
        ("cache-control", "no-cache"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(answer.header(name), Some(value), "{name}");
    }
    let tag = answer.header("etag").unwrap();
    assert!(tag.starts_with('"'), "{tag}");
    assert_eq!(answer.header("vary"), None);

    for condition in [
        ("if-none-match", tag),
        ("if-modified-since", "Sun, 06 Nov 1994 08:49:37 GMT"),
    ] {
        let known = get(&client, "/assets/css/inn.css", &[condition]).await;
        assert_eq!((known.status(), known.text().as_str()), (304, ""));
        assert_eq!(known.header("etag"), Some(tag));
        assert_eq!(known.header("cache-control"), Some("no-cache"));
    }
    let headers = [("range", "bytes=5-9"), ("if-range", tag)];
    let part = get(&client, "/assets/css/inn.css", &headers).await;
    assert_eq!((part.status(), part.text().as_str()), (206, "color"));
}

#[tokio::test]
async fn a_changed_file_has_another_tag() {
    let directory = directory(&[("a.txt", "one")]);
    let client = client(directory.path());
    let before = get(&client, "/assets/a.txt", &[]).await;
    write(directory.path(), "a.txt", "changed");
    let condition = ("if-none-match", before.header("etag").unwrap());
    let after = get(&client, "/assets/a.txt", &[condition]).await;
    assert_eq!((after.status(), after.text().as_str()), (200, "changed"));
}

#[tokio::test]
async fn head_has_the_length_and_no_body() {
    let directory = directory(&[("a.txt", "12345")]);
    let client = client(directory.path());
    let answer = client.request(Method::HEAD, "/assets/a.txt").send().await;
    assert_eq!((answer.status(), answer.text().as_str()), (200, ""));
    assert_eq!(answer.header("content-length"), Some("5"));
    assert_eq!(
        answer.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
}

#[tokio::test]
async fn other_methods_are_405() {
    let directory = directory(&[("a.txt", "12345")]);
    let client = client(directory.path());
    let answer = client.put("/assets/a.txt").body("x").send().await;
    assert_eq!(
        (answer.status(), answer.header("allow")),
        (405, Some("GET, HEAD, OPTIONS"))
    );
    assert_eq!(
        answer.json::<Value>().unwrap()["code"],
        "method_not_allowed"
    );
    let answer = client
        .request(Method::OPTIONS, "/assets/a.txt")
        .send()
        .await;
    assert_eq!(
        (answer.status(), answer.header("allow")),
        (204, Some("GET, HEAD, OPTIONS"))
    );
}

#[tokio::test]
async fn a_directory_is_its_index() {
    let directory = directory(&[
        ("index.html", "top"),
        ("docs/index.html", "docs"),
        ("empty/x.txt", "x"),
    ]);
    let client = client(directory.path());
    for (path, status, text) in [
        ("/assets/", 200, "top"),
        ("/assets/index.html", 200, "top"),
        ("/assets/docs/", 200, "docs"),
        ("/assets/docs/?a=1", 200, "docs"),
    ] {
        let answer = get(&client, path, &[]).await;
        assert_eq!(
            (answer.status(), answer.text().as_str()),
            (status, text),
            "{path}"
        );
        assert_eq!(
            answer.header("content-type"),
            Some("text/html; charset=utf-8")
        );
    }
    for (path, location) in [
        ("/assets", "/assets/"),
        ("/assets/docs", "/assets/docs/"),
        ("/assets/docs?a=1&b", "/assets/docs/?a=1&b"),
    ] {
        let answer = get(&client, path, &[]).await;
        assert_eq!(
            (answer.status(), answer.header("location")),
            (301, Some(location)),
            "{path}"
        );
    }
    for path in [
        "/assets/empty",
        "/assets/empty/",
        "/assets/index.html/",
        "/assets/index.html/x",
    ] {
        assert_eq!(get(&client, path, &[]).await.status(), 404, "{path}");
    }
}

#[tokio::test]
async fn an_index_can_be_called_otherwise_or_not_be() {
    let directory = directory(&[("home.htm", "home"), ("index.html", "index")]);
    let named = client(Files::directory(&directory).index("home.htm"));
    assert_eq!(get(&named, "/assets/", &[]).await.text(), "home");
    let none = client(Files::directory(&directory).index(None));
    assert_eq!(get(&none, "/assets/", &[]).await.status(), 404);
    assert_eq!(get(&none, "/assets", &[]).await.status(), 404);
}

#[tokio::test]
async fn pages_that_find_their_own_way_are_sent_for_unknown_paths() {
    let directory = directory(&[("index.html", "app"), ("a.js", "js")]);
    let client = client(Files::directory(&directory).fallback("/index.html"));
    for path in ["/assets/rooms/7", "/assets/rooms/", "/assets/.hidden/x"] {
        let answer = get(&client, path, &[]).await;
        let expected = if path.contains(".hidden") { 404 } else { 200 };
        assert_eq!(answer.status(), expected, "{path}");
    }
    // A missing script does not get the fallback page.
    assert_eq!(get(&client, "/assets/b.js", &[]).await.status(), 404);
    assert_eq!(get(&client, "/assets/a.js", &[]).await.text(), "js");
}

#[tokio::test]
async fn caches_are_told_what_the_application_says() {
    let directory = directory(&[
        ("index.html", "x"),
        ("build/a.js", "x"),
        ("builder.js", "x"),
    ]);
    let files = Files::directory(&directory)
        .cache_control("public, max-age=60")
        .immutable_below("/build/");
    let client = client(files);
    for (path, expected) in [
        ("/assets/", "public, max-age=60"),
        ("/assets/builder.js", "public, max-age=60"),
        ("/assets/build/a.js", "public, max-age=31536000, immutable"),
    ] {
        let answer = get(&client, path, &[]).await;
        assert_eq!(answer.header("cache-control"), Some(expected), "{path}");
    }
}

#[tokio::test]
async fn types_can_be_added() {
    let directory = directory(&[("a.inn", "x"), ("a.txt", "x"), ("a.unknown", "x")]);
    let files = Files::directory(&directory)
        .content_type(".inn", "text/x-inn")
        .content_type("txt", "text/x-mine");
    let client = client(files);
    for (path, expected) in [
        ("/assets/a.inn", "text/x-inn"),
        ("/assets/a.txt", "text/x-mine"),
        ("/assets/a.unknown", "application/octet-stream"),
    ] {
        assert_eq!(
            get(&client, path, &[]).await.header("content-type"),
            Some(expected),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_directory_may_be_replaced_by_another() {
    let outer = directory(&[("one/a.txt", "one"), ("two/a.txt", "two")]);
    let client = client(outer.path().join("one"));
    assert_eq!(get(&client, "/assets/a.txt", &[]).await.text(), "one");
    fs::rename(outer.path().join("one"), outer.path().join("old")).unwrap();
    assert_eq!(get(&client, "/assets/a.txt", &[]).await.status(), 404);
    fs::rename(outer.path().join("two"), outer.path().join("one")).unwrap();
    assert_eq!(get(&client, "/assets/a.txt", &[]).await.text(), "two");
}

struct Api;

#[resource("/rooms")]
impl Api {
    #[get]
    fn list(&self) -> &'static str {
        "rooms"
    }
}

#[tokio::test]
async fn files_at_the_root_leave_room_for_an_api() {
    let directory = directory(&[("index.html", "top"), ("a.txt", "a")]);
    let app = App::new().files("/", directory.path());
    let client = Client::new(app.mount("/api", RestApi::new(Api))).unwrap();
    for (path, status, text) in [
        ("/", 200, "top"),
        ("/a.txt", 200, "a"),
        ("/api/rooms", 200, "rooms"),
    ] {
        let answer = get(&client, path, &[]).await;
        assert_eq!(
            (answer.status(), answer.text().as_str()),
            (status, text),
            "{path}"
        );
    }
    assert_eq!(get(&client, "/b.txt", &[]).await.status(), 404);
    assert_eq!(get(&client, "/api/none", &[]).await.status(), 404);
}

#[test]
fn what_cannot_be_served_is_said_at_the_start() {
    let directory = directory(&[("a.txt", "a")]);
    let missing = directory.path().join("none");
    let file = directory.path().join("a.txt");
    let app = App::new()
        .files("/a", missing.as_path())
        .files("/b", file.as_path())
        .files("/c", Files::directory(&directory).cache_control("a\nb"))
        .files("/d", Files::directory(&directory).content_type("x", "\0"));
    let error = app.build().unwrap_err();
    let [missing, file, cache, kind] = error.problems() else {
        panic!("{error}");
    };
    assert!(missing.ends_with("cannot be served: No such file or directory (os error 2)"));
    assert!(file.ends_with("a.txt` is not a directory"));
    assert_eq!(cache, r"`a\nb` is not a valid `Cache-Control`");
    assert_eq!(kind, r"`\0` is not a valid `Content-Type`");
}
