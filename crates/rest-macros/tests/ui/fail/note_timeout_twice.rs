//! Two timeouts.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    #[timeout(10)]
    #[timeout(20)]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
