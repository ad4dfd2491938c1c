//! A body limit with a unit.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    #[body_limit("1 MB")]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
