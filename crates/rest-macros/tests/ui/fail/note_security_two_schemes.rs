//! Two schemes in one attribute.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    #[security(bearer, api_key)]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
