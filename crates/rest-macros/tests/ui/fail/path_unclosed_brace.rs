//! A brace that is never closed.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{id")]
    async fn get(&self, id: u64) -> String {
        format!("{id}")
    }
}

fn main() {}
