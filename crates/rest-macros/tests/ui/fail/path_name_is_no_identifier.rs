//! A parameter whose name cannot be an argument's.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{user-id}")]
    async fn get(&self, id: u64) -> String {
        format!("{id}")
    }
}

fn main() {}
