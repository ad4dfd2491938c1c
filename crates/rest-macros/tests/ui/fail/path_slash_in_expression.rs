//! A regular expression that wants two segments.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{id:a/b}")]
    async fn get(&self, id: String) -> String {
        format!("{id}")
    }
}

fn main() {}
