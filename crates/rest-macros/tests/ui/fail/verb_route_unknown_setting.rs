//! A setting that `#[route]` does not have.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[route(verb = "QUERY")]
    async fn search(&self) -> String {
        String::new()
    }
}

fn main() {}
