//! Requests and responses, protocols, shutdown.

use std::num::NonZeroUsize;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Version};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::handshake;
use hyper_util::rt::{TokioExecutor, TokioIo};
use innkeeper_rest::{Server, Stop};
use rustls::ProtocolVersion;
use rustls::pki_types::ServerName;
use std::sync::Arc;
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::TlsConnector;

use super::certificates::{Authority, Folder};
use super::{Running, Wire, app, connect, serve, soon};

#[tokio::test]
async fn requests_are_answered_one_after_the_other() {
    let setup = serve(|server| server);
    let mut wire = setup.connect().await;
    for _ in 0..3 {
        assert_eq!(wire.get("/words").await.text(), "all words");
    }
    let (socket, connection) = wire.stream().get_ref();
    assert_eq!(
        connection.protocol_version(),
        Some(ProtocolVersion::TLSv1_3)
    );
    let peer = socket.local_addr().unwrap().to_string();
    let seen = wire.get("/words/peer").await;
    assert_eq!(seen.text().trim_matches('"'), peer);
}

#[tokio::test]
async fn handlers_know_whether_a_request_came_through_tls() {
    let setup = serve(|server| server);
    let mut wire = setup.connect().await;
    assert_eq!(wire.get("/words/encrypted").await.text(), "true");
    let plain = Running::start(app());
    let mut wire = plain.connect().await;
    assert_eq!(wire.get("/words/encrypted").await.text(), "false");
}

#[tokio::test]
async fn pipelined_requests_and_large_bodies_pass() {
    let setup = serve(|server| server);
    let mut wire = setup.connect().await;
    let large = "0123456789".repeat(100_000);
    let head = format!(
        "POST /words HTTP/1.1\r\nHost: test\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n",
        large.len()
    );
    wire.send(format!("{head}{large}")).await;
    assert_eq!(wire.answer().await.text(), large);
    wire.send("GET /words HTTP/1.1\r\nHost: test\r\n\r\n".repeat(20))
        .await;
    for _ in 0..20 {
        assert_eq!(wire.answer().await.text(), "all words");
    }
}

#[tokio::test]
async fn http2_is_agreed_upon_in_the_handshake() {
    let setup = serve(|server| server);
    let mut config = setup.authority.client();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let socket = TcpStream::connect(setup.server.address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let connector = TlsConnector::from(Arc::new(config));
    let stream = soon(connector.connect(name, socket)).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));

    let io = TokioIo::new(stream);
    let (mut send, connection) = soon(handshake(TokioExecutor::new(), io)).await.unwrap();
    let connection = tokio::spawn(connection);
    for _ in 0..3 {
        let request = Request::builder()
            .version(Version::HTTP_2)
            .uri("https://localhost/words")
            .body(Full::<Bytes>::default())
            .unwrap();
        let response = soon(send.send_request(request)).await.unwrap();
        assert_eq!(response.status(), 200);
        let body = soon(response.into_body().collect()).await.unwrap();
        assert_eq!(body.to_bytes(), "all words");
    }
    // The server sends `close_notify`; without it the client would report an error.
    setup.server.stopped().await;
    soon(connection).await.unwrap().unwrap();
}

/// Returns the protocol that is negotiated when the client offers these.
async fn agreed(offered: &[&str], http2: bool) -> Result<Option<String>, String> {
    let setup = serve(|server| server.http2(http2));
    let mut config = setup.authority.client();
    config.alpn_protocols = offered.iter().map(|name| (*name).into()).collect();
    let wire = connect(setup.server.address, "localhost", config).await;
    match wire {
        Ok(wire) => {
            let agreed = wire.stream().get_ref().1.alpn_protocol();
            Ok(agreed.map(|name| String::from_utf8_lossy(name).into_owned()))
        }
        Err(error) => Err(error.to_string()),
    }
}

