//! A method in another block with the name of a path that is made.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{id}")]
    fn get(&self, id: u64) -> u64 {
        id
    }
}

impl Users {
    fn get_path(&self) {}
}

fn main() {}
