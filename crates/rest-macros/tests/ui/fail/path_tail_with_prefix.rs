//! A tail with text before it.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/v{*rest}")]
    async fn get(&self, rest: String) -> String {
        format!("{rest}")
    }
}

fn main() {}
