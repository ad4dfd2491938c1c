//! A default that does not fit its argument.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, #[param(default = true)] page: u32) -> String {
        page.to_string()
    }
}

fn main() {}
