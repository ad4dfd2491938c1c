//! Properties that hold for any input.

use std::fmt::Write as _;
use std::sync::LazyLock;

use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{App, Method, Multipart, Rejection, RestApi, Value, quality, resource};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::string::string_regex;
use proptest::test_runner::TestCaseError;
use serde_json::Map;

struct Mirror;

#[resource("/mirror")]
impl Mirror {
    #[get("/path/{text}")]
    fn path(&self, text: String) -> Value {
        text.into()
    }

    #[get("/affixed/a-{text}")]
    fn affixed(&self, text: String) -> Value {
        text.into()
    }

    #[get("/matched/{text:.*}/end")]
    fn matched(&self, text: &str) -> Value {
        text.into()
    }

    #[get("/number/{number}")]
    fn number(&self, number: i64) -> i64 {
        number
    }

    #[get("/query")]
    fn query(&self, text: Vec<String>, number: Option<i64>) -> (Vec<String>, Option<i64>) {
        (text, number)
    }

    #[get("/list")]
    fn list(&self, #[separated_by(",")] text: Vec<String>) -> Vec<String> {
        text
    }

    #[get("/matrix/{filter}")]
    fn matrix(&self, #[matrix] filter: Map<String, Value>) -> Map<String, Value> {
        filter
    }

    #[post("/form")]
    fn form(&self, #[param] text: Vec<String>) -> Vec<String> {
        text
    }

    #[post("/entity")]
    fn entity(&self, entity: Value) -> Value {
        entity
    }

    #[post("/parts")]
    async fn parts(&self, #[stream] mut parts: Multipart) -> Result<Vec<Vec<u8>>, Rejection> {
        let mut all = Vec::new();
        while let Some(part) = parts.next_part().await? {
            all.push(part.bytes().await?.to_vec());
        }
        Ok(all)
    }

    #[get("/cookie")]
    fn cookie(&self, #[cookie("c")] text: Option<String>) -> Option<String> {
        text
    }
}

/// Built once, because building the routes takes longer than a test case.
static CLIENT: LazyLock<Client> =
    LazyLock::new(|| Client::new(App::new().mount("/", RestApi::new(Mirror))).unwrap());

/// Sends a request and checks the properties of every response.
fn send(
    method: Method,
    target: &str,
    headers: &[(&str, &[u8])],
    body: &[u8],
) -> Result<TestResponse, TestCaseError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let request = CLIENT.request(method, target).body(body.to_vec());
    let request = headers.iter().fold(request, |request, (name, value)| {
        request.header(name, value)
    });
    let response = runtime.block_on(request.send());
    prop_assert!(response.status() < 500, "{target}: {}", response.text());
    prop_assert!(response.failure().is_none());
    Ok(response)
}

fn get(target: &str) -> Result<TestResponse, TestCaseError> {
    send(Method::GET, target, &[], b"")
}

/// Escapes every byte that is not an ASCII letter or digit.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            escaped.push(char::from(byte));
        } else {
            write!(escaped, "%{byte:02X}").unwrap();
        }
    }
    escaped
}

/// Generates text without NUL, which a request can carry.
fn text() -> impl Strategy<Value = String> {
    any::<String>().prop_map(|text| text.replace('\0', ""))
}

/// Generates malformed URL text, such as hand-written code produces.
fn rubbish() -> impl Strategy<Value = String> {
    string_regex("([a-z0-9/;=,&?+%{}*:@.~\"\\\\ \u{0}-\u{1f}\u{80}-\u{7ff}]|%[0-9A-Fa-f]{2}){0,40}")
        .unwrap()
}

