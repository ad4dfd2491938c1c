//! A header without its name.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, #[header] agent: String) -> String {
        agent
    }
}

fn main() {}
