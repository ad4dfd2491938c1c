//! A tail in the middle.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{*rest}/info")]
    async fn get(&self, rest: String) -> String {
        format!("{rest}")
    }
}

fn main() {}
