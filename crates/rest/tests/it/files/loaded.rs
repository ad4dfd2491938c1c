//! Directories loaded into memory.

use std::fs;

use innkeeper_rest::{App, ETag, Files};

use super::{client, directory, get, write};

#[tokio::test]
async fn a_loaded_directory_is_sent_as_it_was_at_the_start() {
    let directory = directory(&[
        ("index.html", "top"),
        ("js/a.js", "plain"),
        ("js/a.js.br", "brotli"),
        (".env", "secret"),
        (".git/config", "secret"),
    ]);
    let client = client(Files::loaded(&directory));
    write(directory.path(), "index.html", "changed");
    fs::remove_file(directory.path().join("js/a.js")).unwrap();

    let top = get(&client, "/assets/", &[]).await;
    assert_eq!((top.status(), top.text().as_str()), (200, "top"));
    assert_eq!(top.header("etag"), Some(ETag::of("top").as_str()));
    let modified = top.header("last-modified").unwrap();
    let known = get(&client, "/assets/", &[("if-modified-since", modified)]).await;
    assert_eq!(known.status(), 304);
    let script = get(&client, "/assets/js/a.js", &[("accept-encoding", "br")]).await;
    assert_eq!(script.text(), "brotli");
    for path in [
        "/assets/.env",
        "/assets/.git/config",
        "/assets/js",
        "/assets/js/",
    ] {
        assert_eq!(get(&client, path, &[]).await.status(), 404, "{path}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn links_are_loaded_from_the_inside_only() {
    use std::os::unix::fs::symlink;

    let outer = directory(&[("secret.txt", "secret"), ("inner/sub/a.txt", "a")]);
    let inner = outer.path().join("inner");
    symlink("../secret.txt", inner.join("out.txt")).unwrap();
    symlink("..", inner.join("sub/up")).unwrap();
    symlink("sub/a.txt", inner.join("same.txt")).unwrap();
    let client = client(Files::loaded(&inner));
    for (path, status) in [
        ("/assets/out.txt", 404),
        ("/assets/sub/up/same.txt", 404),
        ("/assets/same.txt", 200),
        ("/assets/sub/a.txt", 200),
    ] {
        assert_eq!(get(&client, path, &[]).await.status(), status, "{path}");
    }
}

#[test]
fn a_directory_that_is_none_is_said_at_the_start() {
    let directory = directory(&[]);
    let missing = directory.path().join("none");
    let error = App::new().files("/", Files::loaded(missing)).build();
    assert!(error.unwrap_err().problems()[0].contains("cannot be served"));
}
