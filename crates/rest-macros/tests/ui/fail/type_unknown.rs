//! A type that does not exist.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{id}")]
    async fn get(&self, id: Id) -> String {
        id.to_string()
    }
}

fn main() {}
