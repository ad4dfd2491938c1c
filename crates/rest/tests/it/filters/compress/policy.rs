//! Which content is compressed, and the headers of the response.

use innkeeper_rest::filter::{Compress, CompressBuilder};
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Method, Response, RestApi, resource};

use super::{get, page, plain, vary};

struct Pages;

#[resource("/pages")]
impl Pages {
    #[get]
    fn page(&self) -> String {
        page()
    }

    #[get("/sized/{size}")]
    fn sized(&self, size: usize) -> Response {
        Response::ok()
            .content_type("text/plain")
            .body("a".repeat(size))
    }

    /// Returns a page with one more header.
    #[get("/with/{name}/{value}")]
    fn with(&self, name: &str, value: &str) -> Response {
        let response = Response::ok().content_type("text/plain").body(page());
        response.header(name, value)
    }

    #[get("/typed/{main}/{sub}")]
    fn typed(&self, main: &str, sub: &str) -> Response {
        let content_type = format!("{main}/{sub}");
        Response::ok().content_type(content_type).body(page())
    }

    #[get("/untyped")]
    fn untyped(&self) -> Response {
        Response::ok().body(page())
    }

    #[get("/status/{status}")]
    fn status(&self, status: u16) -> Response {
        let response = Response::status(status).content_type("text/plain");
        response.body(page())
    }

    #[get("/entity")]
    fn entity(&self) -> Vec<u32> {
        (0..2000).collect()
    }

    #[get("/random")]
    fn random(&self) -> Response {
        // An incompressible sequence.
        let mut state = 1_u64;
        let bytes = (0..4096).map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            state.to_be_bytes()[0]
        });
        let bytes: Vec<u8> = bytes.collect();
        Response::ok().content_type("text/plain").body(bytes)
    }

    #[head("/own")]
    fn own(&self) -> Response {
        let response = Response::ok().content_type("text/plain");
        response.header("content-length", "5000")
    }
}

fn behind(builder: CompressBuilder) -> Client {
    let filter = builder.build().unwrap();
    Client::new(App::new().mount("/", RestApi::new(Pages).filter(filter))).unwrap()
}

fn client() -> Client {
    behind(Compress::builder())
}

#[tokio::test]
async fn the_client_says_how() {
    let client = client();
    for (accepted, coding) in [
        ("gzip", Some("gzip")),
        ("br", Some("br")),
        ("gzip, deflate, br", Some("br")),
        ("br;q=0.1, gzip;q=0.2", Some("gzip")),
        ("identity", None),
        ("zstd, deflate", None),
        ("", None),
        ("*;q=0", None),
        ("gzip;q=nonsense", None),
    ] {
        let response = get(&client, "/pages", accepted).await;
        assert_eq!(plain(&response), (coding, page()), "{accepted}");
        assert_eq!(vary(&response), "accept, accept-encoding", "{accepted}");
        assert_eq!(
            response.header("content-length"),
            None,
            "the transport says"
        );
    }
    let response = client.get("/pages").send().await;
    assert_eq!(plain(&response), (None, page()));
    assert_eq!(vary(&response), "accept, accept-encoding");
}

#[tokio::test]
async fn every_level_of_either_coding_can_be_read() {
    for level in 0..=11 {
        let builder = Compress::builder().brotli_level(level);
        let builder = builder.gzip_level(level.clamp(1, 9));
        let client = behind(builder);
        for accepted in ["gzip", "br"] {
            let response = get(&client, "/pages", accepted).await;
            assert_eq!(plain(&response), (Some(accepted), page()), "level {level}");
        }
    }
}

#[tokio::test]
async fn a_coding_that_is_not_used_is_not_offered() {
    let client = behind(Compress::builder().without_brotli());
    assert_eq!(plain(&get(&client, "/pages", "br").await).0, None);
    assert_eq!(
        plain(&get(&client, "/pages", "br, gzip").await).0,
        Some("gzip")
    );
    let client = behind(Compress::builder().without_gzip());
    assert_eq!(plain(&get(&client, "/pages", "gzip").await).0, None);
}

#[tokio::test]
async fn tiny_content_is_left_alone() {
    for (smallest, size, compressed) in [
        (None, 1023, false),
        (None, 1024, true),
        (None, 0, false),
        (Some(0), 0, false),
        (Some(100), 99, false),
        (Some(100), 100, true),
    ] {
        let builder = Compress::builder();
        let client = behind(match smallest {
            Some(smallest) => builder.smallest(smallest),
            None => builder,
        });
        let response = get(&client, &format!("/pages/sized/{size}"), "gzip").await;
        let (coding, text) = plain(&response);
        assert_eq!(coding.is_some(), compressed, "{size}");
        assert_eq!(text, "a".repeat(size));
        assert_eq!(
            vary(&response),
            if compressed { "accept-encoding" } else { "" }
        );
    }
}

