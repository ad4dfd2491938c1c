//! One name for two parameters.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{id}/friends/{id}")]
    async fn get(&self, id: u64) -> String {
        format!("{id}")
    }
}

fn main() {}
