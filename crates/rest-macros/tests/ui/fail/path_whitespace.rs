//! A space in the path.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/two words")]
    async fn get(&self) -> String {
        String::new()
    }
}

fn main() {}
