//! A prefix beside a suffix in one place.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/user-{id}")]
    async fn first(&self, id: u64) -> String {
        format!("{id}")
    }

    #[get("/{file}.json")]
    async fn second(&self, file: String) -> String {
        format!("{file}")
    }
}

fn main() {}
