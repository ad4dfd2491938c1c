//! Caching: entity tags, dates, conditions, and ranges.

mod changes;
mod conditions;
mod etags;
mod parts;
mod wire;

use innkeeper_rest::testing::{Client, TestResponse};

/// Sends a GET request with these headers.
async fn get(client: &Client, path: &str, headers: &[(&str, &str)]) -> TestResponse {
    let request = client.get(path);
    let request = headers.iter().fold(request, |request, (name, value)| {
        request.header(name, value)
    });
    request.send().await
}
