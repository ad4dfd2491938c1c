//! An application as a tower service.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, Full};
use innkeeper_rest::{App, AppService, Response, RestApi, resource};
use serde::Deserialize;
use tower::{Service as _, ServiceExt as _};

#[derive(Deserialize)]
struct User {
    name: String,
}

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{id}")]
    async fn one(&self, id: u8, #[header("x-name")] name: Option<String>) -> String {
        format!("{id} {}", name.unwrap_or_default())
    }

    #[post]
    async fn create(&self, user: User) -> Response {
        Response::created_at("/users/{id}", 7).entity(user.name)
    }

    #[put]
    async fn maybe(&self, user: Option<User>) -> String {
        user.map_or_else(|| "nobody".to_owned(), |user| user.name)
    }

    #[get]
    fn tenant(&self, #[value] tenant: Option<u16>) -> String {
        format!("{tenant:?}")
    }
}

fn service() -> AppService {
    let app = App::new().mount("/api", RestApi::new(Users));
    app.build().unwrap()
}

async fn text(response: http::Response<innkeeper_rest::ReplyBody>) -> String {
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[tokio::test]
async fn an_application_answers_requests_of_the_http_crate() {
    let request = http::Request::get("/api/users/7?x=y")
        .header("x-name", "Ada")
        .body(Empty::<Bytes>::new())
        .unwrap();
    let response = service().oneshot(request).await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["x-content-type-options"], "nosniff");
    assert_eq!(text(response).await, "7 Ada");
}

#[tokio::test]
async fn bodies_are_read() {
    let request = http::Request::post("/api/users")
        .header("content-type", "application/json")
        .body(Full::<Bytes>::from(r#"{"name":"Ada"}"#))
        .unwrap();
    let response = service().oneshot(request).await.unwrap();
    assert_eq!(response.status(), 201);
    assert_eq!(response.headers()["location"], "/api/users/7");
    assert_eq!(text(response).await, "\"Ada\"");
}

#[tokio::test]
async fn a_body_without_bytes_is_none() {
    let request = http::Request::put("/api/users").body(Empty::<Bytes>::new());
    let response = service().oneshot(request.unwrap()).await.unwrap();
    assert_eq!(text(response).await, "nobody");
}

#[tokio::test]
async fn extensions_are_values() {
    let mut request = http::Request::get("/api/users")
        .body(String::new())
        .unwrap();
    request.extensions_mut().insert(9_u16);
    let response = service().oneshot(request).await.unwrap();
    assert_eq!(text(response).await, "Some(9)");
}

#[tokio::test]
async fn refusals_are_responses_and_not_errors() {
    let request = http::Request::get("/nothing").body(String::new()).unwrap();
    let response = service().oneshot(request).await.unwrap();
    assert_eq!(response.status(), 404);
}

#[tokio::test]
async fn one_service_answers_many_requests_at_once() {
    let mut service = service();
    let ask = |service: &mut AppService, id: u8| {
        let request = http::Request::get(format!("/api/users/{id}"));
        service.call(request.body(String::new()).unwrap())
    };
    let first = ask(&mut service, 1);
    let second = ask(&mut service.clone(), 2);
    assert_eq!(text(second.await.unwrap()).await, "2 ");
    assert_eq!(text(first.await.unwrap()).await, "1 ");
}

#[tokio::test]
async fn an_application_can_be_mounted_in_another() {
    let outer = App::new().service("/inner", service()).build().unwrap();
    let request = http::Request::get("/inner/api/users/3");
    let response = outer.oneshot(request.body(String::new()).unwrap()).await;
    assert_eq!(text(response.unwrap()).await, "3 ");
}
