//! A handler that wants the resource for itself.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&mut self) -> String {
        String::new()
    }
}

fn main() {}
