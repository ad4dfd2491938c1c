//! No base path.

use innkeeper_rest::resource;

struct Users;

#[resource]
impl Users {
    #[get]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
