//! Headers, cookies and `Accept`.

use innkeeper_rest::quality;

use super::{assert_malformed, assert_missing, assert_problem, client};

#[tokio::test]
async fn a_header_that_is_not_utf_8_is_refused() {
    let client = client();
    let request = client.get("/x/header").header("x-word", b"caf\xe9");
    let response = request.send().await;
    assert_malformed(&response, "X-Word", "header `X-Word`: expected text");
    let utf8 = client.get("/x/header").header("x-word", "café");
    assert_eq!(utf8.send().await.text(), "café");
    let long = "x".repeat(100_000);
    let request = client.get("/x/header").header("x-word", &long);
    assert_eq!(request.send().await.text(), long);
}

#[tokio::test]
async fn a_broken_cookie_is_no_cookie() {
    let client = client();
    for cookies in [
        &b""[..],
        b";",
        b"=",
        b"sid",
        b"=sid",
        b"SID=1",
        b"a=sid=1",
        b"sid\xff=1",
        b"\xff; sid=1",
    ] {
        let request = client.get("/x/cookie").header("cookie", cookies);
        assert_missing(&request.send().await, "cookie", "sid");
    }
}

#[tokio::test]
async fn a_cookie_of_another_kind_is_refused() {
    let client = client();
    for cookies in [
        "sid=",
        "sid=x",
        "sid=\"",
        "sid=\"1",
        "sid=4294967296",
        "sid=%31",
        "sid=1 2",
    ] {
        let request = client.get("/x/cookie").header("cookie", cookies);
        let detail = "cookie `sid`: expected a whole number between 0 and 4294967295";
        assert_malformed(&request.send().await, "sid", detail);
    }
    let many = "a=b; ".repeat(50_000) + "sid=7";
    let request = client.get("/x/cookie").header("cookie", many);
    assert_eq!(request.send().await.text(), "7");
}

#[tokio::test]
async fn absurd_accept_headers_are_weighed_like_others() {
    let client = client();
    let get = |accept: String| client.get("/x/id/1").header("accept", accept);
    // 64 KiB of media ranges that do not match, with and without one that does.
    let ranges = "text/html;q=0.1,".repeat(4096);
    assert_eq!(get(ranges.clone()).send().await.status(), 406);
    let fits = format!("{ranges}application/json;q=0.001");
    assert_eq!(get(fits).send().await.status(), 200);
    for accept in [
        "a".repeat(65_536),
        ",".repeat(65_536),
        ";".repeat(65_536),
        "*/*".repeat(20_000),
        "\"".repeat(65_536),
        format!("*/*;q=0.{}", "1".repeat(65_000)),
        format!("*/*{}", ";a=b".repeat(16_000)),
        "*/*,".repeat(16_000),
    ] {
        assert_eq!(get(accept).send().await.status(), 200);
    }
    let lines = (0..5_000).fold(client.get("/x/id/1"), |request, _| {
        request.header("accept", "text/html")
    });
    assert_eq!(lines.send().await.status(), 406);
}

#[tokio::test]
async fn an_accept_header_that_is_not_text_counts_as_anything() {
    let client = client();
    for accept in [&b"\xff"[..], b"text/html, \xfe", b"\t", b"text/html;\xff=1"] {
        let response = client.get("/x/id/1").header("accept", accept).send().await;
        assert_eq!(response.status(), 200);
    }
}

#[test]
fn quality_is_read_as_written() {
    for (accept, expected) in [
        ("application/json", 1000),
        ("application/json;q=0", 0),
        ("application/json;q=0.", 0),
        ("application/json;q=1.000", 1000),
        ("application/json;Q=0.25", 250),
        ("application/json ; q = 0.25", 250),
        ("application/json;q=0.1;q=0.2", 200),
        ("application/json;q=0.1, application/json;q=0.3", 300),
        ("application/json;a=\"x;q=0,\";q=0.5", 500),
        ("application/*;q=0.2, */*;q=0.9", 200),
        ("text/html", 0),
        ("application/jsonx", 0),
        ("application/json;q=1.001", 1000),
    ] {
        assert_eq!(quality(accept, "application/json"), expected, "{accept}");
    }
}

#[tokio::test]
async fn a_content_type_of_nonsense_is_unsupported() {
    let client = client();
    let long = "a".repeat(65_536);
    for content_type in [";;;", "/", "application/", "json", "*/*", "a/b/c", &long] {
        let request = client.post("/x/any").header("content-type", content_type);
        let response = request.body("1").send().await;
        // An empty type means JSON; any other type must be supported.
        let expected = if content_type == ";;;" { 200 } else { 415 };
        assert_eq!(response.status(), expected, "{content_type}");
    }
    let binary = client.post("/x/any").header("content-type", b"\xff/\xfe");
    let response = binary.body("1").send().await;
    assert_problem(
        &response,
        415,
        "unsupported_media_type",
        "content type `not text` is not supported; send application/json, \
         application/x-www-form-urlencoded, multipart/form-data, text/plain, \
         application/octet-stream",
    );
}
