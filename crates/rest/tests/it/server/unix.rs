//! Unix sockets: the file and its permissions, and clients without an address.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;

use innkeeper_rest::filter::{ClientAddress, TrustedProxies};
use innkeeper_rest::{App, Endpoint, Request, RestApi, ServeError, Server, Stop, resource};
use tokio::net::UnixStream;

use super::wire::{Wire, soon};
use crate::eventually::eventually;

struct Callers;

#[resource("/callers")]
impl Callers {
    #[get]
    fn list(&self) -> &'static str {
        "all callers"
    }

    #[get("/me")]
    fn me(&self, #[request] request: &Request, #[value] client: Option<ClientAddress>) -> String {
        let client = client.map(|client| client.0.to_string());
        format!("{:?} {}", request.peer(), client.unwrap_or_default())
    }
}

fn app() -> App {
    App::new().mount("/", RestApi::new(Callers))
}

async fn connect(path: &Path) -> Wire<UnixStream> {
    Wire::over(soon(UnixStream::connect(path)).await.unwrap())
}

fn text(error: &ServeError, path: &Path) -> String {
    let text = error.to_string();
    let start = format!("cannot listen on {}: ", path.display());
    let fault = text.strip_prefix(&start);
    fault.expect(&text).to_owned()
}

#[tokio::test]
async fn requests_are_answered_and_the_file_goes_with_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.sock");
    let stop = Stop::new();
    let server = Server::bind_unix(&path).unwrap().stop_on(stop.clone());
    assert_eq!(server.endpoint(), Endpoint::Unix(path.clone()));
    assert_eq!(
        server.endpoint().to_string(),
        format!("unix:{}", path.display())
    );
    let task = tokio::spawn(server.serve(app()));
    let mut wire = connect(&path).await;
    for _ in 0..3 {
        assert_eq!(wire.get("/callers").await.text(), "all callers");
    }
    assert_eq!(wire.get("/callers/me").await.text(), "None ");
    stop.now();
    assert_eq!(wire.rest().await, "");
    soon(task).await.unwrap().unwrap();
    assert!(!path.exists());
}

#[test]
fn the_file_goes_when_all_cores_have_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.sock");
    let stop = Stop::new();
    let server = Server::bind_unix(&path).unwrap().stop_on(stop.clone());
    stop.now();
    let cores = std::num::NonZeroUsize::new(2).unwrap();
    server.serve_per_core(cores, app).unwrap();
    assert!(!path.exists());
}

#[tokio::test]
async fn only_our_own_user_may_connect_unless_it_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.sock");
    let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    let server = Server::bind_unix(&path).unwrap();
    assert_eq!(mode(), 0o600);
    let server = server.socket_mode(0o660).unwrap();
    assert_eq!(mode(), 0o660);
    drop(server);
    assert!(!path.exists());
    let error = Server::bind("127.0.0.1:0").unwrap().socket_mode(0o660);
    assert!(matches!(error, Err(ServeError::Listen(..))));
}

#[tokio::test]
async fn a_file_that_was_left_behind_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.sock");
    drop(UnixListener::bind(&path).unwrap());
    assert!(path.exists(), "as after a crash");
    let server = Server::bind_unix(&path).unwrap();
    let task = tokio::spawn(server.serve(app()));
    assert_eq!(connect(&path).await.get("/callers").await.status, 200);
    task.abort();
    eventually("the socket is removed", async || !path.exists()).await;
}

#[tokio::test]
async fn a_socket_somebody_listens_on_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.sock");
    let first = tokio::spawn(Server::bind_unix(&path).unwrap().serve(app()));
    let error = Server::bind_unix(&path).unwrap_err();
    assert_eq!(text(&error, &path), "another process listens on it");
    assert_eq!(connect(&path).await.get("/callers").await.status, 200);
    first.abort();
}

#[test]
fn many_that_start_at_once_end_with_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.sock");
    for _ in 0..20 {
        drop(UnixListener::bind(&path).unwrap());
        let servers: Vec<_> = std::thread::scope(|scope| {
            let starting: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| Server::bind_unix(&path)))
                .collect();
            starting
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        assert_eq!(servers.iter().filter(|server| server.is_ok()).count(), 1);
        assert!(std::os::unix::net::UnixStream::connect(&path).is_ok());
    }
}

#[test]
fn what_is_no_socket_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("letter.txt");
    std::fs::write(&path, "dear reader").unwrap();
    let error = Server::bind_unix(&path).unwrap_err();
    assert_eq!(text(&error, &path), "the file exists and is not a socket");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "dear reader");
    let error = Server::bind_unix(folder.path()).unwrap_err();
    assert_eq!(
        text(&error, folder.path()),
        "the file exists and is not a socket"
    );
    let nowhere = folder.path().join("nowhere/app.sock");
    let error = Server::bind_unix(&nowhere).unwrap_err();
    assert!(
        text(&error, &nowhere).starts_with("No such file"),
        "{error}"
    );
    let long = folder.path().join("x".repeat(200));
    let error = Server::bind_unix(&long).unwrap_err();
    assert!(text(&error, &long).contains("path"), "{error}");
}

#[tokio::test]
async fn a_file_that_took_its_place_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.sock");
    let server = Server::bind_unix(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let second = Server::bind_unix(&path).unwrap();
    drop(server);
    assert!(path.exists());
    drop(second);
    assert!(!path.exists());
}

#[tokio::test]
async fn a_listener_of_somebody_else_keeps_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let stop = Stop::new();
    let server = Server::from_unix_listener(listener).unwrap();
    let task = tokio::spawn(server.stop_on(stop.clone()).serve(app()));
    assert_eq!(connect(&path).await.get("/callers").await.status, 200);
    stop.now();
    soon(task).await.unwrap().unwrap();
    assert!(path.exists());
}

/// Returns the peer and the client that a server with these trusted proxies sees.
async fn seen(trusted: &[&str], forwarded: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.sock");
    let app = app().filter(TrustedProxies::new(trusted).unwrap());
    let task = tokio::spawn(Server::bind_unix(&path).unwrap().serve(app));
    let mut wire = connect(&path).await;
    wire.send(format!(
        "GET /callers/me HTTP/1.1\r\nHost: test\r\n{forwarded}\r\n"
    ))
    .await;
    let answer = wire.answer().await.text().to_owned();
    task.abort();
    answer
}

#[tokio::test]
async fn a_proxy_on_the_socket_can_be_trusted() {
    let header = "X-Forwarded-For: 203.0.113.9, 198.51.100.7\r\n";
    assert_eq!(seen(&["unix"], header).await, "None 198.51.100.7");
    assert_eq!(
        seen(&["unix", "198.51.100.0/24"], header).await,
        "None 203.0.113.9"
    );
    assert_eq!(seen(&["unix"], "").await, "None ");
    assert_eq!(seen(&["unix"], "X-Forwarded-For: me\r\n").await, "None ");
    assert_eq!(seen(&["10.0.0.0/8"], header).await, "None ");
}
