//! Authentication.

mod api_key;
mod basic;
mod bearer;
mod levels;

use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{App, Filter, Rejection, RestApi, StatusCode, resource};

/// Who is asking, as a check has found out.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Caller(String);

struct Me;

#[resource("/me")]
impl Me {
    #[get]
    fn show(&self, #[value] caller: Caller) -> String {
        caller.0
    }

    #[get("/perhaps")]
    fn perhaps(&self, #[value] caller: Option<Caller>) -> String {
        caller.map_or_else(|| "nobody".to_owned(), |caller| caller.0)
    }
}

/// Knows one secret, and has something to say about others.
async fn check(secret: String) -> Result<Option<Caller>, Rejection> {
    let refusal = |status, code: &'static str| Rejection::new(status, code, "not so");
    match secret.as_str() {
        "s3cr3t" => Ok(Some(Caller("ada".to_owned()))),
        "expired" => Err(refusal(StatusCode::UNAUTHORIZED, "key_expired")),
        "suspended" => Err(refusal(StatusCode::FORBIDDEN, "suspended")),
        "broken" => Err(Rejection::internal("no database")),
        _ => Ok(None),
    }
}

/// A client of the resource behind a filter of its mount.
fn behind(filter: impl Filter) -> Client {
    Client::new(App::new().mount("/", RestApi::new(Me).filter(filter))).unwrap()
}

/// Asks who one is, with these headers.
async fn ask(client: &Client, path: &str, headers: &[(&str, &str)]) -> TestResponse {
    let request = client.get(path);
    let request = headers.iter().fold(request, |request, (name, value)| {
        request.header(name, value)
    });
    request.send().await
}

/// The status, the code of the problem, and the challenge.
fn refusal(response: &TestResponse) -> (u16, String, Option<&str>) {
    let body: serde_json::Value = response.json().unwrap_or_default();
    let code = body["code"].as_str().unwrap_or_default().to_owned();
    (response.status(), code, response.header("www-authenticate"))
}