#[tokio::test]
async fn content_that_is_compressed_already_is_left_alone() {
    let client = client();
    for (content_type, compressed) in [
        ("application/json", true),
        ("text/html", true),
        ("image/svg+xml", true),
        ("image/png", false),
        ("video/mp4", false),
        ("application/zip", false),
        ("font/woff2", false),
        ("application/octet-stream", false),
        ("text/event-stream", false),
    ] {
        let path = format!("/pages/typed/{}", content_type.replace('+', "%2B"));
        let response = get(&client, &path, "gzip").await;
        assert_eq!(plain(&response).0.is_some(), compressed, "{content_type}");
        assert_eq!(plain(&response).1, page());
        assert_eq!(
            vary(&response),
            if compressed { "accept-encoding" } else { "" }
        );
    }
    assert_eq!(plain(&get(&client, "/pages/untyped", "gzip").await).0, None);
    let client = behind(
        Compress::builder()
            .types(["image/png"])
            .except_types(["text/*"]),
    );
    for (content_type, compressed) in [("image/png", true), ("text/html", false)] {
        let path = format!("/pages/typed/{content_type}");
        let response = get(&client, &path, "gzip").await;
        assert_eq!(plain(&response).0.is_some(), compressed, "{content_type}");
    }
}

#[tokio::test]
async fn content_that_may_not_be_changed_is_left_alone() {
    let client = client();
    for (name, value, compressed) in [
        ("content-encoding", "identity", false),
        ("content-range", "bytes", false),
        ("cache-control", "public,%20No-Transform", false),
        ("content-digest", "sha-256=:x:", false),
        ("cache-control", "public", true),
        ("x-other", "no-transform", true),
    ] {
        let response = get(&client, &format!("/pages/with/{name}/{value}"), "gzip").await;
        let coding = response.header("content-encoding");
        assert_eq!(coding == Some("gzip"), compressed, "{name}: {value}");
        assert_eq!(
            vary(&response).contains("encoding"),
            compressed,
            "{name}: {value}"
        );
    }
}

#[tokio::test]
async fn the_status_decides_whether_there_is_anything_to_compress() {
    let client = client();
    for (status, compressed) in [
        (200, true),
        (201, true),
        (404, true),
        (503, true),
        (204, false),
        (205, false),
        (206, false),
        (304, false),
    ] {
        let response = get(&client, &format!("/pages/status/{status}"), "gzip").await;
        assert_eq!(response.status(), status);
        assert_eq!(plain(&response).0.is_some(), compressed, "{status}");
    }
}

#[tokio::test]
async fn entities_and_errors_are_compressed_like_anything_else() {
    let client = behind(Compress::builder().smallest(10));
    let response = get(&client, "/pages/entity", "gzip").await;
    let (coding, text) = plain(&response);
    assert_eq!(coding, Some("gzip"));
    let numbers: Vec<u32> = serde_json::from_str(&text).unwrap();
    assert_eq!(numbers.len(), 2000);
    let response = get(&client, "/nothing", "br").await;
    assert_eq!(response.status(), 404);
    let (coding, text) = plain(&response);
    assert_eq!(coding, Some("br"));
    assert!(text.contains("not found"), "{text}");
}

#[tokio::test]
async fn what_would_grow_is_sent_as_it_is() {
    let client = client();
    for accepted in ["gzip", "br"] {
        let response = get(&client, "/pages/random", accepted).await;
        assert_eq!(response.header("content-encoding"), None);
        assert_eq!(response.bytes().len(), 4096);
        assert_eq!(vary(&response), "accept-encoding");
    }
}

#[tokio::test]
async fn head_has_the_headers_of_get_and_no_wrong_length() {
    let client = client();
    let head = async |path: &str, accepted: &str| {
        let request = client.request(Method::HEAD, path);
        request.header("accept-encoding", accepted).send().await
    };
    let response = head("/pages/sized/5000", "gzip").await;
    assert!(response.bytes().is_empty());
    assert_eq!(response.header("content-encoding"), Some("gzip"));
    assert_eq!(response.header("content-length"), None);
    assert_eq!(vary(&response), "accept-encoding");
    let response = head("/pages/sized/5000", "identity").await;
    assert_eq!(response.header("content-encoding"), None);
    assert_eq!(response.header("content-length"), Some("5000"));
    let response = head("/pages/sized/10", "gzip").await;
    assert_eq!(response.header("content-length"), Some("10"));
    let response = head("/pages/own", "gzip").await;
    assert_eq!(response.header("content-length"), None);
    assert_eq!(response.header("content-encoding"), Some("gzip"));
    let response = head("/pages/own", "identity").await;
    assert_eq!(response.header("content-length"), Some("5000"));
}

#[tokio::test]
async fn head_of_a_service_has_no_length_of_plain_content() {
    let service = tower::service_fn(async |_: http::Request<innkeeper_rest::Body>| {
        let response = http::Response::builder()
            .header("content-type", "text/html")
            .header("content-length", "5000");
        Ok::<_, std::convert::Infallible>(response.body(String::new()).unwrap())
    });
    let app = App::new().filter(Compress::new()).service("/", service);
    let client = Client::new(app).unwrap();
    for (accepted, length) in [("gzip", None), ("identity", Some("5000"))] {
        let request = client.request(Method::HEAD, "/");
        let response = request.header("accept-encoding", accepted).send().await;
        assert_eq!(response.header("content-length"), length);
    }
}

#[tokio::test]
async fn a_length_that_a_handler_has_set_does_not_stay() {
    let path = format!("/pages/with/content-length/{}", page().len());
    let response = get(&client(), &path, "gzip").await;
    assert_eq!(plain(&response), (Some("gzip"), page()));
    assert_eq!(response.header("content-length"), None);
    let response = get(&client(), "/pages/with/accept-ranges/bytes", "gzip").await;
    assert_eq!(
        response.header("accept-ranges"),
        None,
        "of the plain content"
    );
}
