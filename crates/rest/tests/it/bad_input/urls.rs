//! Paths, queries and methods.

use innkeeper_rest::Method;

use super::{assert_malformed, assert_problem, client};

#[tokio::test]
async fn a_broken_escape_is_refused() {
    let client = client();
    let expected = "expected two hexadecimal digits after `%`";
    for text in [
        "%",
        "a%",
        "%4",
        "%zz",
        "%%41",
        "%+1",
        "%-1",
        "%\u{fc}\u{fc}",
    ] {
        let path = client.get(format!("/x/text/{text}")).send().await;
        assert_malformed(&path, "text", &format!("path parameter `text`: {expected}"));
        let query = client.get(format!("/x/query?q={text}")).send().await;
        assert_malformed(&query, "q", &format!("parameter `q`: {expected}"));
    }
}

#[tokio::test]
async fn an_escape_that_is_not_utf_8_is_refused() {
    let client = client();
    for text in [
        "%FF",
        "a%C3",
        "%C3%28",
        "%ED%A0%80",
        "%C0%AF",
        "%F5%80%80%80",
    ] {
        let path = client.get(format!("/x/text/{text}")).send().await;
        assert_malformed(&path, "text", "path parameter `text`: expected UTF-8");
        let query = client
            .get(format!("/x/query?all=a&all={text}"))
            .send()
            .await;
        assert_malformed(&query, "all", "parameter `all`: expected UTF-8");
    }
}

#[tokio::test]
async fn a_nul_is_refused() {
    let client = client();
    for text in ["%00", "a%00b", "a%20%00"] {
        let path = client.get(format!("/x/text/{text}")).send().await;
        let detail = "path parameter `text`: expected text without NUL";
        assert_malformed(&path, "text", detail);
        let query = client.get(format!("/x/query?q={text}")).send().await;
        assert_malformed(&query, "q", "parameter `q`: expected text without NUL");
    }
}

#[tokio::test]
async fn what_cannot_be_decoded_does_not_match_a_regular_expression() {
    let client = client();
    for text in ["%zz", "%FF", "%00", "A", "a%2Fb"] {
        let response = client.get(format!("/x/word/{text}")).send().await;
        assert_problem(&response, 404, "not_found", "not found");
    }
    assert_eq!(client.get("/x/word/%61").send().await.text(), "a");
}

#[tokio::test]
async fn a_parameter_that_nobody_asked_for_is_not_looked_at() {
    let client = client();
    let response = client
        .get("/x/query?%zz=1&other=%FF&=&&==&q=a&%00=%00")
        .send()
        .await;
    assert_eq!(response.text(), r#"Some("a") None 0"#);
}

#[tokio::test]
async fn a_number_out_of_range_is_refused() {
    let client = client();
    let nines = "9".repeat(10_000);
    for text in [
        "18446744073709551616",
        "-1",
        "1.0",
        "1e3",
        "0x10",
        "%20",
        "٣",
        "1_000",
        &nines,
    ] {
        let response = client.get(format!("/x/id/{text}")).send().await;
        let expected = "expected a whole number between 0 and 18446744073709551615";
        assert_malformed(&response, "id", &format!("path parameter `id`: {expected}"));
    }
    for text in ["2147483648", "-2147483649", "", "NaN", &nines] {
        let response = client.get(format!("/x/query?n={text}")).send().await;
        let expected = "expected a whole number between -2147483648 and 2147483647";
        assert_malformed(&response, "n", &format!("parameter `n`: {expected}"));
    }
    let most = client.get("/x/id/18446744073709551615").send().await;
    assert_eq!(most.text(), "18446744073709551615");
    let least = client.get("/x/query?n=-2147483648").send().await;
    assert_eq!(least.text(), "None Some(-2147483648) 0");
}

#[tokio::test]
async fn a_duplicate_where_one_is_expected_is_refused() {
    let client = client();
    for query in ["q=a&q=a", "q&q", "q=a&%71=b"] {
        let response = client.get(format!("/x/query?{query}")).send().await;
        let detail = "parameter `q`: expected one value, found several";
        assert_malformed(&response, "q", detail);
    }
}

#[tokio::test]
async fn a_very_long_path_is_read_or_not_found() {
    let client = client();
    let long = "a".repeat(1_000_000);
    let text = client.get(format!("/x/text/{long}")).send().await;
    assert_eq!(text.text().len(), long.len());
    let id = client.get(format!("/x/id/{long}")).send().await;
    assert_eq!(id.status(), 400);
    let nowhere = client.get(format!("/{long}")).send().await;
    assert_eq!(nowhere.status(), 404);
    let deep = "/a".repeat(100_000);
    assert_eq!(client.get(deep.clone()).send().await.status(), 404);
    let rest = client.get(format!("/x/rest{deep}")).send().await;
    assert_eq!(rest.text(), (deep.len() - 1).to_string());
}

#[tokio::test]
async fn a_strange_path_is_not_found() {
    let client = client();
    for path in [
        "",
        "*",
        "x",
        "//",
        "/x//text/a",
        "/x/text/",
        "/x/text/a/",
        "/../x/text/a",
        "/x/./text/a",
        "/x/text%2Fa",
        "/%78/text/a",
        "/X/text/a",
        "/x/text/a#b/c",
        "/{id}",
        "/x/id/",
        "?q=1",
        "/\u{0}",
        "/\u{fc}",
        "/%",
    ] {
        let response = client.get(path).send().await;
        assert_problem(&response, 404, "not_found", "not found");
    }
}

#[tokio::test]
async fn thousands_of_parameters_are_read() {
    let client = client();
    let pairs = "all=x&other=y&".repeat(20_000);
    let response = client.get(format!("/x/query?{pairs}")).send().await;
    assert_eq!(response.text(), "None None 20000");
    let ampersands = "&".repeat(1_000_000);
    let response = client.get(format!("/x/query?{ampersands}")).send().await;
    assert_eq!(response.text(), "None None 0");
}

#[tokio::test]
async fn a_method_that_is_not_there_is_not_allowed() {
    let client = client();
    for method in [
        "DELETE",
        "TRACE",
        "CONNECT",
        "get",
        "FOO",
        "QUERY",
        "!#$%&'*+-.^_`|~",
    ] {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let response = client.request(method, "/x/query").send().await;
        assert_problem(&response, 405, "method_not_allowed", "method not allowed");
        assert_eq!(response.header("allow"), Some("GET, HEAD, OPTIONS"));
    }
    let long = Method::from_bytes("M".repeat(5_000).as_bytes()).unwrap();
    let response = client.request(long.clone(), "/x/query").send().await;
    assert_eq!(response.status(), 405);
    let nowhere = client.request(long, "/nowhere").send().await;
    assert_eq!(nowhere.status(), 404);
}
