//! A note that says nothing.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    #[meta(cached)]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
