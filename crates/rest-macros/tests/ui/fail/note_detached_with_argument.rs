//! `#[detached]` takes nothing.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    #[detached(true)]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
