//! A default for a value that a filter sets.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, #[value(default = 1)] page: u32) -> String {
        page.to_string()
    }
}

fn main() {}
