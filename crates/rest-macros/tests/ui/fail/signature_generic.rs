//! A generic handler.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list<T: ToString>(&self, page: T) -> String {
        page.to_string()
    }
}

fn main() {}
