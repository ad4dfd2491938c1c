//! A setting that `#[resource]` does not have.

use innkeeper_rest::resource;

struct Users;

#[resource("/users", remote)]
impl Users {
    #[get]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
