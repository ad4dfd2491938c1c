//! A parameter without a name.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{}")]
    async fn get(&self, id: u64) -> String {
        format!("{id}")
    }
}

fn main() {}
