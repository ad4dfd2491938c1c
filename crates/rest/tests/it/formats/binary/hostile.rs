//! Hostile bodies: clear 4xx, no panics, and no allocation for an announced length.

use innkeeper_rest::Value;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use super::{CBOR, MSGPACK, everything, from_json, send};

/// Handlers whose types deserialize in different ways.
const PATHS: [&str; 9] = [
    "/any",
    "/everything",
    "/nested",
    "/chain",
    "/names",
    "/pair",
    "/unit",
    "/numbers",
    "/shape",
];

async fn assert_malformed(body: &[u8], format: &str, detail: &str) {
    for path in PATHS {
        let response = send(path, body.to_vec(), format, "*/*").await;
        let name = if format == CBOR {
            "CBOR"
        } else {
            "MessagePack"
        };
        let shown = body.get(..16).unwrap_or(body);
        let problem: Value = response.json().unwrap_or_default();
        assert_eq!(
            (
                response.status(),
                problem["detail"].as_str().unwrap_or_default()
            ),
            (400, format!("malformed {name}: {detail}").as_str()),
            "{path} {shown:x?}"
        );
        assert_eq!(problem["code"], "malformed_body");
    }
}

#[tokio::test]
async fn an_empty_body_is_told() {
    for (format, name) in [(CBOR, "CBOR"), (MSGPACK, "MessagePack")] {
        let response = send("/any", Vec::new(), format, "*/*").await;
        assert_eq!(response.status(), 400);
        let problem: Value = response.json().unwrap();
        assert_eq!(
            problem["detail"],
            format!("the body is empty; expected {name}")
        );
    }
}

#[tokio::test]
async fn what_is_cut_off_anywhere_is_told() {
    let sent = everything();
    for format in [CBOR, MSGPACK] {
        let whole = from_json("/everything", &sent, format).await;
        for length in 1..whole.len() {
            let response = send("/everything", whole[..length].to_vec(), format, "*/*").await;
            assert_eq!(response.status(), 400, "{format} {length}");
        }
    }
    assert_malformed(b"\x82\x01", CBOR, "the body ends too early").await;
    assert_malformed(b"\x9f\x01", CBOR, "the body ends too early").await;
    assert_malformed(b"\x92\x01", MSGPACK, "the body ends too early").await;
}

#[tokio::test]
async fn bytes_after_the_value_are_told() {
    assert_malformed(b"\x01\x02", CBOR, "unexpected bytes after the value").await;
    assert_malformed(b"\x01\x02", MSGPACK, "unexpected bytes after the value").await;
}

#[tokio::test]
async fn what_is_nested_too_deep_is_told() {
    let deep = "nested more than 128 levels deep";
    for count in [129, 1_000, 500_000] {
        let repeated = |start: &[u8]| start.repeat(count / start.len());
        for start in [
            &b"\x81"[..],
            b"\x9f",
            b"\xa1\x61a",
            b"\xbf\x61a",
            b"\xa1\x64Next",
        ] {
            if count / start.len() > 128 {
                assert_malformed(&repeated(start), CBOR, deep).await;
            }
        }
        for start in [&b"\x91"[..], b"\xdc\x00\x01", b"\x81\xa1a", b"\x81\xa4Next"] {
            if count / start.len() > 128 {
                assert_malformed(&repeated(start), MSGPACK, deep).await;
            }
        }
    }
}

#[tokio::test]
async fn what_is_nested_as_deep_as_allowed_is_read() {
    for (format, list, end) in [(CBOR, b"\x81", b"\x80"), (MSGPACK, b"\x91", b"\x90")] {
        let mut body = list.repeat(127);
        body.extend_from_slice(end);
        assert_eq!(
            send("/any", body, format, "*/*").await.status(),
            200,
            "{format}"
        );
    }
}

#[tokio::test]
async fn tags_upon_tags_are_no_depth() {
    let mut body = vec![0xc6; 500_000];
    body.push(0x01);
    assert_eq!(send("/any", body, CBOR, "*/*").await.status(), 200);
    assert_malformed(&vec![0xc6; 500_000], CBOR, "the body ends too early").await;
}

