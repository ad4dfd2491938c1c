//! A default for a part of the path, which is always there.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{id}")]
    async fn get(&self, #[param(default = 1)] id: u64) -> String {
        id.to_string()
    }
}

fn main() {}
