//! The same documents in all formats.

use innkeeper_rest::Value;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::json;

use super::{CBOR, Everything, MSGPACK, everything, from_json, send, to_json};

#[tokio::test]
async fn everything_survives_both_ways() {
    let sent = everything();
    let expected = serde_json::to_value(&sent).unwrap();
    for format in [CBOR, MSGPACK] {
        let bytes = from_json("/everything", &sent, format).await;
        assert_eq!(
            to_json("/everything", bytes, format).await,
            expected,
            "{format}"
        );
    }
}

#[tokio::test]
async fn other_writers_are_understood() {
    let sent = everything();
    let expected = serde_json::to_value(&sent).unwrap();
    // Structs as maps, as any client sends them.
    let bytes = rmp_serde::to_vec_named(&json!(sent)).unwrap();
    assert_eq!(to_json("/everything", bytes, MSGPACK).await, expected);
    // cbor4ii writes unit values as empty lists, so `any` holds no null here.
    let mut plain = sent.clone();
    plain.any = json!({"list": [1, "a", {}]});
    let mut written = cbor4ii::serde::to_vec(Vec::new(), &plain).unwrap();
    // It writes addresses in binary form; clients send text.
    let address = cbor4ii::serde::to_vec(Vec::new(), &plain.address).unwrap();
    let text = cbor4ii::serde::to_vec(Vec::new(), &"127.0.0.1").unwrap();
    let at = written
        .windows(address.len())
        .position(|part| part == address)
        .unwrap();
    written.splice(at..at + address.len(), text);
    let expected = serde_json::to_value(&plain).unwrap();
    assert_eq!(to_json("/everything", written, CBOR).await, expected);
}

#[tokio::test]
async fn other_readers_understand() {
    let sent = json!({"null": null, "list": [null, true, -1, 1.5, "ü", {}], "large": u64::MAX});
    let bytes = from_json("/any", &sent, CBOR).await;
    assert_eq!(cbor4ii::serde::from_slice::<Value>(&bytes).unwrap(), sent);
    let bytes = from_json("/any", &sent, MSGPACK).await;
    assert_eq!(rmp_serde::from_slice::<Value>(&bytes).unwrap(), sent);
}

#[tokio::test]
async fn fields_have_names_and_texts_are_texts() {
    let sent = everything();
    for (format, address) in [
        (CBOR, b"\x67address\x69127.0.0.1"),
        (MSGPACK, b"\xa7address\xa9127.0.0.1"),
    ] {
        let bytes = from_json("/everything", &sent, format).await;
        let has = |part: &[u8]| bytes.windows(part.len()).any(|found| found == part);
        assert!(has(b"textField") && has(address), "{format}");
        let octets: &[u8] = if format == CBOR {
            b"octets\x43\0\xff\x80"
        } else {
            b"octets\xc4\x03\0\xff\x80"
        };
        // They arrive in JSON as a list of numbers and are sent as bytes.
        assert!(has(octets), "{format}");
    }
}

#[tokio::test]
async fn exact_bytes() {
    for (value, cbor, msgpack) in [
        (json!(null), vec![0xf6], vec![0xc0]),
        (json!([]), vec![0x80], vec![0x90]),
        (
            json!({"a": [1, -1]}),
            b"\xa1\x61a\x82\x01\x20".to_vec(),
            b"\x81\xa1a\x92\x01\xff".to_vec(),
        ),
        (
            json!(1.5),
            b"\xfb\x3f\xf8\0\0\0\0\0\0".to_vec(),
            b"\xcb\x3f\xf8\0\0\0\0\0\0".to_vec(),
        ),
    ] {
        assert_eq!(from_json("/any", &value, CBOR).await, cbor, "{value}");
        assert_eq!(from_json("/any", &value, MSGPACK).await, msgpack, "{value}");
    }
}