#[tokio::test]
async fn protocols_are_offered_as_they_are_spoken() {
    let http1 = Ok(Some("http/1.1".to_owned()));
    assert_eq!(agreed(&["http/1.1"], true).await, http1);
    assert_eq!(agreed(&["h2", "http/1.1"], false).await, http1);
    assert_eq!(
        agreed(&["http/1.1", "h2"], true).await,
        Ok(Some("h2".into()))
    );
    assert_eq!(agreed(&[], true).await, Ok(None));
    let refused = agreed(&["spdy/3"], true).await.unwrap_err();
    assert!(refused.contains("NoApplicationProtocol"), "{refused}");
}

#[tokio::test]
async fn the_version_before_is_spoken_too() {
    let setup = serve(|server| server);
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS12])
        .unwrap()
        .with_root_certificates(setup.authority.roots())
        .with_no_client_auth();
    let wire = connect(setup.server.address, "localhost", config).await;
    assert_eq!(wire.unwrap().get("/words").await.text(), "all words");
}

#[tokio::test]
async fn every_core_encrypts() {
    let (authority, folder) = (Authority::new("root"), Folder::new());
    let tls = folder
        .tls(&authority.issue(&["localhost"]))
        .watch(Duration::from_millis(10));
    let stop = Stop::new();
    let server = Server::bind("127.0.0.1:0")
        .unwrap()
        .tls(tls)
        .stop_on(stop.clone());
    let address = server.address();
    let cores = NonZeroUsize::new(2).unwrap();
    let thread = std::thread::spawn(move || server.serve_per_core(cores, app));
    for _ in 0..8 {
        let wire = connect(address, "localhost", authority.client()).await;
        assert_eq!(wire.unwrap().get("/words").await.text(), "all words");
    }
    stop.now();
    let joined = tokio::task::spawn_blocking(|| thread.join());
    soon(joined).await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn a_unix_socket_can_be_encrypted_too() {
    let (authority, folder) = (Authority::new("root"), Folder::new());
    let tls = folder.tls(&authority.issue(&["localhost"]));
    let path = folder.path("app.sock");
    let server = Server::bind_unix(&path).unwrap().tls(tls);
    let task = tokio::spawn(server.serve(app()));
    let socket = soon(UnixStream::connect(&path)).await.unwrap();
    let connector = TlsConnector::from(Arc::new(authority.client()));
    let name = ServerName::try_from("localhost").unwrap();
    let stream = soon(connector.connect(name, socket)).await.unwrap();
    assert_eq!(Wire::over(stream).get("/words").await.text(), "all words");
    task.abort();
}

#[tokio::test]
async fn stopping_says_goodbye() {
    let setup = serve(|server| server);
    let mut idle = setup.connect().await;
    idle.get("/words").await;
    setup.server.stopped().await;
    // Without `close_notify` the client would report an unexpected end.
    assert_eq!(idle.rest().await, "");
}

#[tokio::test]
async fn silence_that_lasts_too_long_ends_with_a_goodbye() {
    let setup = serve(|server| server.idle_timeout(Duration::from_secs(2)));
    let mut idle = setup.connect().await;
    idle.get("/words").await;
    assert_eq!(idle.rest().await, "");
}

#[tokio::test]
async fn an_answer_that_is_cut_off_ends_without_a_goodbye() {
    let setup = serve(|server| server.drain_timeout(Duration::from_millis(50)));
    let mut wire = setup.connect().await;
    wire.send("GET /words/endless HTTP/1.0\r\n\r\n").await;
    assert_eq!(wire.answer_head().await.status, 200);
    let reading = tokio::spawn(async move {
        // The end of the connection ends a body without a length; here it must be an error.
        loop {
            match wire.try_read().await {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error) => return Some(error),
            }
        }
    });
    setup.server.stopped().await;
    assert!(soon(reading).await.unwrap().is_some(), "it looks complete");
}

#[tokio::test]
async fn a_request_with_connection_close_ends_with_a_goodbye() {
    let setup = serve(|server| server);
    let mut wire = setup.connect().await;
    wire.send("GET /words HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
        .await;
    assert_eq!(wire.answer().await.text(), "all words");
    assert_eq!(wire.rest().await, "");
}
