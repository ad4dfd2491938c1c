//! A query in the path.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/search?q=x")]
    async fn get(&self) -> String {
        String::new()
    }
}

fn main() {}
