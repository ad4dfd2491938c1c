//! A handler that would use up the resource.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(self) -> String {
        String::new()
    }
}

fn main() {}
