//! A constant handler.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    const fn list(&self) -> u64 {
        7
    }
}

fn main() {}
