//! A cookie name that HTTP does not allow.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, #[cookie("my session")] session: String) -> String {
        session
    }
}

fn main() {}