#[tokio::test]
async fn other_spellings_of_cbor_are_read() {
    for (path, bytes, expected) in [
        // Lists, maps and strings of indefinite length.
        (
            "/any",
            &b"\x9f\x01\x7f\x61a\x61b\xff\xbf\x61k\xf7\xff\xff"[..],
            json!([1, "ab", {"k": null}]),
        ),
        // Tags: a date, a number of seconds, self-described CBOR.
        (
            "/any",
            b"\xd9\xd9\xf7\x82\xc0\x61d\xc1\x05",
            json!(["d", 5]),
        ),
        // Floats of 16 and 32 bits.
        (
            "/numbers",
            b"\x83\xf9\x3e\x00\xfa\x40\x20\0\0\x01",
            json!([1.5, 2.5, 1.0]),
        ),
        (
            "/large",
            b"\xc2\x49\x01\0\0\0\0\0\0\0\0",
            json!("18446744073709551616"),
        ),
        ("/unit", b"\x80", json!("unit")),
        ("/unit", b"\xf6", json!("unit")),
        ("/shape", b"\x65Point", json!("Point")),
        ("/shape", b"\xa1\x65Point\xf6", json!("Point")),
        (
            "/shape",
            b"\xbf\x64Line\x9f\x01\x02\xff\xff",
            json!({"Line": [1, 2]}),
        ),
        (
            "/names",
            b"\xa2\x61a\x01\x61b\xf6",
            json!({"a": 1, "b": null}),
        ),
    ] {
        assert_eq!(
            to_json(path, bytes.to_vec(), CBOR).await,
            expected,
            "{bytes:x?}"
        );
    }
}

#[tokio::test]
async fn a_wrong_shape_is_told_with_its_place() {
    let mut wrong = serde_json::to_value(everything()).unwrap();
    wrong["shapes"][3] = json!({"Box": {"width": "wide", "height": 1}});
    for (format, told) in [
        (CBOR, "invalid type: string \"wide\", expected u32"),
        (MSGPACK, "invalid type: string"),
    ] {
        let bytes = from_json("/any", &wrong, format).await;
        let response = send("/everything", bytes, format, "*/*").await;
        assert_eq!(response.status(), 422, "{format}");
        let problem: Value = response.json().unwrap();
        assert_eq!(
            problem["errors"][0]["pointer"], "/shapes/3/width",
            "{format}"
        );
        let detail = problem["errors"][0]["detail"].as_str().unwrap();
        assert_eq!(detail, told, "{format}");
        assert_eq!(
            response.header("content-type"),
            Some("application/problem+json"),
            "problem details have no form of their own in other formats"
        );
    }
}

#[tokio::test]
async fn too_many_and_too_few_items_are_told() {
    for (format, many, few) in [
        (CBOR, &b"\x83\x01\x02\x03"[..], &b"\x81\x01"[..]),
        (MSGPACK, b"\x93\x01\x02\x03", b"\x91\x01"),
    ] {
        for body in [many, few] {
            let response = send("/pair", body.to_vec(), format, "*/*").await;
            assert_eq!(response.status(), 422, "{format} {body:?}");
        }
    }
}

/// Generates JSON with the numbers that JSON can distinguish.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        // Fractions that the JSON reader reads exactly.
        any::<i32>().prop_map(|number| Value::from(f64::from(number) / 8.0)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            btree_map(any::<String>(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    /// A document in either format is read back unchanged, also by other libraries.
    #[test]
    fn documents_survive(value in any_json()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            // The value as the JSON reader returns it.
            let value: Value = serde_json::from_slice(&serde_json::to_vec(&value).unwrap()).unwrap();
            let cbor = from_json("/any", &value, CBOR).await;
            prop_assert_eq!(&cbor4ii::serde::from_slice::<Value>(&cbor).unwrap(), &value);
            prop_assert_eq!(&to_json("/any", cbor, CBOR).await, &value);
            let msgpack = from_json("/any", &value, MSGPACK).await;
            prop_assert_eq!(&rmp_serde::from_slice::<Value>(&msgpack).unwrap(), &value);
            prop_assert_eq!(&to_json("/any", msgpack, MSGPACK).await, &value);
            Ok(())
        })?;
    }

    /// Typed documents survive a round trip through both formats.
    #[test]
    fn typed_documents_survive(
        numbers in (any::<i8>(), any::<u64>(), any::<i64>()),
        text in any::<String>(),
        list in vec(any::<u32>(), 0..40),
        octets in vec(any::<u8>(), 0..300),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut sent: Everything = everything();
        (sent.small, sent.large, sent.negative) = numbers;
        sent.text_field = text;
        sent.list = list;
        sent.octets.0 = octets;
        runtime.block_on(async {
            let cbor = from_json("/everything", &sent, CBOR).await;
            let response = send("/everything", cbor, CBOR, MSGPACK).await;
            let back = to_json("/everything", response.bytes().to_vec(), MSGPACK).await;
            prop_assert_eq!(back, serde_json::to_value(&sent).unwrap());
            Ok(())
        })?;
    }
}
