//! Paths that try to escape from the directory.

use std::fs;

use innkeeper_rest::{App, Files};

use super::{client, directory, get};
use crate::server::wire::Running;

#[tokio::test]
async fn no_path_leads_out_of_the_directory() {
    let outer = directory(&[("secret.txt", "secret"), ("inner/a.txt", "a")]);
    let app = App::new().files("/assets", outer.path().join("inner"));
    let server = Running::start(app);
    for path in [
        "/assets/../secret.txt",
        "/assets/%2e%2e/secret.txt",
        "/assets/%2E%2E%2Fsecret.txt",
        "/assets/..%2fsecret.txt",
        "/assets/..%5csecret.txt",
        "/assets/..\\secret.txt",
        "/assets/.%2e/secret.txt",
        "/assets/%252e%252e/secret.txt",
        "/assets/a.txt/../../secret.txt",
        "/assets/./../secret.txt",
        "/assets/....//secret.txt",
        "/assets//etc/passwd",
        "/assets/%2fetc%2fpasswd",
        "/assets/%00",
        "/assets/a.txt%00.html",
        "/assets/a.txt%0a",
        "/assets/%c0%ae%c0%ae/secret.txt",
        "/assets/%ff%fe",
        "/assets/%",
        "/assets/%2",
        "/assets/file:///etc/passwd",
    ] {
        let mut wire = server.connect().await;
        let answer = wire.get(path).await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(!answer.text().contains("secret\n"), "{path}");
    }
    let mut wire = server.connect().await;
    assert_eq!(wire.get("/assets/a.txt").await.text(), "a");
    assert_eq!(wire.get("/assets/%61%2etxt").await.text(), "a");
    let long = format!("/assets/{}", "x".repeat(4000));
    assert_eq!(wire.get(&long).await.status, 404);
    server.stopped().await;
}

#[tokio::test]
async fn hidden_files_are_sent_only_if_asked_for() {
    let directory = directory(&[
        (".env", "secret"),
        (".git/config", "secret"),
        (".well-known/security.txt", "contact"),
    ]);
    let usual = client(directory.path());
    for (path, status) in [
        ("/assets/.env", 404),
        ("/assets/%2eenv", 404),
        ("/assets/.git/config", 404),
        ("/assets/.well-known/security.txt", 200),
    ] {
        assert_eq!(get(&usual, path, &[]).await.status(), status, "{path}");
    }
    let hidden = client(Files::directory(&directory).hidden());
    assert_eq!(get(&hidden, "/assets/.env", &[]).await.status(), 200);
}

#[cfg(unix)]
#[tokio::test]
async fn links_are_followed_to_the_inside_only() {
    use std::os::unix::fs::symlink;

    let outer = directory(&[
        ("secret.txt", "secret"),
        ("elsewhere/b.txt", "b"),
        ("inner/a.txt", "a"),
        ("inner/sub/c.txt", "c"),
    ]);
    let inner = outer.path().join("inner");
    symlink("a.txt", inner.join("same.txt")).unwrap();
    symlink(inner.join("sub"), inner.join("absolute")).unwrap();
    symlink("../secret.txt", inner.join("out.txt")).unwrap();
    symlink(outer.path().join("elsewhere"), inner.join("out")).unwrap();
    symlink("loop", inner.join("loop")).unwrap();
    symlink("nowhere", inner.join("dangling")).unwrap();

    let usual = client(inner.as_path());
    let following = client(Files::directory(&inner).follow_links());
    for (path, inside, anywhere) in [
        ("/assets/same.txt", Some("a"), Some("a")),
        ("/assets/absolute/c.txt", Some("c"), Some("c")),
        ("/assets/out.txt", None, Some("secret")),
        ("/assets/out/b.txt", None, Some("b")),
        ("/assets/loop", None, None),
        ("/assets/loop/x", None, None),
        ("/assets/dangling", None, None),
    ] {
        for (client, expected) in [(&usual, inside), (&following, anywhere)] {
            let answer = get(client, path, &[]).await;
            let text = answer.text();
            let found = (answer.status() == 200).then_some(text.as_str());
            assert_eq!(found, expected, "{path}");
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_no_file_is_not_opened() {
    let directory = directory(&[("a.txt", "a")]);
    let pipe = directory.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let client = client(directory.path());
    // Opening a pipe would wait for a writer.
    assert_eq!(get(&client, "/assets/pipe", &[]).await.status(), 404);
    fs::remove_file(pipe).unwrap();
}
