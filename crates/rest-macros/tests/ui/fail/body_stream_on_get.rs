//! GET has no body to be `#[stream]`.

use innkeeper_rest::{Body, Response, resource};

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, #[stream] input: Body) -> Response {
        drop(input);
        Response::ok()
    }
}

fn main() {}
