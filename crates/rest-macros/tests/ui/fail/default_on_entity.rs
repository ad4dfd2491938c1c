//! A default for the entity.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[post]
    async fn create(&self, #[entity(default = 1)] number: u64) -> String {
        number.to_string()
    }
}

fn main() {}
