//! JSON, forms and text that are broken, too large or of the wrong shape.

use bytes::Bytes;
use innkeeper_rest::{Body, BoxError, Value};

use super::{assert_problem, client, field_errors};

#[tokio::test]
async fn malformed_json_is_refused() {
    let client = client();
    for (json, problem) in [
        ("{", "EOF while parsing an object at line 1 column 1"),
        ("{]", "key must be a string at line 1 column 2"),
        ("nul", "EOF while parsing a value at line 1 column 3"),
        ("1 2", "trailing characters at line 1 column 3"),
        ("'a'", "expected value at line 1 column 1"),
        ("[1,]", "trailing comma at line 1 column 4"),
        (
            "\"\\ud800\"",
            "unexpected end of hex escape at line 1 column 8",
        ),
        (
            "\"\u{1}\"",
            "control character (\\u0000-\\u001F) found while parsing a string at line 1 column 2",
        ),
        ("\0", "expected value at line 1 column 1"),
        ("1e999", "number out of range at line 1 column 5"),
    ] {
        let request = client
            .post("/x/any")
            .header("content-type", "application/json");
        let response = request.body(json).send().await;
        let detail = format!("malformed JSON: {problem}");
        assert_problem(&response, 400, "malformed_body", &detail);
    }
    for bytes in [
        &b"\"\xff\""[..],
        b"\xef\xbb\xbf1",
        b"{\"a\":\"\xc3\"}",
        b"\xff\xfe1\0",
    ] {
        let response = client.post("/x/any").body(bytes.to_vec()).send().await;
        assert_eq!(response.status(), 400, "{bytes:?}");
    }
}

#[tokio::test]
async fn a_body_with_a_content_coding_is_415() {
    let client = client();
    let send = async |coding: &str| {
        let request = client
            .post("/x/any")
            .header("content-type", "application/json")
            .header("content-encoding", coding);
        request.body("1").send().await
    };
    for (coding, named) in [
        ("gzip", "gzip"),
        ("br", "br"),
        ("identity, Deflate", "Deflate"),
        ("x", "x"),
    ] {
        let response = send(coding).await;
        let detail =
            format!("content encoding `{named}` is not supported; send the body without one");
        assert_problem(&response, 415, "unsupported_media_type", &detail);
        assert_eq!(response.header("accept-encoding"), Some("identity"));
    }
    for coding in ["identity", "Identity", ""] {
        assert_eq!(send(coding).await.status(), 200, "{coding}");
    }
}

#[tokio::test]
async fn json_of_the_wrong_shape_is_pointed_at() {
    let client = client();
    for (json, pointer, detail) in [
        (
            "[]",
            "",
            "invalid length 0, expected struct Person with 3 elements",
        ),
        ("1", "", "invalid type: integer `1`, expected struct Person"),
        ("{}", "", "missing field `name`"),
        (
            r#"{"name":1}"#,
            "/name",
            "invalid type: integer `1`, expected a string",
        ),
        (
            r#"{"name":"a","age":300}"#,
            "/age",
            "invalid value: integer `300`, expected u8",
        ),
        (
            r#"{"name":"a","age":-1}"#,
            "/age",
            "invalid value: integer `-1`, expected u8",
        ),
        (
            r#"{"name":"a","age":1.5}"#,
            "/age",
            "invalid type: floating point `1.5`, expected u8",
        ),
        (
            r#"{"name":"a","name":"b","age":1}"#,
            "",
            "duplicate field `name`",
        ),
        (
            r#"{"name":"a","age":1,"homes":[{"street":"s","zip":1},{"street":"s","zip":"x"}]}"#,
            "/homes/1/zip",
            "invalid type: string \"x\", expected u16",
        ),
        (
            r#"{"name":"a","age":1,"homes":[{"street":"s","zip":99999999999999999999}]}"#,
            "/homes/0/zip",
            "invalid type: floating point `1e+20`, expected u16",
        ),
    ] {
        let request = client
            .post("/x/person")
            .header("content-type", "application/json");
        let response = request.body(json).send().await;
        let detail_of_all = "the body does not have the expected shape";
        assert_problem(&response, 422, "unprocessable_entity", detail_of_all);
        let expected = vec![(pointer.to_owned(), detail.to_owned())];
        assert_eq!(field_errors(&response), expected, "{json}");
    }
}

