//! A timeout that does not say how long.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    #[timeout]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
