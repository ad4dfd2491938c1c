//! Declarations of resources: verbs, generics, cfg, raw names, renamed crates, local futures.

mod local;
mod paths;
mod renamed;
mod shapes;
mod strict;
mod verbs;

use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{App, Method, Mode, RestApi};

/// Returns a client of one API at the root.
fn client<M: Mode>(
    api: RestApi<M>,
) -> Client<<innkeeper_rest::Shared as innkeeper_rest::Join<M>>::Both>
where
    innkeeper_rest::Shared: innkeeper_rest::Join<M>,
{
    Client::new(App::new().mount("/", api)).unwrap()
}

/// Returns the status and body of a response.
fn seen(response: &TestResponse) -> (u16, String) {
    (response.status(), response.text())
}

/// Sends a GET request and returns the status and body.
async fn get<M: Mode>(client: &Client<M>, target: &str) -> (u16, String) {
    seen(&client.get(target).send().await)
}

/// Sends a request without a body and returns the status and body of the response.
async fn send<M: Mode>(client: &Client<M>, method: &str, target: &str) -> (u16, String) {
    let method = Method::from_bytes(method.as_bytes()).unwrap();
    seen(&client.request(method, target).send().await)
}

fn ok(text: &str) -> (u16, String) {
    (200, text.to_owned())
}
