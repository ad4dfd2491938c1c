//! A number is no address.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{id}")]
    fn get(&self, #[validate(email)] id: u64) -> u64 {
        id
    }
}

fn main() {}
