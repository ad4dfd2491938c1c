//! Versions of what is sent: entity tags, dates, conditions, and parts of content.

mod changes;
mod conditions;
mod etags;
mod parts;
mod wire;

use innkeeper_rest::testing::{Client, TestResponse};

/// A GET request with these headers.
async fn get(client: &Client, path: &str, headers: &[(&str, &str)]) -> TestResponse {
    let request = client.get(path);
    let request = headers.iter().fold(request, |request, (name, value)| {
        request.header(name, value)
    });
    request.send().await
}
