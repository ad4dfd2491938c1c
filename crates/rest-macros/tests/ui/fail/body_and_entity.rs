//! An entity beside the body it was read from.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[post]
    async fn create(&self, #[entity] id: u64, #[body] text: String) -> String {
        format!("{id}{text}")
    }
}

fn main() {}
