//! A method's attribute on the whole block.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
#[timeout(30)]
impl Users {
    #[get]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
