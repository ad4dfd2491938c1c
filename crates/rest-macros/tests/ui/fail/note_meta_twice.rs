//! One name for two notes.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    #[meta(cached = 60, cached = 30)]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
