//! `before` and `after`.

use innkeeper_rest::testing::Client;
use innkeeper_rest::{
    App, Async, Filter, IntoReply as _, Next, Rejection, Request, Response, RestApi, StatusCode,
    filter, resource,
};

struct Pages;

#[resource("/pages")]
impl Pages {
    #[get]
    fn list(&self, #[value("language")] language: String) -> String {
        language
    }

    #[get("/quiet")]
    #[filter(filter::after(|response| response.header("x-level", "method")))]
    fn quiet(&self) {}
}

fn client() -> Client {
    let language = filter::before(
        |request| match request.head().header_text("accept-language") {
            Some("xx") => Err(Rejection::new(
                StatusCode::BAD_REQUEST,
                "unknown_language",
                "nobody speaks `xx`",
            )),
            given => {
                let language = given.unwrap_or("en").to_owned();
                request.values_mut().set_named("language", language);
                Ok(())
            }
        },
    );
    let served_by = filter::after(|response| response.header("x-served-by", "inn"));
    let level = filter::after(|response| response.header("x-level", "mount"));
    let api = RestApi::new(Pages).filter(language);
    let app = App::new().filter(served_by).mount("/", api.filter(level));
    Client::new(app).unwrap()
}

#[tokio::test]
async fn before_looks_at_the_request_and_sets_values() {
    let client = client();
    assert_eq!(client.get("/pages").send().await.text(), "en");
    let request = client.get("/pages").header("accept-language", "de");
    assert_eq!(request.send().await.text(), "de");
}

#[tokio::test]
async fn before_refuses_in_the_format_of_the_mount() {
    let client = client();
    let request = client.get("/pages").header("accept-language", "xx");
    let response = request.send().await;
    assert_eq!(response.status(), 400);
    let body: serde_json::Value = response.json().unwrap();
    assert_eq!(body["code"], "unknown_language");
    assert_eq!(response.header("x-served-by"), Some("inn"));
    assert_eq!(response.header("x-level"), None, "it stands inside");
}

#[tokio::test]
async fn after_changes_every_answer_from_the_inside_out() {
    let client = client();
    let response = client.get("/pages/quiet").send().await;
    assert_eq!(response.header("x-served-by"), Some("inn"));
    assert_eq!(response.header("x-level"), Some("mount"));
    let response = client.get("/nothing").send().await;
    assert_eq!(response.status(), 404);
    assert_eq!(response.header("x-served-by"), Some("inn"));
}

#[tokio::test]
async fn an_answer_changed_wrongly_is_our_mistake() {
    let broken = filter::after(|response| response.header("x", "\n"));
    let app = App::new().filter(broken).mount("/", RestApi::new(Pages));
    let client = Client::new(app).unwrap();
    let response = client.get("/pages/quiet").send().await;
    assert_eq!(response.status(), 500);
    let body: serde_json::Value = response.json().unwrap();
    assert_eq!(body["detail"], "internal server error");
}

#[tokio::test]
async fn after_sees_answers_complete() {
    let counted = filter::after(|response| {
        let size = response.bytes().map_or(0, <[u8]>::len);
        let media_type = response.media_type().unwrap_or("none").to_owned();
        response
            .header("x-size", size.to_string())
            .header("x-type", media_type)
    });
    let app = App::new().filter(counted).mount("/", RestApi::new(Pages));
    let client = Client::new(app).unwrap();
    let response = client.get("/nothing").send().await;
    assert_eq!(response.header("x-type"), Some("application/problem+json"));
    assert_eq!(
        response.header("x-size"),
        Some(response.bytes().len().to_string().as_str())
    );
}

/// Responds with deferred results.
struct Later;

impl Filter for Later {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        match request.path() {
            "/pages/late" => {
                let last = async { Async::new(async { "at last" }).into_reply() };
                Async::new(last).into_reply()
            }
            "/pages/never" => Async::new(async { Response::error_with(409, "never") }).into_reply(),
            _ => next.run(request).await,
        }
    }
}

#[tokio::test]
async fn what_a_filter_defers_is_waited_for() {
    let served_by = filter::after(|response| response.header("x-served-by", "inn"));
    let app = App::new().filter(served_by).filter(Later);
    let client = Client::new(app.mount("/", RestApi::new(Pages))).unwrap();
    let response = client.get("/pages/late").send().await;
    assert_eq!(
        (response.status(), response.text()),
        (200, "at last".into())
    );
    assert_eq!(response.header("x-served-by"), Some("inn"));
    let response = client.get("/pages/never").send().await;
    assert_eq!(response.status(), 409);
    assert_eq!(
        response.json::<serde_json::Value>().unwrap()["detail"],
        "never"
    );
    assert_eq!(client.get("/pages/quiet").send().await.status(), 204);
}
