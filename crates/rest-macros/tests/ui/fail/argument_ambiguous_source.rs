//! An argument that would be a parameter of GET and the entity of POST.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    #[post]
    async fn list(&self, filter: String) -> String {
        filter
    }
}

fn main() {}
