//! Return types of handlers: values, responses, errors.

mod api_errors;
mod bodies;
mod constructors;
mod locations;
mod modifiers;
mod values;

use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{App, Filter, IntoReply, Next, Request, Response, RestApi, resource};
use serde_json::Value;

struct Anything;

#[resource("/anything")]
impl Anything {
    #[get]
    fn nothing(&self) {}
}

/// A filter that returns its own response to every request.
struct Answering<W>(W);

impl<W, R> Filter for Answering<W>
where
    W: Fn() -> R + Send + Sync + 'static,
    R: IntoReply,
{
    async fn apply(&self, _: &mut Request, _: Next<'_>) -> Response {
        (self.0)().into_reply()
    }
}

/// Returns the response that a client receives for this return value.
async fn received<R: IntoReply>(make: impl Fn() -> R + Send + Sync + 'static) -> TestResponse {
    let api = RestApi::new(Anything).filter(Answering(make));
    let client = Client::new(App::new().mount("/api", api)).unwrap();
    client.get("/api/anything").send().await
}

fn json(response: &TestResponse) -> Value {
    response.json().unwrap()
}
