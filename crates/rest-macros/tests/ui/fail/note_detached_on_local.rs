//! A detached method of a resource that stays on its thread.

use innkeeper_rest::resource;

struct Users;

#[resource("/users", local)]
impl Users {
    #[get]
    #[detached]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
