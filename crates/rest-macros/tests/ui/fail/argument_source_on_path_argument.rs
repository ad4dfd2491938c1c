//! A source on an argument that comes from the path.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{id}")]
    async fn get(&self, #[param] id: u64) -> String {
        id.to_string()
    }
}

fn main() {}
