//! GET has no body to be `#[body]`.

use innkeeper_rest::{Response, resource};

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, #[body] input: String) -> Response {
        drop(input);
        Response::ok()
    }
}

fn main() {}
