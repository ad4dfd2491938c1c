//! A path that ends with a slash.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/active/")]
    async fn get(&self) -> String {
        String::new()
    }
}

fn main() {}
