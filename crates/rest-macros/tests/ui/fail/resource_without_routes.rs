//! No method has a verb.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    pub fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
