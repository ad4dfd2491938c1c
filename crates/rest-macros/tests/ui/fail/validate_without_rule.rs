//! No rule at all.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    fn list(&self, #[validate] name: String) -> String {
        name
    }
}

fn main() {}
