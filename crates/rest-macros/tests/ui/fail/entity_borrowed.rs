//! A borrowed entity.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[post]
    async fn create(&self, name: &str) -> String {
        name.to_owned()
    }
}

fn main() {}
