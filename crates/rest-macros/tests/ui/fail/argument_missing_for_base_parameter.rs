//! A parameter in the base path that one method does not take.

use innkeeper_rest::resource;

struct Users;

#[resource("/orgs/{org}/users")]
impl Users {
    #[get]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
