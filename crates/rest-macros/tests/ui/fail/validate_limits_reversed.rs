//! Limits with nothing between them.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    fn list(&self, #[validate(range(min = 100, max = 1))] limit: u32) -> u32 {
        limit
    }
}

fn main() {}
