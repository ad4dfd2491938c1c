//! Cross-origin requests.

mod building;
mod levels;
mod policy;

use innkeeper_rest::Method;
use innkeeper_rest::filter::Cors;
use innkeeper_rest::testing::{Client, TestResponse};

const PAGE: &str = "https://page.example";

/// Returns a policy that allows [`PAGE`].
fn one_page() -> Cors {
    Cors::builder()
        .origin(PAGE)
        .methods(["GET", "PUT"])
        .headers(["Content-Type", "x-key"])
        .exposed_headers(["x-total"])
        .credentials()
        .build()
        .unwrap()
}

/// Sends a preflight with these headers.
async fn preflight(client: &Client, path: &str, asked: &[(&str, &str)]) -> TestResponse {
    let mut request = client.request(Method::OPTIONS, path);
    for (name, value) in asked {
        request = request.header(name, value);
    }
    request.send().await
}

/// Sends a preflight for a method from [`PAGE`].
async fn ask(client: &Client, path: &str, method: &str) -> TestResponse {
    let asked = [("origin", PAGE), ("access-control-request-method", method)];
    preflight(client, path, &asked).await
}

/// Returns the CORS headers of a response, sorted.
fn cors_headers(response: &TestResponse) -> Vec<String> {
    let mut found: Vec<String> = response
        .headers()
        .iter()
        .filter(|(name, _)| name.as_str().starts_with("access-control-"))
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
        .collect();
    found.sort();
    found
}

/// Returns the `Vary` headers of a response in one line.
fn vary(response: &TestResponse) -> String {
    let lines = response.headers().get_all("vary").iter();
    let lines: Vec<&str> = lines.map(|line| line.to_str().unwrap()).collect();
    lines.join(", ")
}
