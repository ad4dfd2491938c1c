//! An argument without a name.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, _: u64) -> String {
        String::new()
    }
}

fn main() {}
