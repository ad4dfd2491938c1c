//! A rule that does not fit the type.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    fn list(&self, #[validate(range(min = 1))] name: String) -> String {
        name
    }
}

fn main() {}
