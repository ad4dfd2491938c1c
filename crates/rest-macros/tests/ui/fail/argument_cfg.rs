//! An argument that is there only sometimes.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, #[cfg(unix)] page: u32) -> String {
        page.to_string()
    }
}

fn main() {}
