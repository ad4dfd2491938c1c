//! `#[responds]` without a status.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    #[responds("no such user")]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
