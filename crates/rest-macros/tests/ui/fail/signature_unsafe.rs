//! An unsafe handler.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    unsafe fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