#[tokio::test]
async fn lengths_that_are_promised_are_not_believed() {
    for body in [
        &b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff"[..],
        b"\x9b\x00\x00\x00\xff\xff\xff\xff\xff\x01",
        b"\xbb\x7f\xff\xff\xff\xff\xff\xff\xff\x61a\x01",
        b"\x7b\x7f\xff\xff\xff\xff\xff\xff\xffabc",
        b"\x5b\x00\x00\x00\xff\xff\xff\xff\xffabc",
        b"\x7f\x7b\x00\x00\x00\xff\xff\xff\xff\xffabc",
    ] {
        assert_malformed(body, CBOR, "the body ends too early").await;
    }
    for body in [
        &b"\xdd\xff\xff\xff\xff"[..],
        b"\xdd\xff\xff\xff\xff\x01",
        b"\xdf\xff\xff\xff\xff\xa1a\x01",
        b"\xdb\xff\xff\xff\xffabc",
        b"\xc6\xff\xff\xff\xffabc",
        b"\xc9\xff\xff\xff\xff\x01abc",
    ] {
        assert_malformed(body, MSGPACK, "the body ends too early").await;
    }
}

#[tokio::test]
async fn bytes_without_a_meaning_are_told() {
    let nothing = "unexpected byte";
    for body in [
        &b"\xff"[..],
        b"\x1c",
        b"\xf8\x18",
        b"\x81\xff",
        b"\xfc",
        b"\x3f",
    ] {
        assert_malformed(body, CBOR, nothing).await;
    }
    assert_malformed(b"\x61\xff", CBOR, "a text is not UTF-8").await;
    assert_malformed(b"\x7f\x7f\xff\xff", CBOR, "a string has no length").await;
    assert_malformed(b"\xc1", MSGPACK, nothing).await;
    // MessagePack strings may hold any bytes; a type that expects text refuses them.
    let response = send("/shape", b"\xa1\xff".to_vec(), MSGPACK, "*/*").await;
    assert_eq!(response.status(), 422);
}

#[tokio::test]
async fn keys_that_are_there_twice_are_read_as_in_json() {
    let json = br#"{"a":1,"a":2}"#.to_vec();
    for (body, format) in [
        (json, "application/json"),
        (b"\xa2\x61a\x01\x61a\x02".to_vec(), CBOR),
        (b"\x82\xa1a\x01\xa1a\x02".to_vec(), MSGPACK),
    ] {
        // In a map, the last value of a key counts.
        let response = send("/names", body, format, "application/json").await;
        assert_eq!(
            response.json::<Value>().unwrap(),
            json!({"a": 2}),
            "{format}"
        );
    }
    for (body, format) in [
        (
            br#"{"children":[],"children":[]}"#.to_vec(),
            "application/json",
        ),
        (b"\xa2\x68children\x80\x68children\x80".to_vec(), CBOR),
        (b"\x82\xa8children\x90\xa8children\x90".to_vec(), MSGPACK),
    ] {
        // A field must not be repeated.
        let response = send("/nested", body, format, "*/*").await;
        assert_eq!(response.status(), 422, "{format}");
        assert!(
            response.text().contains("duplicate field `children`"),
            "{format}"
        );
    }
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused() {
    for format in [CBOR, MSGPACK] {
        let response = send("/any", vec![0x80; 1024 * 1024 + 1], format, "*/*").await;
        assert_eq!(response.status(), 413, "{format}");
    }
}

proptest! {
    /// A changed document is read, refused for its shape or refused for its syntax.
    #[test]
    fn changed_documents_are_read_or_refused(
        place in any::<prop::sample::Index>(),
        bytes in vec(any::<u8>(), 0..9),
        removed in 0_usize..9,
        path in prop::sample::select(PATHS.to_vec()),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            for format in [CBOR, MSGPACK] {
                let mut body = from_json("/everything", &everything(), format).await;
                let start = place.index(body.len());
                let end = (start + removed).min(body.len());
                body.splice(start..end, bytes.clone());
                let status = send(path, body, format, "*/*").await.status();
                prop_assert!(matches!(status, 200 | 400 | 422), "{}", status);
            }
            Ok(())
        })?;
    }

    #[test]
    fn any_bytes_are_read_or_refused(
        body in vec(any::<u8>(), 0..200),
        path in prop::sample::select(PATHS.to_vec()),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            for format in [CBOR, MSGPACK] {
                let status = send(path, body.clone(), format, "*/*").await.status();
                prop_assert!(matches!(status, 200 | 400 | 422), "{}", status);
            }
            Ok(())
        })?;
    }
}
