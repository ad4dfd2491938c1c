//! A setting that `#[param]` does not have.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, #[param(min = 1)] page: u32) -> String {
        page.to_string()
    }
}

fn main() {}
