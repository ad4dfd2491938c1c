//! A rule that there is not.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    fn list(&self, #[validate(size(max = 3))] name: String) -> String {
        name
    }
}

fn main() {}
