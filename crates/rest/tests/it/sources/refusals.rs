//! The responses to missing or malformed arguments, and their order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use innkeeper_rest::{Body, BoxError, resource};
use serde_json::Value;

use super::{assert_malformed, assert_missing, client};

struct Refusals;

#[resource("/orders")]
impl Refusals {
    #[get("/{id}")]
    fn get(
        &self,
        id: u8,
        #[param] page: u16,
        #[header("X-Depth")] depth: i8,
        #[cookie("cart")] cart: u64,
    ) -> String {
        format!("{id} {page} {depth} {cart}")
    }

    #[put("/{id}")]
    fn put(
        &self,
        order: Value,
        id: u8,
        #[param] page: u16,
        #[header("X-Depth")] depth: i8,
    ) -> String {
        format!("{id} {page} {depth} {order}")
    }

    #[post("/{id}/form")]
    fn form(&self, #[param] page: u16, id: u8) -> String {
        format!("{id} {page}")
    }
}

#[tokio::test]
async fn a_malformed_argument_is_named_with_what_was_expected() {
    let client = client(Refusals);
    let get = |target: &str, depth: &str, cart: &str| {
        client
            .get(format!("/orders/{target}"))
            .header("x-depth", depth)
            .header("cookie", format!("cart={cart}"))
    };
    assert_eq!(get("1?page=2", "-3", "4").send().await.text(), "1 2 -3 4");
    for (request, name, detail) in [
        (
            get("256?page=2", "-3", "4"),
            "id",
            "path parameter `id`: expected a whole number between 0 and 255",
        ),
        (
            get("1?page=-1", "-3", "4"),
            "page",
            "parameter `page`: expected a whole number between 0 and 65535",
        ),
        (
            get("1?page=2", "deep", "4"),
            "X-Depth",
            "header `X-Depth`: expected a whole number between -128 and 127",
        ),
        (
            get("1?page=2", "-3", "x"),
            "cart",
            "cookie `cart`: expected a whole number between 0 and 18446744073709551615",
        ),
    ] {
        assert_malformed(&request.send().await, name, detail);
    }
}

#[tokio::test]
async fn a_missing_argument_is_named() {
    let client = client(Refusals);
    let nothing = client.get("/orders/1").send().await;
    assert_missing(&nothing, "parameter", "page");
    let no_header = client.get("/orders/1?page=2").send().await;
    assert_missing(&no_header, "header", "X-Depth");
    let no_cookie = client.get("/orders/1?page=2").header("x-depth", "1");
    assert_missing(&no_cookie.send().await, "cookie", "cart");
}

#[tokio::test]
async fn a_repeated_header_where_one_is_expected_is_refused() {
    let client = client(Refusals);
    let request = client
        .get("/orders/1?page=2")
        .header("x-depth", "1")
        .header("x-depth", "1");
    assert_malformed(
        &request.send().await,
        "X-Depth",
        "header `X-Depth`: expected one value, found several",
    );
}

/// Returns a body and a flag that is set when it is read.
fn watched() -> (Body, Arc<AtomicBool>) {
    let asked = Arc::new(AtomicBool::new(false));
    let note = Arc::clone(&asked);
    let stream = futures_util::stream::poll_fn(move |_| {
        note.store(true, Ordering::Relaxed);
        std::task::Poll::Ready(None::<Result<bytes::Bytes, BoxError>>)
    });
    (Body::from_stream(stream), asked)
}

#[tokio::test]
async fn path_query_and_headers_are_checked_before_the_body_is_read() {
    let client = client(Refusals);
    for (target, depth, name) in [
        ("/orders/x?page=1", "1", "id"),
        ("/orders/1?page=x", "1", "page"),
        ("/orders/1", "1", "page"),
        ("/orders/1?page=1", "x", "X-Depth"),
    ] {
        let (body, asked) = watched();
        let request = client.put(target).header("x-depth", depth).body(body);
        let response = request.send().await;
        assert_eq!(response.status(), 400, "{target}");
        assert_eq!(response.json::<Value>().unwrap()["parameter"], name);
        assert!(!asked.load(Ordering::Relaxed), "{target}");
    }
    let (body, asked) = watched();
    let request = client.put("/orders/1?page=1").header("x-depth", "1");
    assert_eq!(request.body(body).send().await.status(), 400);
    assert!(asked.load(Ordering::Relaxed));
}

#[tokio::test]
async fn the_path_is_checked_before_a_form_is_read() {
    let client = client(Refusals);
    let (body, asked) = watched();
    let request = client.post("/orders/x/form").form("").body(body);
    assert_eq!(request.send().await.status(), 400);
    assert!(!asked.load(Ordering::Relaxed));
}
