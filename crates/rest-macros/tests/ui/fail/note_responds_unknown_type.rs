//! An answer of a type that does not exist.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    #[responds(200, Usr)]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
