//! The same rule twice.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    fn list(&self, #[validate(length(min = 1), length(max = 3))] name: String) -> String {
        name
    }
}

fn main() {}
