//! A parameter in the path that no argument takes.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{id}")]
    async fn get(&self) -> String {
        String::new()
    }
}

fn main() {}
