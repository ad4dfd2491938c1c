//! Two arguments that are both the entity.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[post]
    async fn create(&self, name: String, email: String) -> String {
        name + &email
    }
}

fn main() {}
