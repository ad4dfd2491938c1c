//! One verb twice on one method.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    #[get("/")]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
