use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;
use crate::testing::HeldPort;

/// Starts a server that sends the same bytes on every connection, or stays silent if there are none.
async fn server(answer: Vec<u8>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let answer = answer.clone();
            tokio::spawn(async move {
                let mut head = [0; 4096];
                let _ = stream.read(&mut head).await;
                if answer.is_empty() {
                    // Silent until the client gives up.
                    let _ = stream.read(&mut head).await;
                }
                let _ = stream.write_all(&answer).await;
            });
        }
    });
    address
}

fn url(text: &str) -> Url {
    text.parse().unwrap()
}

fn public(allowed: &[&str]) -> Outbound {
    let allowed_hosts = allowed.iter().map(|host| (*host).to_owned()).collect();
    let reach = Reach::Public { allowed_hosts };
    Outbound::new(OutboundOptions {
        reach,
        ..OutboundOptions::default()
    })
    .unwrap()
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_is_not_followed() {
    let address = server(
        b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 2\r\n\r\nhi"
            .to_vec(),
    )
    .await;
    let outbound = Outbound::new(OutboundOptions::default()).unwrap();
    let answer = outbound
        .get(&url(&format!("http://{address}/")))
        .await
        .unwrap();
    assert_eq!(answer.status, 302);
    assert_eq!(answer.headers["location"], "http://127.0.0.1:1/");
    assert_eq!(answer.body, b"hi");
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_refused_while_it_comes() {
    let mut endless = b"HTTP/1.1 200 OK\r\ncontent-length: 999999999\r\n\r\n".to_vec();
    endless.resize(endless.len() + 4000, b'x');
    let address = server(endless).await;
    let outbound = Outbound::new(OutboundOptions {
        max_response: 1000,
        ..OutboundOptions::default()
    })
    .unwrap();
    let error = outbound
        .get(&url(&format!("http://{address}/")))
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "the response is longer than 1000 bytes");
}

#[tokio::test]
async fn a_silent_server_is_given_up() {
    let address = server(Vec::new()).await;
    let outbound = Outbound::new(OutboundOptions {
        timeout: Duration::from_millis(100),
        ..OutboundOptions::default()
    })
    .unwrap();
    let error = outbound
        .get(&url(&format!("http://{address}/?secret=1")))
        .await
        .unwrap_err();
    assert!(error.is_timeout(), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("secret"));
}

#[tokio::test]
async fn nobody_at_the_address_is_told_apart_from_a_broken_exchange() {
    let nobody = HeldPort::take().unwrap();
    let outbound = Outbound::new(OutboundOptions::default()).unwrap();
    let error = outbound
        .get(&url(&format!("http://{}/", nobody.address())))
        .await
        .unwrap_err();
    assert!(error.is_connect(), "{error:?}");

    let address = server(b"no HTTP at all\r\n\r\n".to_vec()).await;
    let error = outbound
        .get(&url(&format!("http://{address}/")))
        .await
        .unwrap_err();
    assert!(!error.is_connect() && !error.is_timeout(), "{error:?}");
}

#[tokio::test]
async fn only_public_hosts_and_named_ones_are_asked_for_strangers() {
    let address = server(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".to_vec()).await;
    let port = address.port();
    for host in [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "10.0.0.1",
        "0x7f.1",
    ] {
        let error = public(&[])
            .get(&url(&format!("http://{host}:{port}/")))
            .await
            .unwrap_err();
        assert!(
            matches!(error, OutboundError::NotPublic),
            "{host}: {error:?}"
        );
    }
    for host in ["127.0.0.1", "localhost"] {
        let answer = public(&["127.0.0.1", "LOCALHOST"])
            .get(&url(&format!("http://{host}:{port}/")))
            .await
            .unwrap();
        assert_eq!(answer.status, 200, "{host}");
    }
}

#[tokio::test]
async fn only_web_addresses_are_asked() {
    let outbound = Outbound::new(OutboundOptions::default()).unwrap();
    for address in ["file:///etc/passwd", "ftp://localhost/", "data:,x"] {
        let error = outbound.get(&url(address)).await.unwrap_err();
        assert!(matches!(error, OutboundError::Address), "{address}");
    }
}

#[test]
fn addresses_of_this_machine_and_of_networks_behind_it_are_not_public() {
    for address in [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.2.1",
        "192.168.0.1",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.9",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "2001:db8::1",
        "2001::1",
        "2002:7f00:1::",
        "3fff::1",
        "fc00::1",
        "fd12::1",
        "fe80::1",
        "ff02::1",
    ] {
        assert!(!is_public(address.parse().unwrap()), "{address}");
    }
    for address in [
        "1.1.1.1",
        "100.63.0.1",
        "100.128.0.1",
        "172.32.0.1",
        "192.0.1.1",
        "198.20.0.1",
        "223.255.255.255",
        "2606:4700::1111",
        "2001:4860::8888",
        "::ffff:1.1.1.1",
        "64:ff9b::101:101",
    ] {
        assert!(is_public(address.parse().unwrap()), "{address}");
    }
}
