//! Two routes that differ by a name only.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{id}")]
    async fn first(&self, id: u64) -> String {
        format!("{id}")
    }

    #[get("/{name}")]
    async fn second(&self, name: String) -> String {
        format!("{name}")
    }
}

fn main() {}
