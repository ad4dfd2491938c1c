//! Authentication.

mod api_key;
mod basic;
mod bearer;
mod levels;

use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{App, Filter, Rejection, RestApi, StatusCode, resource};

/// The caller that a check has authenticated.
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

/// Accepts one secret and rejects some others with their own errors.
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

/// Returns a client of the resource behind a filter of its mount.
fn behind(filter: impl Filter) -> Client {
    Client::new(App::new().mount("/", RestApi::new(Me).filter(filter))).unwrap()
}

/// Sends a GET request with these headers.
async fn ask(client: &Client, path: &str, headers: &[(&str, &str)]) -> TestResponse {
    let request = client.get(path);
    let request = headers.iter().fold(request, |request, (name, value)| {
        request.header(name, value)
    });
    request.send().await
}

/// Returns the status, the code of the problem, and the challenge.
fn refusal(response: &TestResponse) -> (u16, String, Option<&str>) {
    let body: serde_json::Value = response.json().unwrap_or_default();
    let code = body["code"].as_str().unwrap_or_default().to_owned();
    (response.status(), code, response.header("www-authenticate"))
}
