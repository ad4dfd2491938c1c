//! A scope that is no string.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    #[security(bearer(admin))]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
