//! `#[route]` implies no source.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[route(method = "QUERY")]
    async fn query(&self, filter: String) -> String {
        filter
    }
}

fn main() {}
