//! A type that does not say how it is validated.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{id}")]
    fn get(&self, #[validate(dive)] id: u64) -> u64 {
        id
    }
}

fn main() {}
