//! A path without quotes.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get(active)]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
