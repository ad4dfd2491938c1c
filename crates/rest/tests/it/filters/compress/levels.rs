//! Compression filters at all four levels.

use innkeeper_rest::filter::{Compress, Decompress};
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, RestApi, filter, resource};

use super::{get, gzip, page, plain};

struct Plain;

#[resource("/plain")]
impl Plain {
    #[get]
    fn get(&self) -> String {
        page()
    }

    #[post]
    fn post(&self, #[body] text: String) -> String {
        text
    }
}

/// Asserts which of these responses are compressed.
async fn assert_compressed(client: &Client, paths: &[(&str, bool)]) {
    for (path, compressed) in paths {
        let response = get(client, path, "gzip").await;
        let (coding, text) = plain(&response);
        assert_eq!(coding.is_some(), *compressed, "{path}");
        assert_eq!(text, page(), "{path}");
    }
}

/// Asserts which of these paths accept a compressed body.
async fn assert_understood(client: &Client, paths: &[(&str, bool)]) {
    for (path, understood) in paths {
        let request = client.post(*path).header("content-encoding", "gzip");
        let request = request.header("content-type", "text/plain");
        let response = request.body(gzip("hello")).send().await;
        let read = response.status() == 200 && response.text() == "hello";
        assert_eq!(read, *understood, "{path}: {}", response.text());
    }
}

#[tokio::test]
async fn at_an_application_everything_is_compressed() {
    let service = tower::service_fn(async |_: http::Request<innkeeper_rest::Body>| {
        let response = http::Response::builder().header("content-type", "text/html");
        Ok::<_, std::convert::Infallible>(response.body(page()).unwrap())
    });
    let app = App::new()
        .filter(Compress::new())
        .filter(Decompress::new())
        .mount("/a", RestApi::new(Plain))
        .handler("/ping", async |_| page())
        .service("/service", service);
    let client = Client::new(app).unwrap();
    let paths = ["/a/plain", "/ping", "/service"];
    assert_compressed(&client, &paths.map(|path| (path, true))).await;
    assert_understood(&client, &[("/a/plain", true)]).await;
}

#[tokio::test]
async fn at_a_mount_everything_below_its_prefix_is() {
    let api = RestApi::new(Plain).filter(Compress::new());
    let app = App::new()
        .mount("/a", api.filter(Decompress::new()))
        .mount("/b", RestApi::new(Plain));
    let client = Client::new(app).unwrap();
    let paths = [("/a/plain", true), ("/b/plain", false)];
    assert_compressed(&client, &paths).await;
    assert_understood(&client, &paths).await;
}

struct Packed;

#[resource("/packed")]
#[filter(Compress::new())]
#[filter(Decompress::new())]
impl Packed {
    #[get]
    fn get(&self) -> String {
        page()
    }

    #[post]
    fn post(&self, #[body] text: String) -> String {
        text
    }
}

struct Mixed;

#[resource("/mixed")]
impl Mixed {
    #[get]
    #[filter(Compress::new())]
    fn get(&self) -> String {
        page()
    }

    #[get("/plain")]
    fn plain(&self) -> String {
        page()
    }

    #[post]
    #[filter(Decompress::new())]
    fn post(&self, #[body] text: String) -> String {
        text
    }

    #[post("/plain")]
    fn post_plain(&self, #[body] text: String) -> String {
        text
    }
}

#[tokio::test]
async fn at_a_resource_or_method_answers_of_its_routes_are() {
    let api = RestApi::new(Packed).with(Mixed).with(Plain);
    let client = Client::new(App::new().mount("/", api)).unwrap();
    let paths = [
        ("/packed", true),
        ("/plain", false),
        ("/mixed", true),
        ("/mixed/plain", false),
    ];
    assert_compressed(&client, &paths).await;
    assert_understood(&client, &paths).await;
}

#[tokio::test]
async fn what_is_compressed_once_is_not_compressed_again() {
    let app = App::new().filter(Compress::new());
    let api = RestApi::new(Packed).filter(Compress::new());
    let client = Client::new(app.mount("/", api)).unwrap();
    assert_compressed(&client, &[("/packed", true)]).await;
}

#[tokio::test]
async fn filters_inside_see_plain_answers_and_filters_outside_compressed_ones() {
    let measured = |name: &'static str| {
        filter::after(move |response| {
            let size = response.bytes().map_or(0, <[u8]>::len);
            response.header(name, size.to_string())
        })
    };
    let api = RestApi::new(Plain)
        .filter(measured("x-outside"))
        .filter(Compress::new())
        .filter(measured("x-inside"));
    let client = Client::new(App::new().mount("/", api)).unwrap();
    let response = get(&client, "/plain", "br").await;
    let length = |name| response.header(name).unwrap().parse::<usize>().unwrap();
    assert_eq!(length("x-inside"), page().len());
    assert_eq!(length("x-outside"), response.bytes().len());
    assert!(response.bytes().len() < page().len() / 2);
}