#[tokio::test]
async fn a_wrong_shape_in_front_of_broken_syntax_is_broken_syntax() {
    let response = client()
        .post("/x/person")
        .body(r#"{"name":1,"age"#)
        .send()
        .await;
    assert_eq!(response.status(), 400);
}

#[tokio::test]
async fn deep_json_is_refused() {
    let client = client();
    let levels = 10_000;
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}"), ("[[{\"a\":", "}]]")] {
        for json in [
            open.repeat(levels),
            format!("{}1{}", open.repeat(levels), close.repeat(levels)),
        ] {
            let any = client.post("/x/any").body(json.clone()).send().await;
            assert_eq!(any.status(), 400);
            assert!(any.text().contains("recursion limit exceeded"));
            let person = client.post("/x/person").body(json).send().await;
            assert!(matches!(person.status(), 400 | 422));
        }
    }
    // Ignored fields are skipped at any depth.
    let nested = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let json = format!(r#"{{"name":"a","age":1,"other":{nested}}}"#);
    let response = client.post("/x/person").body(json).send().await;
    assert_eq!(response.status(), 200);
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused() {
    let client = client();
    let most = client.post("/x/bytes").body(vec![0; 16]).send().await;
    assert_eq!(most.text(), "16");
    let detail = "the body is larger than 16 bytes";
    let larger = client.post("/x/bytes").body(vec![0; 17]).send().await;
    assert_problem(&larger, 413, "body_too_large", detail);
    // This body has no announced size and never ends.
    let chunk = || Ok::<_, BoxError>(Bytes::from_static(&[0; 5]));
    let endless = futures_util::stream::repeat_with(chunk);
    let request = client.post("/x/bytes").body(Body::from_stream(endless));
    assert_problem(&request.send().await, 413, "body_too_large", detail);
    let detail = "the body is larger than 1048576 bytes";
    for path in ["/x/any", "/x/person", "/x/body"] {
        let large = client.post(path).body(vec![b'1'; 1_048_577]).send().await;
        assert_problem(&large, 413, "body_too_large", detail);
    }
    let form = client.post("/x/field").form(&"a=b&".repeat(300_000));
    assert_problem(&form.send().await, 413, "body_too_large", detail);
}

#[tokio::test]
async fn a_body_that_breaks_off_is_refused() {
    let client = client();
    for path in ["/x/any", "/x/body", "/x/bytes"] {
        let chunks = [Ok(Bytes::from_static(b"1")), Err("gone".into())];
        let body = Body::from_stream(futures_util::stream::iter(chunks));
        let response = client.post(path).body(body).send().await;
        assert_problem(&response, 400, "malformed_body", "the body ended early");
    }
}

#[tokio::test]
async fn text_that_is_not_utf_8_is_refused() {
    let client = client();
    let body = client.post("/x/body").body(vec![0xff]).send().await;
    assert_problem(&body, 400, "malformed_body", "expected UTF-8 text");
    let text = client.post("/x/any").header("content-type", "text/plain");
    let text = text.body(vec![b'a', 0xc3]).send().await;
    assert_problem(&text, 400, "malformed_body", "expected UTF-8 text");
}

#[tokio::test]
async fn a_broken_form_is_refused() {
    let client = client();
    for (form, problem) in [
        (
            &b"name=%zz&age=1"[..],
            "malformed form: expected two hexadecimal digits after `%`",
        ),
        (
            b"%=a",
            "malformed form: expected two hexadecimal digits after `%`",
        ),
        (b"name=%FF", "malformed form: expected UTF-8"),
        (b"name=a%00", "malformed form: expected text without NUL"),
    ] {
        for path in ["/x/person", "/x/field"] {
            let request = client.post(path).form("").body(form.to_vec());
            assert_problem(&request.send().await, 400, "malformed_body", problem);
        }
    }
    let raw = client.post("/x/field").form("name=a\0b").send().await;
    let problem = "malformed form: expected text without NUL";
    assert_problem(&raw, 400, "malformed_body", problem);
    let request = client
        .post("/x/field")
        .form("")
        .body(vec![b'a', b'=', 0xff]);
    assert_problem(
        &request.send().await,
        400,
        "malformed_body",
        "expected a form in UTF-8",
    );
    let request = client
        .post("/x/person")
        .form("")
        .body(vec![b'a', b'=', 0xff]);
    assert_problem(
        &request.send().await,
        400,
        "malformed_body",
        "expected UTF-8 text",
    );
}

#[tokio::test]
async fn a_form_of_the_wrong_shape_is_pointed_at() {
    let client = client();
    for (form, pointer) in [
        ("", ""),
        ("name=a", ""),
        ("name=a&age=300", "/age"),
        ("name=a&age=", "/age"),
        ("name=a&age=1&age=2", "/age"),
        ("name=a&name=b&age=1", "/name"),
        ("name=a&age=1&homes=x", "/homes/0"),
    ] {
        let response = client.post("/x/person").form(form).send().await;
        assert_eq!(response.status(), 422, "{form}");
        let errors = field_errors(&response);
        assert_eq!(errors.len(), 1, "{form}");
        assert_eq!(errors[0].0, pointer, "{form}: {}", errors[0].1);
    }
    let many = "other=x&".repeat(100_000) + "name=a&age=1";
    let response = client.post("/x/person").form(&many).send().await;
    assert_eq!(response.json::<Value>().unwrap()["name"], "a");
}
