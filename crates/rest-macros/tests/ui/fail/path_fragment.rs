//! A fragment in the path.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/guide#top")]
    async fn get(&self) -> String {
        String::new()
    }
}

fn main() {}
