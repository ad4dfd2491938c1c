//! Handshakes that fail or stall before a request.

use std::time::Duration;

use super::{Wire, serve};
use crate::eventually::eventually;

/// The start of a `ClientHello` that announces more bytes than follow.
const HALF_A_HELLO: &[u8] = &[0x16, 3, 1, 1, 0, 1, 0, 0, 0xfc, 3, 3];

#[tokio::test]
async fn plain_http_is_closed_in_order() {
    let setup = serve(|server| server);
    for length in [0, 10, 1_000_000] {
        let mut wire = Wire::connect(setup.server.address).await;
        let body = "x".repeat(length);
        let request =
            format!("POST /words HTTP/1.1\r\nHost: test\r\nContent-Length: {length}\r\n\r\n{body}");
        // The server may close before the whole request is sent.
        let _ = wire.try_send(request).await;
        let answer = wire.bytes_to_the_end().await.expect("not a reset");
        // The server sends at most a TLS alert, not a response.
        assert!(answer.len() <= 7, "{answer:?}");
    }
    assert_eq!(setup.connect().await.get("/words").await.status, 200);
}

#[tokio::test]
async fn nonsense_is_closed() {
    let setup = serve(|server| server);
    for nonsense in [
        &[0_u8; 100][..],
        &[0xff; 5000],
        b"\x16\x03\x01\x00\x01\x00",
        b"\x16\x03\x01\xff\xff",
    ] {
        let mut wire = Wire::connect(setup.server.address).await;
        wire.send(nonsense).await;
        wire.half_close().await;
        wire.ended().await;
    }
    assert_eq!(setup.connect().await.get("/words").await.status, 200);
}

#[tokio::test]
async fn a_handshake_that_stalls_is_closed_and_holds_nobody_up() {
    // Long enough for one handshake on a busy machine.
    let setup = serve(|server| server.head_timeout(Duration::from_secs(2)));
    let mut stalled = Vec::new();
    for number in 0..50 {
        let mut wire = Wire::connect(setup.server.address).await;
        if number % 2 == 0 {
            wire.send(HALF_A_HELLO).await;
        }
        stalled.push(wire);
    }
    assert_eq!(setup.connect().await.get("/words").await.status, 200);
    for mut wire in stalled {
        wire.closed().await;
    }
}

#[tokio::test]
async fn a_handshake_byte_by_byte_is_late_all_the_same() {
    let setup = serve(|server| {
        server
            .head_timeout(Duration::from_millis(100))
            .idle_timeout(Duration::from_mins(1))
    });
    let mut wire = Wire::connect(setup.server.address).await;
    // Sends until the server closes the connection.
    let mut hello = HALF_A_HELLO.to_vec();
    hello.resize(256, 0);
    let mut bytes = hello.into_iter();
    eventually("the server closes or has all bytes", async || {
        match bytes.next() {
            Some(byte) => wire.try_send([byte]).await.is_err(),
            None => true,
        }
    })
    .await;
    wire.ended().await;
}

#[tokio::test]
async fn silence_after_the_handshake_is_a_late_head() {
    // Long enough for the handshake on a busy machine.
    let setup = serve(|server| {
        server
            .head_timeout(Duration::from_secs(2))
            .idle_timeout(Duration::from_mins(1))
    });
    let mut wire = setup.connect().await;
    wire.ended().await;
}

#[tokio::test]
async fn stopping_does_not_wait_for_handshakes() {
    let setup = serve(|server| {
        server
            .drain_timeout(Duration::from_mins(30))
            .head_timeout(Duration::from_mins(30))
    });
    let mut stalled = Wire::connect(setup.server.address).await;
    stalled.send(HALF_A_HELLO).await;
    // The response to this request shows that the other connection is accepted.
    setup.connect().await.get("/words").await;
    setup.server.stopped().await;
    stalled.ended().await;
}

#[tokio::test]
async fn a_client_that_does_not_trust_the_certificate_leaves_no_trace() {
    let setup = serve(|server| server.connections(1));
    let stranger = super::Authority::new("another root").client();
    for _ in 0..3 {
        let refused = super::connect(setup.server.address, "localhost", stranger.clone()).await;
        assert!(refused.is_err());
    }
    assert_eq!(setup.connect().await.get("/words").await.status, 200);
}
