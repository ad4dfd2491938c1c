//! A status that is none.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    #[responds(99)]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
