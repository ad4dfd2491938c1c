//! `#[route]` without a method.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[route(path = "/search")]
    async fn search(&self) -> String {
        String::new()
    }
}

fn main() {}
