//! `#[resource]` on the methods of a trait.

use innkeeper_rest::resource;

trait List {
    fn list(&self) -> String;
}

struct Users;

#[resource("/users")]
impl List for Users {
    #[get]
    fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