const CASES: u32 = 256;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(CASES) })]

    #[test]
    fn any_text_comes_back_through_a_path(text in text()) {
        prop_assume!(!text.is_empty());
        let escaped = escaped(&text);
        for target in ["path/", "affixed/a-"] {
            let response = get(&format!("/mirror/{target}{escaped}"))?;
            prop_assert_eq!(response.json::<String>().unwrap(), text.clone());
        }
        if !text.contains('\n') {
            let response = get(&format!("/mirror/matched/{escaped}/end"))?;
            prop_assert_eq!(response.json::<String>().unwrap(), text);
        }
    }

    #[test]
    fn any_texts_come_back_through_a_query(texts in vec(text(), 0..5)) {
        let pairs: Vec<String> = texts.iter().map(|text| format!("text={}", escaped(text))).collect();
        let response = get(&format!("/mirror/query?{}", pairs.join("&")))?;
        let (found, _): (Vec<String>, Option<i64>) = response.json().unwrap();
        prop_assert_eq!(found, texts);
    }

    #[test]
    fn any_texts_come_back_through_a_form(texts in vec(text(), 0..5)) {
        let pairs: Vec<String> = texts.iter().map(|text| format!("text={}", escaped(text))).collect();
        let form: &[(&str, &[u8])] = &[("content-type", b"application/x-www-form-urlencoded")];
        let body = pairs.join("&");
        let response = send(Method::POST, "/mirror/form", form, body.as_bytes())?;
        prop_assert_eq!(response.json::<Vec<String>>().unwrap(), texts);
    }

    #[test]
    fn any_number_comes_back(number in any::<i64>()) {
        let path = get(&format!("/mirror/number/{number}"))?;
        prop_assert_eq!(path.text(), number.to_string());
        let query = get(&format!("/mirror/query?number={number}"))?;
        prop_assert_eq!(query.text(), format!("[[],{number}]"));
    }

    #[test]
    fn a_separated_list_is_split_where_it_was_joined(
        texts in vec(text().prop_map(|text| text.replace(',', "")), 2..5),
    ) {
        let response = get(&format!("/mirror/list?text={}", escaped(&texts.join(","))))?;
        prop_assert_eq!(response.json::<Vec<String>>().unwrap(), texts);
    }

    #[test]
    fn any_matrix_comes_back(
        entries in btree_map(
            text().prop_filter("a name", |name| !name.is_empty()),
            prop_oneof![
                Just(Value::Null),
                text().prop_map(Value::from),
                vec(text(), 2..4).prop_map(Value::from),
            ],
            1..5,
        ),
    ) {
        let written: Vec<String> = entries.iter().map(|(name, value)| {
            let item = |item: &Value| escaped(item.as_str().unwrap());
            match value {
                Value::Null => escaped(name),
                Value::Array(all) => {
                    let all: Vec<String> = all.iter().map(item).collect();
                    format!("{}={}", escaped(name), all.join(","))
                }
                one => format!("{}={}", escaped(name), item(one)),
            }
        }).collect();
        let response = get(&format!("/mirror/matrix/{}", written.join(";")))?;
        let expected: Map<String, Value> = entries.into_iter().collect();
        prop_assert_eq!(response.json::<Map<String, Value>>().unwrap(), expected);
    }

    #[test]
    fn any_target_gets_an_answer(target in rubbish()) {
        get(&target)?;
        for start in ["/mirror/path/", "/mirror/matched/", "/mirror/number/", "/mirror/matrix/"] {
            get(&format!("{start}{target}"))?;
        }
        for start in ["/mirror/query?", "/mirror/query?text=", "/mirror/list?text="] {
            get(&format!("{start}{target}"))?;
        }
    }

    #[test]
    fn any_unicode_target_gets_an_answer(target in any::<String>()) {
        get(&target)?;
        get(&format!("/mirror/path/{target}"))?;
        get(&format!("/mirror/query?text={target}"))?;
    }

    #[test]
    fn any_accept_header_gets_an_answer(accept in vec(any::<u8>(), 0..80)) {
        let response = send(Method::GET, "/mirror/query", &[("accept", &accept)], b"")?;
        prop_assert!(matches!(response.status(), 200 | 406));
    }

    #[test]
    fn any_cookie_header_gets_an_answer(cookie in vec(any::<u8>(), 0..80)) {
        let response = send(Method::GET, "/mirror/cookie", &[("cookie", &cookie)], b"")?;
        prop_assert_eq!(response.status(), 200);
    }

    #[test]
    fn any_body_of_any_type_gets_an_answer(
        content_type in "[ -~]{0,40}",
        known in prop::sample::select(vec![
            "application/json", "application/x-www-form-urlencoded", "text/plain",
            "multipart/form-data; boundary=b", "application/octet-stream",
        ]),
        body in vec(any::<u8>(), 0..200),
    ) {
        for content_type in [content_type.as_str(), known] {
            for path in ["/mirror/entity", "/mirror/form", "/mirror/parts"] {
                send(Method::POST, path, &[("content-type", content_type.as_bytes())], &body)?;
            }
        }
    }

    #[test]
    fn any_parts_come_back(parts in vec(vec(any::<u8>(), 0..100), 0..5)) {
        let boundary = "a-boundary-that-no-part-contains";
        let mut body = Vec::new();
        for part in &parts {
            body.extend_from_slice(format!("--{boundary}\r\n").as_bytes());
            body.extend_from_slice(b"content-disposition: form-data; name=\"text\"\r\n\r\n");
            body.extend_from_slice(part);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        let content_type = format!("multipart/form-data; boundary={boundary}");
        let headers: &[(&str, &[u8])] = &[("content-type", content_type.as_bytes())];
        let response = send(Method::POST, "/mirror/parts", headers, &body)?;
        prop_assert_eq!(response.json::<Vec<Vec<u8>>>().unwrap(), parts);
    }

    #[test]
    fn any_text_fields_come_back(texts in vec(text(), 0..5)) {
        let mut body = String::new();
        for text in &texts {
            write!(body, "--edge--of--it\r\ncontent-disposition: form-data; name=\"text\"\r\n\r\n{text}\r\n")
                .unwrap();
        }
        body.push_str("--edge--of--it--");
        let headers: &[(&str, &[u8])] =
            &[("content-type", b"multipart/form-data; boundary=edge--of--it")];
        let response = send(Method::POST, "/mirror/form", headers, body.as_bytes())?;
        prop_assert_eq!(response.json::<Vec<String>>().unwrap(), texts);
    }

    #[test]
    fn a_damaged_multipart_body_gets_an_answer(
        place in any::<prop::sample::Index>(),
        damage in vec(any::<u8>(), 0..4),
        cut in 0_usize..8,
    ) {
        let whole = b"--b\r\ncontent-disposition: form-data; name=\"text\"\r\n\r\nA\r\n--b--\r\n";
        let place = place.index(whole.len());
        let mut body = whole.to_vec();
        let end = whole.len().min(place + cut);
        body.splice(place..end, damage);
        for path in ["/mirror/form", "/mirror/entity", "/mirror/parts"] {
            let headers: &[(&str, &[u8])] = &[("content-type", b"multipart/form-data; boundary=b")];
            let response = send(Method::POST, path, headers, &body)?;
            prop_assert!(matches!(response.status(), 200 | 400), "{}", response.text());
        }
    }

    #[test]
    fn quality_is_a_share_of_a_thousand(accept in any::<String>(), media_type in any::<String>()) {
        prop_assert!(quality(&accept, &media_type) <= 1000);
    }

    #[test]
    fn quality_is_what_the_range_says(
        weight in 0_u16..=1000,
        range in prop::sample::select(vec!["text/plain", "text/*", "*/*", "TEXT/Plain"]),
        others in vec("[a-z]{1,8}/[a-z]{1,8};q=0\\.[0-9]{1,3}", 0..5),
    ) {
        prop_assume!(others.iter().all(|other| !other.starts_with("text/plain")));
        let q = format!("{range};q={}.{:03}", weight / 1000, weight % 1000);
        let accept: Vec<&str> =
            others.iter().map(String::as_str).chain([q.as_str()]).collect();
        prop_assert_eq!(quality(&accept.join(", "), "text/plain"), weight);
    }
}
