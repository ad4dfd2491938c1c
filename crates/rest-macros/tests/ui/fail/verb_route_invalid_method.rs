//! A method that HTTP does not allow.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[route(method = "GO AWAY")]
    async fn search(&self) -> String {
        String::new()
    }
}

fn main() {}
