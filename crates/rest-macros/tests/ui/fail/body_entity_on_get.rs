//! GET has no body to be `#[entity]`.

use innkeeper_rest::{Response, resource};

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, #[entity] input: Vec<u64>) -> Response {
        drop(input);
        Response::ok()
    }
}

fn main() {}
