//! Patterns, methods, mounts, 404, 405.

mod conflicts;
mod methods;
mod mounts;
mod patterns;
mod regexes;

use innkeeper_rest::testing::{Client, TestResponse};

/// Sends a GET and returns the status and the body.
async fn get(client: &Client, target: &str) -> (u16, String) {
    let response = client.get(target).send().await;
    (response.status(), response.text())
}

async fn status_of_get(client: &Client, target: &str) -> u16 {
    client.get(target).send().await.status()
}

/// Returns the value of a header that must be present.
fn header<'r>(response: &'r TestResponse, name: &str) -> &'r str {
    response.header(name).unwrap()
}

fn ok(text: &str) -> (u16, String) {
    (200, text.to_owned())
}
