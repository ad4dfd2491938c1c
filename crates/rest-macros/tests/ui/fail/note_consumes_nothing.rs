//! No media type at all.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    #[consumes()]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
