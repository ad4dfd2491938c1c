//! A described method that answers nothing.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self) -> String {
        String::new()
    }

    #[responds(404)]
    async fn get(&self) -> String {
        String::new()
    }
}

fn main() {}
