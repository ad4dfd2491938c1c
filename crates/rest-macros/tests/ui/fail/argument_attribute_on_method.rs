//! An argument's attribute on the method.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    #[header("X-Page")]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
