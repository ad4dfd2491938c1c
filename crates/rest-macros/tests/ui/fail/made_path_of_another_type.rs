//! A value of another type than the handler's argument.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{id}")]
    fn get(&self, id: u64) -> u64 {
        id
    }
}

fn main() {
    let _ = Users::get_path("seven");
}
