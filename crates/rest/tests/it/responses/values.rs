//! Return types that are not a `Response`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use innkeeper_rest::testing::Client;
use innkeeper_rest::{
    App, IntoReply, Rejection, ReplyKind, Response, RestApi, StatusCode, resource,
};
use serde::Serialize;

#[derive(Serialize)]
struct User {
    id: u32,
    name: &'static str,
}

const ADA: User = User { id: 7, name: "Ada" };

/// An error that is not an `ApiError`.
struct Teapot;

impl IntoReply for Teapot {
    const KIND: ReplyKind = ReplyKind::Error;

    fn into_reply(self) -> Response {
        Response::error_with(418, "short and stout")
    }
}

struct Values;

#[resource("/")]
impl Values {
    #[get("/struct")]
    fn user(&self) -> User {
        ADA
    }

    #[get("/list")]
    async fn list(&self) -> Vec<User> {
        vec![ADA]
    }

    #[get("/map")]
    fn map(&self) -> BTreeMap<&'static str, f64> {
        BTreeMap::from([("half", 0.5)])
    }

    #[get("/number")]
    fn number(&self) -> i64 {
        -3
    }

    #[get("/flag")]
    fn flag(&self) -> bool {
        true
    }

    #[get("/unit")]
    fn unit(&self) {}

    #[get("/late-unit")]
    async fn late_unit(&self) {}

    #[get("/option/{some}")]
    fn option(&self, some: bool) -> Option<User> {
        some.then_some(ADA)
    }

    #[get("/result/{fine}")]
    fn result(&self, fine: bool) -> Result<User, Teapot> {
        if fine { Ok(ADA) } else { Err(Teapot) }
    }

    #[get("/result-unit/{fine}")]
    fn result_unit(&self, fine: bool) -> Result<(), Rejection> {
        if fine {
            Ok(())
        } else {
            Err(Rejection::not_found())
        }
    }

    #[get("/result-response/{fine}")]
    async fn result_response(&self, fine: bool) -> Result<Response, Response> {
        if fine {
            Ok(Response::accepted())
        } else {
            Err(Response::error(402))
        }
    }

    #[get("/result-option")]
    fn result_option(&self) -> Result<Option<User>, Teapot> {
        Ok(None)
    }

    #[get("/text")]
    fn text(&self) -> Cow<'static, str> {
        "plain words".into()
    }

    #[get("/status")]
    fn status(&self) -> StatusCode {
        StatusCode::ACCEPTED
    }

    #[get("/impl")]
    fn opaque(&self) -> impl Serialize + use<> {
        ("opaque", 1)
    }
}

fn client() -> Client {
    Client::new(App::new().mount("/", RestApi::new(Values))).unwrap()
}

#[tokio::test]
async fn any_serializable_value_is_200_and_json() {
    let client = client();
    for (path, body) in [
        ("/struct", r#"{"id":7,"name":"Ada"}"#),
        ("/list", r#"[{"id":7,"name":"Ada"}]"#),
        ("/map", r#"{"half":0.5}"#),
        ("/number", "-3"),
        ("/flag", "true"),
        ("/impl", r#"["opaque",1]"#),
    ] {
        let response = client.get(path).send().await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.header("content-type"), Some("application/json"));
        assert_eq!(response.text(), body);
    }
}

#[tokio::test]
async fn text_is_plain_text() {
    let response = client().get("/text").send().await;
    assert_eq!(
        response.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    assert_eq!(response.text(), "plain words");
}

#[tokio::test]
async fn nothing_is_204() {
    let client = client();
    for path in ["/unit", "/late-unit", "/result-unit/true"] {
        let response = client.get(path).send().await;
        assert_eq!(response.status(), 204, "{path}");
        assert_eq!(response.text(), "");
        assert_eq!(response.header("content-type"), None);
        assert_eq!(response.header("content-length"), None);
    }
}

#[tokio::test]
async fn none_is_null() {
    let client = client();
    let some = client.get("/option/true").send().await;
    assert_eq!(some.text(), r#"{"id":7,"name":"Ada"}"#);
    for path in ["/option/false", "/result-option"] {
        let none = client.get(path).send().await;
        assert_eq!((none.status(), none.text()), (200, "null".into()), "{path}");
    }
}

#[tokio::test]
async fn a_result_is_its_value_or_its_error() {
    let client = client();
    let fine = client.get("/result/true").send().await;
    assert_eq!(fine.text(), r#"{"id":7,"name":"Ada"}"#);
    let wrong = client.get("/result/false").send().await;
    assert_eq!(wrong.status(), 418);
    assert_eq!(super::json(&wrong)["detail"], "short and stout");
    let wrong = client.get("/result-unit/false").send().await;
    assert_eq!(wrong.status(), 404);
    let fine = client.get("/result-response/true").send().await;
    assert_eq!(fine.status(), 202);
    let wrong = client.get("/result-response/false").send().await;
    assert_eq!(wrong.status(), 402);
}

#[tokio::test]
async fn a_status_is_an_empty_answer() {
    let response = client().get("/status").send().await;
    assert_eq!((response.status(), response.text()), (202, String::new()));
}

#[test]
fn handlers_are_ordinary_functions() {
    assert_eq!(Values.user().name, "Ada");
    assert!(Values.option(false).is_none());
}
