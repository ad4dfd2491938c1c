//! Two slashes in a row.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/a//b")]
    async fn get(&self) -> String {
        String::new()
    }
}

fn main() {}
