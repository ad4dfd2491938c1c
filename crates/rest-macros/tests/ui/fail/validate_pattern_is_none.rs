//! A pattern that is no regular expression.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    fn list(&self, #[validate(pattern("[a-z"))] name: String) -> String {
        name
    }
}

fn main() {}
