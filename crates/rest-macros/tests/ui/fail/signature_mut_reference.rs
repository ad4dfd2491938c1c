//! An argument to be changed in place.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, name: &mut String) -> String {
        name.clone()
    }
}

fn main() {}
