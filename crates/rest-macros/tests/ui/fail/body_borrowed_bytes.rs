//! A borrowed body that is no text.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[post]
    async fn create(&self, #[body] bytes: &[u8]) -> String {
        bytes.len().to_string()
    }
}

fn main() {}
