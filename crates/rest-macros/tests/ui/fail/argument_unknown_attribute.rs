//! A misspelt source.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, #[parameter] page: u32) -> String {
        page.to_string()
    }
}

fn main() {}
