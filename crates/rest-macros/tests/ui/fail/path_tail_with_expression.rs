//! A tail with a regular expression.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{*rest:[a-z]+}")]
    async fn get(&self, rest: String) -> String {
        format!("{rest}")
    }
}

fn main() {}
