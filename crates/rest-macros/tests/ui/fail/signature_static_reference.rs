//! An argument that would outlive the request.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, name: &'static str) -> String {
        name.to_owned()
    }
}

fn main() {}
