//! A base path that is no string.

use innkeeper_rest::resource;

struct Users;

#[resource(users)]
impl Users {
    #[get]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
