//! Valid and invalid frames.

use super::app;
use super::wire::{BINARY, CLOSE, Caller, PING, PONG, TEXT, frame, head, serve, whole};

const FINAL: u8 = 0x80;

#[tokio::test]
async fn messages_of_every_size_and_kind_arrive_whole() {
    let server = serve(app());
    let mut caller = Caller::open(&server, "/rooms/1/echo").await;
    for length in [0, 1, 125, 126, 399, 400] {
        let text = "x".repeat(length);
        caller.send(whole(TEXT, &text)).await;
        assert_eq!(caller.frame().await, (TEXT, text.clone().into_bytes()));
        caller.send(whole(BINARY, &text)).await;
        assert_eq!(caller.frame().await, (BINARY, text.into_bytes()));
    }
    caller.bye().await;
}

#[tokio::test]
async fn a_message_in_pieces_arrives_in_one() {
    let server = serve(app());
    let mut caller = Caller::open(&server, "/rooms/1/echo").await;
    // A character may be split between frames, with a ping between them.
    caller.send(frame(TEXT, b"gr\xc3")).await;
    caller.send(frame(0, b"")).await;
    caller.send(whole(PING, "still there?")).await;
    caller.send(frame(FINAL, b"\xbcn")).await;
    assert_eq!(caller.frame().await, (PONG, b"still there?".to_vec()));
    assert_eq!(caller.text().await, "grün");
    // A frame may arrive byte by byte.
    for byte in whole(TEXT, "slowly") {
        caller.send([byte]).await;
    }
    assert_eq!(caller.text().await, "slowly");
    // Many frames may arrive at once.
    let many: Vec<u8> = (0..50).flat_map(|n| whole(TEXT, format!("{n}"))).collect();
    caller.send(many).await;
    for n in 0..50 {
        assert_eq!(caller.text().await, n.to_string());
    }
}

#[tokio::test]
async fn what_breaks_the_rules_closes_the_websocket_with_a_code_that_says_so() {
    let server = serve(app());
    let mut unmasked = whole(TEXT, "");
    unmasked[1] = 0;
    unmasked.truncate(2);
    let split_large: Vec<u8> = [frame(TEXT, &[b'x'; 400]), frame(0, &[b'x'; 400])]
        .into_iter()
        .chain([frame(FINAL, &[b'x'; 201])])
        .flatten()
        .collect();
    let cases: [(&str, Vec<u8>, u16); 20] = [
        ("a frame that is too large", head(FINAL | TEXT, 401), 1009),
        (
            "one far too large",
            head(FINAL | BINARY, usize::MAX >> 1),
            1009,
        ),
        ("a message too large in pieces", split_large, 1009),
        ("a text that is not UTF-8", whole(TEXT, b"\xff"), 1007),
        ("half a character", whole(TEXT, b"\xc3"), 1007),
        ("a surrogate", whole(TEXT, b"\xed\xa0\x80"), 1007),
        (
            "not UTF-8 in the second piece",
            [frame(TEXT, b"ok"), frame(FINAL, b"\xfe")].concat(),
            1007,
        ),
        ("no mask", unmasked, 1002),
        ("a reserved bit", frame(0xc0 | TEXT, b"x"), 1002),
        ("an unknown kind of data", whole(3, "x"), 1002),
        ("an unknown kind of control", whole(11, "x"), 1002),
        ("a piece without a beginning", frame(FINAL, b"x"), 1002),
        (
            "a beginning in the middle",
            [frame(TEXT, b"a"), frame(TEXT, b"b")].concat(),
            1002,
        ),
        ("a ping in pieces", frame(PING, b"x"), 1002),
        ("a ping that is too large", whole(PING, [0; 126]), 1002),
        ("a close that is too large", whole(CLOSE, [3; 126]), 1002),
        ("half a code", whole(CLOSE, [3]), 1002),
        ("a code that is none", whole(CLOSE, [0, 7]), 1002),
        (
            "a code that is never sent",
            whole(CLOSE, 1006_u16.to_be_bytes()),
            1002,
        ),
        (
            "a reason that is not UTF-8",
            whole(CLOSE, [3, 0xe8, 0xff]),
            1007,
        ),
    ];
    for (what, bytes, code) in cases {
        let mut caller = Caller::open(&server, "/rooms/1/echo").await;
        caller.send(bytes).await;
        assert_eq!(caller.close().await.0, code, "{what}");
        // The connection is closed without a reset, so that the code arrives.
        assert_eq!(caller.wire.rest().await, "", "{what}");
    }
}

#[tokio::test]
async fn a_close_is_answered_with_its_own_code() {
    let server = serve(app());
    for (payload, code) in [
        (&[0x03, 0xe8][..], 1000),
        (&[0x03, 0xe9, b'b', b'y', b'e'], 1001),
        (&[0x0f, 0xa0], 4000),
    ] {
        let mut caller = Caller::open(&server, "/rooms/1/echo").await;
        caller.send(whole(CLOSE, payload)).await;
        assert_eq!(caller.close().await.0, code);
        assert_eq!(caller.wire.rest().await, "");
    }
    let mut caller = Caller::open(&server, "/rooms/1/echo").await;
    caller.send(whole(CLOSE, "")).await;
    assert_eq!(caller.frame().await, (CLOSE, Vec::new()));
    assert_eq!(caller.wire.rest().await, "");
}
